"""A table: every entry tuned, played and set beside what the paper printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Entry, Experiment, Metric, Row


@attrs.frozen
class PrintedTable(Experiment):
    """A table with the cells that the paper printed, as far as they are known here."""

    published: Mapping[str, Mapping[str, Mapping[str, float]]] = {}
    """Metric, then entry's label, then data set."""

    def paper(self, dataset: str, entry: Entry, metric: Metric) -> float | None:
        """The published figure, where it is known."""
        return self.published.get(metric.name, {}).get(entry.label, {}).get(dataset)

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One row per entry and metric."""
        for entry, learner, vectors in self.tuned(desk, dataset):
            played = desk.score(dataset, learner, vectors)
            for metric in entry.metrics:
                yield self.cell(dataset, entry, metric, played, metric.of(played))
