"""Rows as an aligned plain-text table, the same on a terminal and in a pipe."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphol.report.column import Column, JsonRow

NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?( ± [\d.,]+(e[-+]?\d+)?)?")


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
    for column in columns or (rows[0] if rows else ()):
        shown = Column(column) if isinstance(column, str) else column
        cells = [shown.cell(row) for row in rows]
        if not any(cells):
            continue
        width = max(map(len, [shown.title, *cells]))
        numbers = all(NUMBER.fullmatch(cell) for cell in cells if cell)
        padded.append([f"{c:{'>' if numbers else '<'}{width}}" for c in [shown.title, *cells]])
    return "\n".join("  ".join(line).rstrip() for line in zip(*padded, strict=True))
