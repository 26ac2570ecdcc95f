"""Are results of the same games, and was everybody told the same?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphol.errors import UsageError
from graphol.simulation import Simulation


def check_games(results: Sequence[Simulation], names: Sequence[str], common: list[int]) -> None:
    """Refuse what is not of the same games: differences repeat by repeat would mean nothing."""
    first, *others = results
    for other, name in zip(others, names[1:], strict=True):
        for key, what in (
            ("task", "data set"), ("graph_hash", "graph"), ("seed", "seed"), ("target", "target"),
        ):  # fmt: skip
            one, two = first.recipe[key], other.recipe[key]
            if one != two:
                raise UsageError(
                    f"{names[0]} and {name} are not of the same games ({what} {one} and {two}); "
                    "report them one at a time"
                )
    if not common:
        raise UsageError(f"{', '.join(names)} have no repeat in common; report them one at a time")
    for repeat in common:
        asked = [result.traces[result.repeats.index(repeat)] for result in results]
        for trace, name in zip(asked[1:], names[1:], strict=True):
            if not (
                np.array_equal(trace.node, asked[0].node)
                and np.array_equal(trace.label, asked[0].label)
            ):
                raise UsageError(
                    f"repeat {repeat} of {names[0]} ({len(asked[0])} rounds) and of {name} "
                    f"({len(trace)}) did not ask the same; report them one at a time"
                )


def told(results: Sequence[Simulation], labels: Sequence[str]) -> list[str]:
    """What a reader must know before holding these learners against each other."""
    by: dict[str, list[str]] = {}
    for result, text in zip(results, labels, strict=True):
        engine = result.recipe["engine"]
        odd = "".join(f", {key} {engine[key]:g}" for key in ("noise", "delay") if engine[key])
        by.setdefault(f"{result.recipe['feedback']['name']} feedback{odd}", []).append(text)
    if len(by) == 1:
        return []
    groups = "; ".join(f"{how}: {', '.join(who)}" for how, who in by.items())
    return [f"not all are told the same ({groups})"]
