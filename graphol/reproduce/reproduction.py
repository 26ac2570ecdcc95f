"""What came out of a table or figure."""

from __future__ import annotations

import attrs

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

    @property
    def conclusions(self) -> tuple[str, ...]:
        """What the rows say, in sentences, where the experiment has some."""
        return tuple(self.experiment.conclusions(self.rows))
