"""The figures that the papers printed, every legible cell: one file of data per paper.

>>> rows("kdd13", "table2")["error_rate"]["sslgc"]["cora"]
Cell(value=0.0832, std=0.0019)
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A printed mean, and its standard deviation where that is printed too."""

    value: float
    std: float | None = None


Cells = Mapping[str, Mapping[str, Mapping[str, Cell]]]
"""Metric, then entry's label, then data set."""


def read(paper: str) -> dict[str, Any]:
    """The file of one paper, as it is."""
    return tomllib.loads(files(__name__).joinpath(f"{paper}.toml").read_text(encoding="utf-8"))


def rows(paper: str, table: str) -> dict[str, dict[str, dict[str, Cell]]]:
    """A table whose cells are means, each followed by its deviation."""
    data = read(paper)
    found: dict[str, dict[str, dict[str, Cell]]] = {name: {} for name in data["columns"]}
    for dataset, learners in data[table].items():
        for learner, numbers in learners.items():
            pairs = zip(numbers[::2], numbers[1::2], strict=True)
            for name, (value, std) in zip(data["columns"], pairs, strict=True):
                found[name].setdefault(learner, {})[dataset] = Cell(float(value), float(std))
    return found


def cells(paper: str, table: str) -> dict[str, dict[str, Cell]]:
    """A table by row and data set, with deviations where they are printed.

    >>> cells("aistats19", "table4")["robust-lp"]["cora"]
    Cell(value=73.8, std=2.6)
    """
    return {
        label: {dataset: Cell(*map(float, numbers)) for dataset, numbers in row.items()}
        for label, row in read(paper)[table].items()
    }


def means(paper: str, table: str, **names: Sequence[str]) -> dict[str, dict[str, Cell]]:
    """A table of means by metric and learner; ``names`` are the metrics that a column prints.

    A column in per cent becomes a share. Deviations stand beside the first columns where the file
    has them.

    >>> means("kdd19", "table1", nonzero=["nonzero_ratio"])["nonzero_ratio"]["graphda"].value
    0.0256
    """
    data = read(paper)
    deviations = data.get(f"{table}-deviations", {})
    found: dict[str, dict[str, Cell]] = {}
    for learner, numbers in data[table].items():
        beside = [*deviations.get(learner, ()), *[None] * len(numbers)]
        for column, number, std in zip(data["columns"], numbers, beside, strict=False):
            scale = 100 if column.startswith("nonzero") else 1
            for name in names.get(column, [column]):
                found.setdefault(name, {})[learner] = Cell(round(number / scale, 6), std)
    return found
