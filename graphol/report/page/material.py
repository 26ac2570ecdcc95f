"""What a page is made of, worked out once for the page, its figures and the printed table."""

from __future__ import annotations

from functools import cached_property
from importlib.metadata import version as version_of

import attrs

from graphol.interval import CONFIDENCE
from graphol.report.board import Standings, standings
from graphol.report.cast import Entry, cast
from graphol.report.gather import Gathered
from graphol.report.page import figures
from graphol.report.page.look import looks
from graphol.report.page.panel import Drawing
from graphol.report.sensitivity import Sensitivity, sensitivities

COSTS = ("queries", "updates", "us_per_round")


@attrs.frozen(eq=False, slots=False)
class Material:
    """Results and what was asked for."""

    gathered: Gathered
    against: str | None = None
    """The reference by its label or name."""
    confidence: float = CONFIDENCE
    command: str = ""
    """That makes this page again."""
    title: str = "graphol report"

    @property
    def version(self) -> str:
        """Of graphol."""
        return version_of("graphol")

    @cached_property
    def _cast(self) -> tuple[list[Entry], int]:
        return cast(self.gathered.outcomes)

    @property
    def entries(self) -> list[Entry]:
        """The outcomes with their names."""
        return self._cast[0]

    @property
    def twice(self) -> int:
        """Outcomes that are there twice, of which the first counts."""
        return self._cast[1]

    @cached_property
    def standings(self) -> Standings:
        """The leaderboards."""
        return standings(self.entries, self.against, self.confidence)

    @cached_property
    def sensitivities(self) -> tuple[Sensitivity, ...]:
        """Parameters that vary."""
        return sensitivities(self.entries, self.confidence)

    @cached_property
    def shown(self) -> figures.Shown:
        """What the figures are drawn of."""
        boards = self.standings.boards
        learners = {entry.player: entry.learner for entry in self.entries}
        return figures.Shown(self.entries, boards, looks(self.entries), learners, self.confidence)

    @cached_property
    def _drawn(self) -> dict[str, list[Drawing]]:
        found = {
            "ranks": [
                drawing
                for series in self.standings.series
                if (drawing := figures.ranks(self.shown, series)) is not None
            ],
            "curves": [*figures.curves(self.shown)],
        }
        found |= {what: [*figures.fronts(self.shown, what)] for what in COSTS}
        for each in self.sensitivities:
            found[f"over {each.parameter}"] = [*figures.sensitivity(self.shown, each)]
        return found

    def drawings(self) -> dict[str, list[Drawing]]:
        """All figures, by what they show."""
        return self._drawn
