"""Tables over games on a split of the nodes: seeds in one go, test nodes asked, rows quoted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Vector
from graphol.datasets.stored import Stored
from graphol.errors import GrapholError, InputError, UsageError
from graphol.registry import registry
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Entry, Experiment, Metric, Row
from graphol.reproduce.published import Cell
from graphol.reproduce.verdict import QUOTED, Tolerance
from graphol.runner import simulate_by
from graphol.simulation import Simulation

FIXED = "seeds:split=fixed"
DRAWN = "seeds:per_class=20,validation=500,test=1000"

POINT = Tolerance(absolute=1.0, better="higher")
"""Less than the standard error of an accuracy on 1000 nodes."""


def seconds(played: Simulation) -> Vector:
    """Seconds of fitting and predicting in every repeat."""
    return played.each(lambda trace: trace.us_per_round * len(trace) / 1e6)


def known(played: Simulation) -> Vector:
    """Accuracy over known nodes, in per cent; where none is known, over all of them."""
    share = played.each(lambda trace: 1 - trace.known_error_rate)
    return 100 * np.where(np.isnan(share), 1 - played.error_rates, share)


def weight_ratio(played: Simulation) -> Vector:
    """The largest weight of a layer, divided by the smallest."""
    weights = [[*trace.meta["layer_weights"].values()] for trace in played.traces]
    return np.array([max(each) / min(each) for each in weights])


ACCURACY = Metric("accuracy_percent", lambda played: 100 * (1 - played.error_rates), POINT)
KNOWN = Metric("known_accuracy_percent", known)
SHARE = Metric("known_percent", lambda played: 100 * played.each(lambda trace: trace.known_share))
SECONDS = Metric("seconds", seconds, None)
RATIO = Metric("weight_ratio", weight_ratio)


def whole(dataset: str) -> str:
    """The data set with all its nodes, unless it says itself which: a split is one of all nodes.

    >>> whole("cora"), whole("cora:component=largest"), whole("sbm")
    ('cora:component=all', 'cora:component=largest', 'sbm')
    """
    made = registry().make("dataset", dataset)
    if not isinstance(made, Stored) or "component=" in dataset:
        return dataset
    return f"{dataset}{',' if ':' in dataset else ':'}component=all"


def entry(learner: str, label: str = "", *metrics: Metric) -> Entry:
    """A learner that is shown the graph itself."""
    return Entry(learner, "", metrics or (ACCURACY, KNOWN, SHARE), label or learner)


@attrs.frozen
class SplitTable(Experiment):
    """Every entry on the same splits; printed rows that no entry plays are quoted."""

    feedback: str = FIXED
    published: Mapping[str, Mapping[str, Cell]] = {}
    """By row and data set."""

    def missing(self, desk: Desk, dataset: str) -> str:
        """Why a data set is not there, or ''."""
        return super().missing(desk, whole(dataset)).replace(whole(dataset), dataset, 1)

    def paper(self, dataset: str, entry: Entry, metric: Metric) -> Cell | None:
        """The published accuracy, where it is known."""
        if metric.name != ACCURACY.name:
            return None
        return self.published.get(entry.label, {}).get(dataset)

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """What is quoted, then one row per entry and metric."""
        yield from self.quoted(dataset)
        reasons: list[GrapholError] = []
        for entry in self.entries:
            desk.watcher.stage(f"{dataset}: {entry.label}")
            try:
                played = self.play(desk, dataset, entry)
            except (UsageError, InputError) as reason:
                if dataset in self.datasets or len(reasons) + 1 == len(self.entries):
                    raise
                reasons.append(reason)
                desk.notes.append(f"{dataset}: {entry.label} is left out: {reason}")
                continue
            for metric in entry.metrics:
                yield self.cell(dataset, entry, metric, played, metric.of(played))
        yield from self.further(desk, dataset)

    def further(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """Rows beside those of the entries."""
        return iter(())

    def play(self, desk: Desk, dataset: str, entry: Entry) -> Simulation:
        """The games of one entry."""
        return simulate_by(
            desk.plan, [entry.learner], desk.arena(whole(dataset)),
            feedback=self.feedback, watcher=desk.watcher,
        )[0]  # fmt: skip

    def absent(self, dataset: str, **more: Any) -> Iterator[Row]:
        """The same rows without figures."""
        yield from self.quoted(dataset)
        yield from super().absent(dataset, **more)

    def quoted(self, dataset: str) -> Iterator[Row]:
        """Printed rows that no entry plays."""
        played = {entry.label for entry in self.entries}
        for label, cells in self.published.items():
            if label not in played and dataset in cells:
                row = self.cell(dataset, entry(label), ACCURACY, None, None)
                yield attrs.evolve(row, verdict=QUOTED)

    def conclusions(self, rows: Sequence[Row]) -> list[str]:
        """Which of the learners that the paper does not have are above every printed row."""
        found = []
        for dataset in dict.fromkeys(row.dataset for row in rows):
            mine = [row for row in rows if (row.dataset, row.metric) == (dataset, ACCURACY.name)]
            printed = {row.learner: row.paper for row in mine if row.paper is not None}
            ours = [row for row in mine if row.learner not in self.published and row.measured]
            if not printed or not ours:
                continue
            best = max(printed, key=lambda label: printed[label])
            for row in ours:
                assert row.measured is not None
                ahead = row.measured - printed[best]
                where = "above every printed row" if ahead > 0 else "not above every printed row"
                found.append(
                    f"{dataset}: {row.learner} is {where}: {row.measured:.1f}, the highest is "
                    f"{best} with {printed[best]:.1f}"
                )
        return found


@attrs.frozen
class FixedSplit(SplitTable):
    """A table on the split that came with the data: one game each."""

    usual_repeats: ClassVar[int] = 1


@attrs.frozen
class DrawnSplits(SplitTable):
    """A table on splits that are drawn: a game on each."""

    feedback: str = DRAWN
    spread: tuple[str, ...] = ()
    """One learner with several values of a parameter, whose weights of the layers are compared."""
    usual_repeats: ClassVar[int] = 10
    quick_repeats: ClassVar[int] = 1

    def further(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """The largest ratio of two weights, over all layers and values, in every repeat."""
        if not self.spread:
            return
        games = []
        for learner in desk.thin(self.spread):
            desk.watcher.stage(f"{dataset}: {learner}")
            games.append(self.play(desk, dataset, entry(learner)))
        values = np.max([weight_ratio(played) for played in games], axis=0)
        (first, last), name = self.spread[:: len(self.spread) - 1], self.spread[0].partition(":")[0]
        label = f"{name}, {first.rpartition(',')[2]} to {last.rpartition('=')[2]}"
        yield self.cell(dataset, entry(label), RATIO, games[-1], values)

    def conclusions(self, rows: Sequence[Row]) -> list[str]:
        """As of other tables, and whether all weights are the same."""
        found = super().conclusions(rows)
        for row in rows:
            if row.metric == RATIO.name and row.measured is not None:
                percent = 100 * (row.measured - 1)
                within = "within" if percent <= 1 else "not within"
                found.append(
                    f"{row.dataset}: the weights of {row.learner} are {within} 1 % of each other: "
                    f"{percent:.2g} %, mean over the splits of the largest difference"
                )
        return found
