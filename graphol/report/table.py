"""Rows as an aligned plain-text table, the same on a terminal and in a pipe."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphol.simulation import Simulation

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


def cells(result: Simulation) -> dict[str, str]:
    """A simulation's figures as a person reads them, by column."""
    row = result.row()
    mean, std = row["error_rate_mean"], row["error_rate_std"]
    if result.traces[0].predicted.dtype.kind == "i":
        name, figure, spread = "error %", f"{100 * mean:.2f}", f"{100 * std:.2f}"
    else:
        name, figure, spread = "squared error", f"{mean:.4g}", f"{std:.2g}"
    return {
        name: f"{figure} ± {spread}" if len(result.traces) > 1 else figure,
        "updates": f"{row['updates_mean']:.1f}",
        "queries": f"{row['queries_mean']:.1f}",
        "µs/round": f"{row['us_per_round']:.1f}",
        **{
            name: _figure(row[f"{name}_mean"])
            for name in result.scores[0]
            if not name.endswith("_average")  # there are as many again; --json has them
        },
    }


def _figure(value: float) -> str:
    """A score; one that is not defined, as the AUC of one class, is left out."""
    return "" if math.isnan(value) else f"{value:.4g}"


def _text(value: Any) -> str:
    return "" if value is None else " ".join(str(value).split())
