"""Lists that are crossed and lists that go together: from one block to many single choices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphol.errors import UsageError, shown

MOST_CELLS = 1_000_000
"""Of one block; more are a slip of the finger."""

Choice = dict[str, Any]
"""One value for every key."""


def listed(value: Any) -> list[Any]:
    """A list as it is, anything else as a list of one."""
    return list(value) if isinstance(value, list | tuple | range) else [value]


def crossed(
    lists: Mapping[str, Sequence[Any]], together: Mapping[str, Sequence[Any]]
) -> Iterator[Choice]:
    """Every combination of the lists; those that go ``together`` move as one.

    >>> [*crossed({"b": [1, 2]}, {"seed": [0, 1], "noise": [0.0, 0.1]})][:2]
    [{'b': 1, 'seed': 0, 'noise': 0.0}, {'b': 1, 'seed': 1, 'noise': 0.1}]
    """
    rows = [dict(zip(together, row, strict=True)) for row in zip(*together.values(), strict=True)]
    for values in itertools.product(*lists.values()):
        for row in rows if together else [{}]:
            yield dict(zip(lists, values, strict=True)) | row


def checked_grid(name: str, grid: Any) -> dict[str, list[Any]]:
    """The table ``grid``, ``together`` or ``tune`` of a block: keys, each with some values."""
    if not isinstance(grid, Mapping):
        raise UsageError(f"{name} must be a table of lists, got {shown(grid)}")
    found = {str(key): listed(values) for key, values in grid.items()}
    for key, values in found.items():
        if not values:
            raise UsageError(f"{name}: the list of {key} is empty; give it values, or leave it out")
        if any(isinstance(value, list | dict) for value in values):
            raise UsageError(f"{name}: {key} must be a list of values, got {shown(grid[key])}")
    return found


def check_together(together: Mapping[str, Sequence[Any]]) -> None:
    """Refuse lists of unequal length."""
    lengths = {key: len(values) for key, values in together.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{key} has {length}" for key, length in lengths.items())
        raise UsageError(f"together: lists must be of equal length; {said}")


def check_size(lists: Mapping[str, Sequence[Any]], *more: int) -> None:
    """Refuse a product that nobody can have meant."""
    size = math.prod([*map(len, lists.values()), *more])
    if size > MOST_CELLS:
        raise UsageError(f"{size} cells in one block; at most {MOST_CELLS} are played")
