"""What came out of a table or figure."""

from __future__ import annotations

from typing import Any

import attrs

from graphol.notebook import frame_of_rows, html_table
from graphol.report.table import filled
from graphol.reproduce.experiment import Experiment, Row
from graphol.sweep.store import Failure


@attrs.frozen
class Reproduction:
    """The rows of a table or figure, and what to know about them."""

    experiment: Experiment
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    """What was left out, and why."""
    failures: tuple[Failure, ...] = ()
    """Parts that failed, where it was played in parts."""

    def to_frame(self) -> Any:
        """The rows as a frame of pandas or polars."""
        return frame_of_rows([row.as_dict() for row in self.rows])

    def _repr_html_(self) -> str:
        """The table, as a notebook shows it."""
        rows = [row.as_dict() for row in self.rows]
        return html_table(
            filled(rows, self.experiment.columns(self.rows)), (*self.conclusions, *self.notes)
        )

    @property
    def conclusions(self) -> tuple[str, ...]:
        """What the rows say, in sentences, where the experiment has some."""
        return tuple(self.experiment.conclusions(self.rows))
