"""A column of a table: JSON key, heading, unit, format. It needs nothing but Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

JsonRow = Mapping[str, Any]


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
            return " ".join(str(value).split())
        text = format(self.scale * value, self.form)
        if self.spread and row["repeats"] > 1:
            text += f" ± {self.scale * row[self.spread]:{self.spread_form or self.form}}"
        return text
