"""A table: its columns, and rows as aligned plain text, the same on a terminal and in a pipe.

It needs nothing but Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphol.errors import printable

JsonRow = Mapping[str, Any]
NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?( ± [\d.,]+(e[-+]?\d+)?)?")


@dataclass(frozen=True)
class Column:
    """A figure of a row, and how a person reads it.

    >>> error = Column("error_rate_mean", "error", "%", ".2f", scale=100, spread="error_rate_std")
    >>> error.title, error.cell({"error_rate_mean": 0.25, "error_rate_std": 0.015, "repeats": 3})
    ('error %', '25.00 ± 1.50')
    """

    key: str
    """In the JSON row."""
    heading: str | None = None
    """The key, if none is given."""
    unit: str = ""
    form: str = ""
    """As :func:`format` takes it; without one the value is shown as it is."""
    scale: float = 1.0
    """The figure shown is so many times the JSON value."""
    spread: str = ""
    """Key of the standard deviation over repeats; shown after ± if there are several."""
    spread_form: str | None = None
    """The deviation's own, if it is another."""
    of: Callable[[JsonRow], Any] | None = None
    """What to show where it is not the value of the key: a number, a text or None."""

    @property
    def title(self) -> str:
        """The heading with its unit."""
        return f"{self.key if self.heading is None else self.heading} {self.unit}".strip()

    def cell(self, row: JsonRow) -> str:
        """The text of this column; what is not there, or is not a number, is left empty."""
        value = row.get(self.key) if self.of is None else self.of(row)
        if value is None or value != value:
            return ""
        if not self.form or isinstance(value, str):
            return printable(" ".join(str(value).split()))
        text = format(self.scale * value, self.form)
        if self.spread and row["repeats"] > 1:
            text += f" ± {self.scale * row[self.spread]:{self.spread_form or self.form}}"
        return text


def table(rows: Sequence[JsonRow], columns: Sequence[Column | str] | None = None) -> str:
    """One line of headings and one line per row; columns of numbers are right-aligned.

    Columns are those given (a text is a key that is its own heading), or the first row's keys; one
    that is empty in every row is left out.

    >>> print(table([{"name": "gpa", "rounds": 1797}, {"name": "molg-b", "rounds": 50}]))
    name    rounds
    gpa       1797
    molg-b      50
    """
    padded = []
    for title, cells in filled(rows, columns):
        width = max(map(len, [title, *cells]))
        side = ">" if all(map(is_number, cells)) else "<"
        padded.append([f"{c:{side}{width}}" for c in [title, *cells]])
    return "\n".join("  ".join(line).rstrip() for line in zip(*padded, strict=True))


def filled(
    rows: Sequence[JsonRow], columns: Sequence[Column | str] | None = None
) -> list[tuple[str, list[str]]]:
    """The title and the cells of every column that is not empty in every row."""
    found = []
    for column in columns or (rows[0] if rows else ()):
        shown = Column(column) if isinstance(column, str) else column
        cells = [shown.cell(row) for row in rows]
        if any(cells):
            found.append((shown.title, cells))
    return found


def is_number(cell: str) -> bool:
    """Is it a number, perhaps with its deviation, or empty?"""
    return not cell or NUMBER.fullmatch(cell) is not None
