"""Rows as an aligned plain-text table, the same on a terminal and in a pipe."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?( ± [\d.,]+(e[-+]?\d+)?)?")


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> str:
    """One line of names and one line per row; columns of numbers are right-aligned.

    Columns are those named, or the first row's keys; one that is empty in every row is left out.

    >>> print(table([{"name": "gpa", "rounds": 1797}, {"name": "molg-b", "rounds": 50}]))
    name    rounds
    gpa       1797
    molg-b      50
    """
    names = list(rows[0] if columns is None and rows else columns or ())
    texts = {name: [_text(row.get(name)) for row in rows] for name in names}
    shown = {name: cells for name, cells in texts.items() if any(cells)}
    padded = []
    for name, cells in shown.items():
        width = max(map(len, [name, *cells]))
        numbers = all(NUMBER.fullmatch(cell) for cell in cells if cell)
        padded.append([f"{c:>{width}}" if numbers else f"{c:<{width}}" for c in [name, *cells]])
    return "\n".join("  ".join(line).rstrip() for line in zip(*padded, strict=True))


def _text(value: Any) -> str:
    return "" if value is None else " ".join(str(value).split())
