"""How the error depends on a parameter: over games that were played with every value of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from graphol.api import Target
from graphol.interval import CONFIDENCE, Interval, interval
from graphol.report.cast import Entry
from graphol.report.outcome import identity

KINDS = ("learner", "embedding", "dataset", "feedback")


@attrs.frozen
class Line:
    """The mean error of one learner at every value of a parameter."""

    learner: str
    where: str
    """Data set and protocol, without the parameter itself."""
    values: tuple[Any, ...]
    errors: tuple[Interval, ...]
    games: int
    """At every value; the same games but for the parameter."""
    target: Target = "classes"


@attrs.frozen
class Sensitivity:
    """One parameter that differs among results."""

    parameter: str
    """With its component: ``embedding.dim``; ``noise`` and so on are of the game."""
    lines: tuple[Line, ...]


def sensitivities(
    entries: Sequence[Entry], confidence: float = CONFIDENCE
) -> tuple[Sensitivity, ...]:
    """All parameters that somebody played with two values or more, all else equal.

    Where a learner lacks a value in some game, that game is left out for all values, so that no
    line mixes other games at one value than at the next.
    """
    found = []
    for parameter in _varying(entries):
        lines = tuple(_lines(entries, parameter, confidence))
        if lines:
            found.append(Sensitivity(parameter, lines))
    return tuple(found)


def flat(entry: Entry) -> dict[str, Any]:
    """All parameters of an outcome by name; a component inside a component is one value."""
    outcome, found = entry.outcome, {}
    parts: tuple[Mapping[str, Any] | None, ...] = (
        outcome.learner, outcome.embedding, outcome.dataset, outcome.feedback,
    )  # fmt: skip
    for kind, component in zip(KINDS, parts, strict=True):
        for key, value in (component or {}).items():
            found[f"{kind}.{key}"] = value
    return found | dict(outcome.rules)


def _varying(entries: Sequence[Entry]) -> list[str]:
    """Parameters with two values or more among results of one learner; names are none."""
    values: dict[tuple[str, str], set[str]] = {}
    rules: set[str] = {key for entry in entries for key in entry.outcome.rules}
    for entry in entries:
        for key, value in {**dict.fromkeys(rules), **flat(entry)}.items():
            values.setdefault((key, _owner(entry, key)), set()).add(identity(value))
    names = {key for (key, _), seen in values.items() if len(seen) > 1}
    return sorted(name for name in names if not name.endswith(".name"))


def _owner(entry: Entry, key: str) -> str:
    """Whose parameter it is: values of different data sets' parameters are not one line."""
    kind = key.partition(".")[0]
    parts = {
        "embedding": entry.outcome.embedding,
        "dataset": entry.outcome.dataset,
        "feedback": entry.outcome.feedback,
    }
    part = parts.get(kind)
    return f"{entry.learner} {part['name'] if part and 'name' in part else ''}"


def _lines(entries: Sequence[Entry], parameter: str, confidence: float) -> Iterator[Line]:
    """By learner and place: blocks of games that differ in this parameter alone."""
    of_rules = "." not in parameter
    blocks: dict[tuple[str, str], dict[str, dict[str, tuple[Any, float]]]] = {}
    targets: dict[tuple[str, str], Target] = {}
    for entry in entries:
        rest = flat(entry)
        if not of_rules and parameter not in rest:
            continue
        value = rest.pop(parameter, None)
        outcome = entry.outcome
        # another data set, or another number of rounds, is another graph and other questions
        same = (outcome.played_on,) if not parameter.startswith("dataset.") else ()
        block = identity(rest, outcome.seed, outcome.repeat, same)
        data = f"{outcome.dataset.get('name')} with any {parameter.partition('.')[2]}"
        place = data if parameter.startswith("dataset.") else entry.dataset
        if not (of_rules or parameter.startswith("feedback.")):
            place += f", {entry.protocol}"
        games = blocks.setdefault((entry.learner, place), {}).setdefault(block, {})
        games[identity(value)] = value, outcome.error
        targets[entry.learner, place] = outcome.target
    for (learner, place), found in sorted(blocks.items()):
        values = {key: value for games in found.values() for key, (value, _) in games.items()}
        whole = [games for games in found.values() if len(games) == len(values)]
        if len(values) < 2 or not whole:
            continue
        order = sorted(values, key=lambda key: _place_of(values[key]))
        yield Line(
            learner,
            place,
            tuple(values[key] for key in order),
            tuple(interval([games[key][1] for games in whole], confidence) for key in order),
            len(whole),
            targets[learner, place],
        )


def _place_of(value: Any) -> tuple[int, float, str]:
    """Numbers by size, then all else by name."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0, float(value), ""
    return 1, 0.0, identity(value)
