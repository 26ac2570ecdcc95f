"""Figures: something measured against a parameter, the rank, the rounds or the labels bought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.registry import registry
from graphol.reproduce.desk import Desk, Setup
from graphol.reproduce.experiment import Experiment, Row


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

    def draw(self, rows: Sequence[Row], path: Path, *, force: bool = False) -> None:
        """The figure as a picture, from its rows."""
        from graphol.reproduce.draw import draw

        draw(self, rows, path, force=force)


@attrs.frozen
class AgainstPhi(Figure):
    """Metrics against the learners' parameter ``phi``; nothing is tuned."""

    values: tuple[float, ...] = ()
    axis: ClassVar[str] = "phi"

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per entry, value and metric."""
        for entry in self.entries:
            for phi in desk.thin(self.values):
                setup = Setup(entry.player(dataset, phi=phi), entry.vectors(), self.games)
                scores = desk.score(dataset, setup)
                for metric in entry.metrics:
                    values = metric.of(scores)
                    yield self.cell(dataset, entry, metric, setup, values, x=self.axis, at=phi)


@attrs.frozen
class AgainstRank(Figure):
    """Metrics against the number d of eigenvectors; tuned anew at every d."""

    values: tuple[int, ...] = ()
    axis: ClassVar[str] = "d"

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per rank, entry and metric."""
        for dim in desk.thin(self.values):
            for entry, setup in self.setups(desk, dataset, dim):
                scores = desk.score(dataset, setup)
                for metric in entry.metrics:
                    values = metric.of(scores)
                    yield self.cell(dataset, entry, metric, setup, values, x=self.axis, at=dim)


@attrs.frozen
class OverRounds(Figure):
    """The error rate up to a round against the round."""

    axis: ClassVar[str] = "round"
    log: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per entry and checkpoint."""
        for entry, setup in self.setups(desk, dataset):
            scores = desk.score(dataset, setup)
            for at, values in zip(scores.checkpoints, scores.curve.T, strict=True):
                yield self.cell(
                    dataset, entry, entry.metrics[0], setup, values, x=self.axis, at=int(at)
                )


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
        (_, passive), (selective, active) = self.setups(desk, dataset)
        chance = attrs.evolve(selective, label=f"{passive.learner.name} + random-query")
        metric = selective.metrics[0]
        for kappa in desk.thin(self.values):
            learner: Any = active.learner
            asking = attrs.evolve(active, learner=attrs.evolve(learner, kappa=kappa))
            scores = desk.score(dataset, asking)
            p = float(np.mean(scores.queries)) / scores.rounds
            tossing = attrs.evolve(passive, feedback=registry().make("feedback", _random(p)))
            for entry, setup, got in (
                (selective, asking, scores),
                (chance, tossing, desk.score(dataset, tossing)),
            ):
                at = float(np.mean(got.queries))
                values = metric.of(got)
                yield self.cell(dataset, entry, metric, setup, values, x=self.axis, at=at)


def _random(p: float) -> str:
    return f"random-query:p={p!r}"
