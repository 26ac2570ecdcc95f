"""Figures: something measured against a parameter, the rank, the rounds or the labels bought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.command import command
from graphol.registry import registry
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Entry, Experiment, Row
from graphol.simulation import Simulation

CHECKPOINTS = 20


@attrs.frozen
class Point(Row):
    """One point of a curve: where on which axis, beside the keys of a table's cell."""

    x: str = ""
    at: float | None = None


@attrs.frozen
class Figure(Experiment):
    """A figure; its points come out as rows and are drawn from them."""

    row: ClassVar[type[Row]] = Point
    axis: ClassVar[str] = ""
    log: ClassVar[bool] = True

    def absent(self, dataset: str, **more: Any) -> Iterator[Row]:
        """One row per curve, without figures."""
        yield from super().absent(dataset, x=self.axis, **more)

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
    """Metrics against the learners' parameter ``phi``; nothing is tuned."""

    values: tuple[float, ...] = ()
    axis: ClassVar[str] = "phi"

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per entry, value and metric."""
        for entry in self.entries:
            for phi in desk.thin(self.values):
                played = desk.score(dataset, entry.player(dataset, phi=phi), entry.vectors())
                yield from self.points(dataset, entry, played, phi)


@attrs.frozen
class AgainstRank(Figure):
    """Metrics against the number d of eigenvectors; tuned anew at every d."""

    values: tuple[int, ...] = ()
    axis: ClassVar[str] = "d"

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per rank, entry and metric."""
        for dim in desk.thin(self.values):
            for entry, learner, vectors in self.tuned(desk, dataset, dim):
                yield from self.points(dataset, entry, desk.score(dataset, learner, vectors), dim)


@attrs.frozen
class OverRounds(Figure):
    """The error rate up to a round against the round."""

    axis: ClassVar[str] = "round"
    log: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per entry and checkpoint."""
        for entry, learner, vectors in self.tuned(desk, dataset):
            played = desk.score(dataset, learner, vectors)
            for at in checkpoints(len(played.traces[0])):
                values = played.each(lambda trace, at=at: float(trace.loss[:at].mean()))  # type: ignore[misc]
                yield self.cell(
                    dataset, entry, entry.metrics[0], played, values, x=self.axis, at=at,
                    command=up_to(played, at),
                )  # fmt: skip


def checkpoints(rounds: int) -> list[int]:
    """Rounds of a game, evenly spaced, up to which its losses are counted."""
    spaced = np.linspace(rounds / CHECKPOINTS, rounds, CHECKPOINTS).astype(int)
    return [int(at) for at in np.unique(spaced) if at > 0]


def up_to(played: Simulation, rounds: int) -> str | None:
    """The command for the first rounds alone."""
    engine = played.recipe["engine"] | {"rounds": rounds}
    return command(played.recipe | {"engine": engine}, registry().files)


@attrs.frozen
class AgainstQueries(Figure):
    """The error rate against labels bought: chosen by the second entry, or by chance.

    The second entry runs through ``kappa``; for every value the first one, of the same ridge, plays
    under ``random-query`` with the probability that gives it as many labels.
    """

    values: tuple[float, ...] = ()
    axis: ClassVar[str] = "queries"
    log: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """Two points per kappa."""
        (_, passive, vectors), (selective, active, _) = self.tuned(desk, dataset)
        chance = attrs.evolve(selective, label=f"{passive.name} + random-query")
        for kappa in desk.thin(self.values):
            asking: Any = active
            asking = attrs.evolve(asking, kappa=kappa)
            asked = desk.score(dataset, asking, vectors)
            p = float(np.mean(asked.queries)) / len(asked.traces[0])
            coin = registry().make("feedback", f"random-query:p={p!r}")
            tossed = desk.score(dataset, passive, vectors, coin)
            for entry, played in ((selective, asked), (chance, tossed)):
                at = float(np.mean(played.queries))
                yield from self.points(dataset, entry, played, at)
