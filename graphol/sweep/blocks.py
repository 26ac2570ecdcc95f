"""What a sweep file may say: its keys, and the cells that a block stands for.

A key is a component (``learner``, ``dataset``, ...), a rule of play (``seed``, ``rounds``, ...) or,
in a grid, a parameter: ``b`` of the learner, ``embedding.dim`` of another component.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time
from typing import Any

import attrs

from graphol.api import Learner
from graphol.arena import embedding_for
from graphol.errors import UsageError, near, shown
from graphol.params import read_params
from graphol.plan import Plan
from graphol.registry import registry
from graphol.spelling import pairs, pieces
from graphol.sweep.cell import PARTS, Cell
from graphol.sweep.grid import (
    Choice,
    check_size,
    check_together,
    checked_grid,
    crossed,
    listed,
)

RULES = ("seed", "rounds", "noise", "delay", "fresh_data", "one_vs_rest", "fuse", "compiled")
"""Fields of a plan that may be lists."""
WHOLE = ("repeats", "keep")
"""Fields of a plan that are one value."""
TABLES = ("grid", "together", "tune")
KEYS = (*PARTS, *RULES, *WHOLE)
SHUFFLES, USUAL_SHUFFLES = "shuffles", 5
DATASET, REPEATS = "digits", 10
"""Where nothing is said, as on the command line."""


@attrs.frozen
class Tuning:
    """Candidates of which one scores: the one that does best on shuffles that never score."""

    rehearsals: tuple[tuple[Cell, ...], ...]
    """Of every candidate its held-out cells."""
    scoring: tuple[tuple[Cell, ...], ...]
    """Of every candidate the cells that it plays if it is chosen."""
    grid: Mapping[str, Sequence[Any]]
    """What the candidates differ in."""


def check_keys(given: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    """Refuse a key that is not known, naming the nearest."""
    for key in given:
        if key not in allowed:
            raise UsageError(f"unknown key {key!r}: {near(str(key), allowed)}")


def single(given: Mapping[str, Any]) -> Cell:
    """The one cell of a ``[[cell]]``."""
    check_keys(given, (*PARTS, *RULES, "keep", "repeat"))
    for key, value in given.items():
        if isinstance(value, list | tuple) and key != "keep":
            raise UsageError(f"{key} is a list; a cell has one value, a [[block]] may have several")
    repeat = given.get("repeat", 0)
    if not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 0:
        raise UsageError(f"repeat must be a whole number >= 0, got {shown(repeat)}")
    choice = {key: value for key, value in given.items() if key not in ("repeat", "keep")}
    (cell,) = _cells(choice, range(repeat, repeat + 1), given.get("keep", ()))
    return cell


def block(given: Mapping[str, Any]) -> Iterator[Cell | Tuning]:
    """All cells of a ``[[block]]``, and what it leaves to tuning."""
    check_keys(given, (*KEYS, *TABLES))
    together = checked_grid("together", given.get("together", {}))
    check_together(together)
    tune = checked_grid("tune", given.get("tune", {}))
    shuffles = _shuffles(tune.pop(SHUFFLES, [USUAL_SHUFFLES]))
    if games := tune.keys() & {"dataset", *RULES}:
        raise UsageError(f"tune: {min(games)} would choose the easiest game; write it in the grid")
    grid = checked_grid("grid", given.get("grid", {}))
    together, tune, grid = _keys(together), _keys(tune), _keys(grid)
    lists = {key: listed(given[key]) for key in (*PARTS, *RULES) if key in given}
    lists |= _apart("grid", grid, lists)
    _apart("together", together, lists)
    candidates = _apart("tune", tune, lists | together)
    for key, values in lists.items():
        if not values:
            raise UsageError(f"the list of {key} is empty; give it values, or leave it out")
    repeats, keep = _repeats(given.get("repeats", REPEATS)), given.get("keep", ())
    longest = max(map(len, together.values()), default=1)
    rehearsed = len(shuffles) if candidates else 0
    check_size(lists | candidates, longest, max(len(repeats), rehearsed))
    for choice in crossed(lists, together):
        if not candidates:
            yield from _cells(choice, repeats, keep)
            continue
        all_of_them = [choice | chosen for chosen in crossed(candidates, {})]
        yield Tuning(
            tuple(tuple(_cells(each, shuffles, (), held_out=True)) for each in all_of_them),
            tuple(tuple(_cells(each, repeats, keep)) for each in all_of_them),
            candidates,
        )


def _keys(grid: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Every parameter by one key: the learner's without a dot, none with a dash."""
    found: dict[str, list[Any]] = {}
    written: dict[str, str] = {}
    for key, values in grid.items():
        own = key.removeprefix("learner.").replace("-", "_")
        own = f"learner.{own}" if own in (*PARTS, *RULES) and key != own else own
        if own in found:
            raise UsageError(f"{written[own]} and {key} are one parameter; drop one")
        written[own] = key
        found[own] = values
    return found


def _shuffles(values: list[Any]) -> range:
    if len(values) > 1:
        raise UsageError(f"tune: shuffles must be one number, got {shown(values)}")
    return _repeats(values[0], "tune: shuffles")


def _apart(name: str, grid: dict[str, list[Any]], others: Mapping[str, Any]) -> dict[str, Any]:
    for key in grid:
        if key in others:
            raise UsageError(f"{key} is given twice, once in {name}; drop one")
    return grid


def _repeats(value: Any, name: str = "repeats") -> range:
    """So many, or ``"5-9"``."""
    if isinstance(value, str) and (found := re.fullmatch(r"(\d{1,9})-(\d{1,9})", value.strip())):
        value = range(int(found[1]), int(found[2]) + 1)
    if isinstance(value, bool) or not isinstance(value, int | range):
        raise UsageError(f'{name} must be a number, or a text like "5-9", got {shown(value)}')
    if isinstance(value, int) and value < 1:
        raise UsageError(f"{name} must be >= 1, got {value}")
    if isinstance(value, range) and not value:
        first, last = value.start, value.stop - 1
        raise UsageError(f"{name} {first}-{last} are none; the first one comes first")
    return Plan(repeats=value).repeats


def _cells(choice: Choice, repeats: range, keep: Any, *, held_out: bool = False) -> Iterator[Cell]:
    """One choice of everything, in every repeat."""
    for key in choice:
        kind, dot, _ = key.partition(".")
        if dot and kind not in PARTS:
            raise UsageError(f"unknown key {key!r}: {near(kind, PARTS)}")
    if choice.get("learner") is None:
        raise UsageError('there is no learner; add one, as in learner = "molg-f"')
    made: dict[str, Any] = {}
    for key in PARTS:
        made[key] = _component(key, choice.get(key), _parameters(key, choice), made)
    rules = {key: choice[key] for key in RULES if key in choice}
    for key in ("fresh_data", "one_vs_rest", "compiled"):
        if not isinstance(rules.get(key, False), bool):
            raise UsageError(f"{key} must be true or false, got {shown(rules[key])}")
    for key in ("seed", "rounds", "noise", "delay", "fuse"):
        value = rules.get(key, 0)
        if value is None and key in ("rounds", "fuse"):
            continue
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise UsageError(f"{key} must be a number, got {shown(rules[key])}")
    noise = rules.get("noise")
    if noise is not None and 0 <= noise < 1:  # what is no probability is refused by the plan
        rules["noise"] = float(noise)  # 0 and 0.0 are one recipe
    if made["fuser"] is not None and rules.get("fuse") is None:
        raise UsageError("a fuser needs labels to weigh layers by; say how many, fuse = 100")
    for repeat in repeats:
        plan = Plan(repeats=range(repeat, repeat + 1), keep=keep, held_out=held_out, **rules)
        yield Cell(**{key: value for key, value in made.items() if value is not None}, plan=plan)


def _parameters(part: str, choice: Choice) -> dict[str, Any]:
    """Those of a grid that are this component's; of the learner also those without a dot."""
    found = {
        key.removeprefix(f"{part}."): value
        for key, value in choice.items()
        if key.startswith(f"{part}.")
    }
    if part == "learner":
        found |= {k: v for k, v in choice.items() if "." not in k and k not in (*PARTS, *RULES)}
    return found


def _component(part: str, spec: Any, parameters: dict[str, Any], made: Mapping[str, Any]) -> Any:
    kind, learner = PARTS[part], made.get("learner")
    if spec is None and learner is not None:
        spec = _usual(part, learner, embedded=bool(parameters))
        if spec is None and parameters:
            why = f"{learner.name} needs none" if part == "embedding" else "none is given"
            raise UsageError(f"{part}.{min(parameters)}: there is no {part}, {why}")
    if spec is None:
        return None
    if isinstance(spec, str):
        _, _, rest = spec.partition(":")
        twice = pairs(pieces(rest) if rest else [], f"{kind} {shown(spec)}").keys() & parameters
        if twice:
            raise UsageError(f"{min(twice)} is in {part} {spec!r} and in the grid; drop one")
    elif isinstance(spec, bool | int | float | date | time | Mapping):
        raise UsageError(f"{part} must be a text like on the command line, got {shown(spec)}")
    whole = registry().make(kind, spec)
    if not parameters:
        return whole
    texts = {key: value for key, value in parameters.items() if isinstance(value, str)}
    unknown = parameters.keys() - attrs.fields_dict(type(whole)).keys()
    if unknown:
        known = attrs.fields_dict(type(whole))
        raise UsageError(
            f"{whole.name} has no parameter {min(unknown)!r}; {near(min(unknown), known)}"
        )
    values = parameters | read_params(type(whole), texts)
    return registry().make(kind, attrs.evolve(whole, **values))


def _usual(part: str, learner: Learner, *, embedded: bool) -> Any:
    """What is played with where nothing is said."""
    if part == "dataset":
        return DATASET
    if part == "feedback":
        return learner.feedback
    return embedding_for(learner, None) if part == "embedding" and embedded else None
