"""Figures: something measured against a parameter, the rank, the rounds or the labels bought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.command import command
from graphol.params import describe
from graphol.registry import registry
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Entry, Experiment, Metric, Row
from graphol.reproduce.published import Cell
from graphol.reproduce.verdict import DRAWN, NO_FIGURE
from graphol.simulation import Simulation

CHECKPOINTS = 20
QUICK_RANK = 250
"""The largest rank of a quick run; a round costs the square of it."""


@attrs.frozen
class Point(Row):
    """One point of a curve: where on which axis, beside the keys of a table's cell."""

    x: str = ""
    at: float | None = None

    @property
    def place(self) -> tuple[Any, ...]:
        """Which point of which curve it is."""
        return *super().place, self.at


@attrs.frozen
class Figure(Experiment):
    """A figure; its points come out as rows and are drawn from them."""

    row: ClassVar[type[Row]] = Point
    axis: ClassVar[str] = ""
    log: ClassVar[bool] = True

    def absent(self, dataset: str, **more: Any) -> Iterator[Row]:
        """One row per curve, without figures."""
        yield from super().absent(dataset, x=self.axis, **more)

    def verdict(
        self, dataset: str, metric: Metric, measured: float | None, paper: Cell | None
    ) -> str:
        """What a point is called: on the paper's own data there is a curve, without numbers."""
        said = super().verdict(dataset, metric, measured, paper)
        return DRAWN if said == NO_FIGURE and dataset in self.datasets else said

    def points(self, dataset: str, entry: Entry, played: Simulation, at: float) -> Iterator[Row]:
        """One row per metric, at one place of the axis."""
        for metric in entry.metrics:
            yield self.cell(dataset, entry, metric, played, metric.of(played), x=self.axis, at=at)

    def draw(self, rows: Sequence[Row], path: Path, *, force: bool = False) -> None:
        """The figure as a picture, from its rows."""
        from graphol.reproduce.curves import draw_curves

        draw_curves(self, rows, path, force=force)


@attrs.frozen
class AgainstPhi(Figure):
    """Metrics against the learners' parameter ``phi``; who has none is tuned and the same at all.

    Of those who have it nothing is tuned.
    """

    values: tuple[float, ...] = ()
    axis: ClassVar[str] = "phi"

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per entry, value and metric."""
        for entry, learner, vectors in self.tuned(desk, dataset):
            level = None if "phi" in describe(learner) else desk.score(dataset, learner, vectors)
            for phi in desk.thin(self.values):
                at = level or desk.score(dataset, entry.player(dataset, phi=phi), vectors)
                yield from self.points(dataset, entry, at, phi)


@attrs.frozen
class AgainstRank(Figure):
    """Metrics against the number d of eigenvectors; tuned anew at every d."""

    values: tuple[int, ...] = ()
    axis: ClassVar[str] = "d"

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per rank, entry and metric."""
        low = [dim for dim in self.values if dim <= QUICK_RANK]
        for dim in desk.thin(low if desk.quick and low else self.values):
            for entry, learner, vectors in self.tuned(desk, dataset, dim):
                yield from self.points(dataset, entry, desk.score(dataset, learner, vectors), dim)


@attrs.frozen
class OverRounds(Figure):
    """Metrics of the first rounds against their number: each beginning is a game of its own.

    So a clock runs for every point, and a point's command plays exactly what was measured.
    """

    axis: ClassVar[str] = "round"
    log: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per entry, checkpoint and metric."""
        rounds = len(desk.task(dataset).stream(np.random.default_rng(0)).truth)
        for entry, learner, vectors in self.tuned(desk, dataset):
            for at in checkpoints(rounds):
                played = desk.score(dataset, learner, vectors, rounds=at)
                yield from self.points(dataset, entry, played, at)


def checkpoints(rounds: int, many: int = CHECKPOINTS) -> list[int]:
    """Rounds of a game, evenly spaced, up to which its losses are counted."""
    spaced = np.linspace(rounds / many, rounds, many).astype(int)
    return [int(at) for at in np.unique(spaced) if at > 0]


def up_to(played: Simulation, rounds: int) -> str | None:
    """The command for the first rounds alone."""
    engine = played.recipe["engine"] | {"rounds": rounds}
    return command(played.recipe | {"engine": engine}, registry().files)


@attrs.frozen
class AgainstQueries(Figure):
    """The error rate against labels bought: chosen by the last entry, or by chance.

    The last entry runs through ``kappa``; for every value the others play under ``random-query``
    with the probability that gives them as many labels.
    """

    values: tuple[float, ...] = ()
    axis: ClassVar[str] = "queries"
    log: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per kappa and entry."""
        *passive, (selective, active, vectors) = self.tuned(desk, dataset)
        for kappa in desk.thin(self.values):
            asking: Any = active
            asked = desk.score(dataset, attrs.evolve(asking, kappa=kappa), vectors)
            p = float(np.mean(asked.queries)) / len(asked.traces[0])
            coin = registry().make("feedback", f"random-query:p={p!r}")
            games = [(selective, asked)]
            for entry, learner, own in passive:
                label = f"{entry.label} + random-query"
                tossed = desk.score(dataset, learner, own, coin)
                games.append((attrs.evolve(entry, label=label), tossed))
            for entry, played in games:
                at = float(np.mean(played.queries))
                yield from self.points(dataset, entry, played, at)

    def absent(self, dataset: str, **more: Any) -> Iterator[Row]:
        """One row per curve, without figures."""
        *passive, selective = self.entries
        tossed = (attrs.evolve(e, label=f"{e.label} + random-query") for e in passive)
        shown = attrs.evolve(self, entries=(selective, *tossed))
        yield from super(AgainstQueries, shown).absent(dataset, **more)
