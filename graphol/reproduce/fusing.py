"""What fusing is worth: an online learner on one graph alone, on layers added up, on them fused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from graphol.api import Vector
from graphol.errors import UsageError
from graphol.interval import paired
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Entry, Experiment, Metric, Row
from graphol.runner import simulate_by
from graphol.simulation import Simulation

ALONE = "citations alone"


@attrs.frozen
class Mixture:
    """What the learner plays on."""

    label: str
    data: str = "{}"
    """The data set with its layers, where {} is the table's."""
    fuser: str | None = None
    """Who weighs them; None: they are added up."""


@attrs.frozen
class FusingTable(Experiment):
    """The same learner in the same shuffles on several mixtures of the layers.

    Everybody learns from every label. The first ``spent`` rounds, whose labels weigh the layers
    where they are weighed, are scored for nobody.
    """

    mixtures: tuple[Mixture, ...] = ()
    """The first one is what others are held against."""
    spent: int = 100

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """A row for every mixture."""
        if desk.task(dataset).graph.features is None:
            raise UsageError(f"{dataset} has no node features to fuse with; try cora or citeseer")
        for mixture in self.mixtures:
            desk.watcher.stage(f"{dataset}: {mixture.label}")
            played = self.play(desk, dataset, mixture)
            entry = self.named(mixture)
            for metric in entry.metrics:
                values = after(played, self.spent, metric)
                trials = tuple(
                    {"repeat": repeat, "measured": value}
                    for repeat, value in zip(played.repeats, values.tolist(), strict=True)
                )
                yield self.cell(dataset, entry, metric, played, values, trials=trials)

    def play(self, desk: Desk, dataset: str, mixture: Mixture) -> Simulation:
        """The games on one mixture."""
        (entry,) = self.entries
        plan = attrs.evolve(desk.plan, fuse=None if mixture.fuser is None else self.spent)
        return simulate_by(
            plan, [entry.learner], desk.arena(mixture.data.format(dataset)),
            embedding=entry.vectors(), fuser=mixture.fuser, watcher=desk.watcher,
        )[0]  # fmt: skip

    def named(self, mixture: Mixture) -> Entry:
        """The learner, and what it plays on."""
        (entry,) = self.entries
        return attrs.evolve(entry, label=f"{entry.label}, {mixture.label}")

    def absent(self, dataset: str, **more: Any) -> Iterator[Row]:
        """The same rows without figures."""
        for entry in map(self.named, self.mixtures):
            for metric in entry.metrics:
                yield self.cell(dataset, entry, metric, None, None, **more)

    def conclusions(self, rows: Sequence[Row]) -> list[str]:
        """What each mixture gains against the first one, repeat by repeat."""
        found = []
        first = self.named(self.mixtures[0]).label
        alone = {row.dataset: row for row in rows if row.learner == first}
        for row in rows:
            if row.learner == first or len(row.trials) < 2:
                continue
            one, other = (
                [trial["measured"] for trial in each.trials] for each in (row, alone[row.dataset])
            )
            gain = paired(one, other)
            verb = "is not told apart from"
            if gain.differs:
                verb = "errs less than on" if gain.mean < 0 else "errs more than on"
            found.append(
                f"{row.dataset}: {row.learner}, {verb} {self.mixtures[0].label}: "
                f"{gain.mean:+.2f} points, 95 % interval {gain.low:+.2f} to {gain.high:+.2f}"
            )
        return found


def after(played: Simulation, spent: int, metric: Metric) -> Vector:
    """The metric over the rounds after the first ``spent`` ones."""
    return metric.of(played) if "fuse" in played.recipe["engine"] else metric.of(cut(played, spent))


def cut(played: Simulation, spent: int) -> Simulation:
    """The same games, of which the first ``spent`` rounds do not count."""
    traces = []
    for trace in played.traces:
        scored = trace.scored.copy()
        scored[:spent] = False
        traces.append(attrs.evolve(trace, scored=scored))
    return attrs.evolve(played, traces=tuple(traces))
