"""Are results of the same games, and was everybody told the same?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphol.errors import UsageError
from graphol.simulation import Simulation


def check_recipes(results: Sequence[Simulation], names: Sequence[str], common: list[int]) -> None:
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


def check_questions(results: Sequence[Simulation], names: Sequence[str]) -> None:
    """The same, round by round: what was asked, and the truth."""
    for name, result in zip(names, results, strict=True):
        for i, (one, two) in enumerate(zip(results[0].traces, result.traces, strict=True)):
            asked = np.array_equal(one.node, two.node)
            if not (asked and np.array_equal(one.label, two.label)):
                raise UsageError(
                    f"repeat {result.repeats[i // result.games]} of {names[0]} ({len(one)} rounds) "
                    f"and of {name} ({len(two)}) did not ask the same; report them one at a time"
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
