"""Some cells of a sweep, by patterns: ``learner=molg-*``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from graphol.command import spelled
from graphol.errors import UsageError, near
from graphol.sweep.cell import Cell

KEYS = ("learner", "dataset", "feedback", "embedding", "repeat", "seed")


def selected(cells: Mapping[str, Cell], only: Iterable[str]) -> list[str]:
    """Names of those cells that fit every ``KEY=PATTERN``; all of them without any.

    A component fits by its name, or by how the command line writes it with all its parameters.
    """
    wanted = [_pattern(text) for text in only]
    return [
        name
        for name, cell in cells.items()
        if all(any(fnmatchcase(text, p) for text in _texts(cell, key)) for key, p in wanted)
    ]


def _pattern(text: str) -> tuple[str, str]:
    key, equals, pattern = text.partition("=")
    if not equals or not pattern:
        raise UsageError(f"only {text!r} is not of the form KEY=PATTERN, as in learner=molg-*")
    if key not in KEYS:
        raise UsageError(f"only {text!r}: unknown key {key!r}, {near(key, KEYS)}")
    return key, pattern


def _texts(cell: Cell, key: str) -> list[str]:
    if key in ("repeat", "seed"):
        return [str(cell.repeat if key == "repeat" else cell.plan.seed)]
    described = cell.recipe()[key]
    return ["none"] if described is None else [described["name"], spelled(described)]
