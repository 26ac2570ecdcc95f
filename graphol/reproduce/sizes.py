"""How large are the data: what a paper says of its own beside what is played here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import attrs

from graphol.errors import UsageError
from graphol.layers.selection import select
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Experiment, Row
from graphol.reproduce.published import Cell
from graphol.reproduce.splits import whole
from graphol.reproduce.verdict import DIFFERS, NO_DATA, NO_FIGURE, REPRODUCED
from graphol.tasks import NodeTask

METRICS = ("instances", "citations", "features", "feature_edges", "seeds")
SELECTED = 10
"""Features that the seeds of the fixed split select."""


@attrs.frozen
class Sizes(Experiment):
    """A table of counts; nothing is played."""

    published: Mapping[str, Mapping[str, Cell]] = {}
    """By count and data set."""
    usual_repeats: ClassVar[int] = 1

    def missing(self, desk: Desk, dataset: str) -> str:
        """Why a data set is not there, or ''."""
        return super().missing(desk, whole(dataset)).replace(whole(dataset), dataset, 1)

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One row per count."""
        for metric, count in sizes(desk.task(whole(dataset))).items():
            yield self.count(dataset, metric, count)

    def absent(self, dataset: str, **more: object) -> Iterator[Row]:
        """The same rows without figures."""
        for metric in METRICS:
            yield self.count(dataset, metric, None)

    def count(self, dataset: str, metric: str, found: int | None) -> Row:
        """One row; a count is the same or it is not."""
        paper = self.published.get(metric, {}).get(dataset)
        if found is None:
            said = NO_DATA
        elif paper is None:
            said = NO_FIGURE
        else:
            said = REPRODUCED if found == paper.value else DIFFERS
        return Row(
            table=self.name, dataset=dataset, learner="", metric=metric,
            paper=None if paper is None else paper.value, paper_std=None,
            measured=None if found is None else float(found), std=0.0, verdict=said,
            params=None, embedding="", feedback=None, repeats=0 if found is None else 1,
            command=None,
        )  # fmt: skip


def sizes(task: NodeTask) -> dict[str, int]:
    """Nodes, edges, the features that the seeds select, their edges, and seeds."""
    graph, split = task.graph, task.split
    if split is None or graph.features is None or graph.labels is None:
        raise UsageError(
            f"{task.name} has no fixed split or no features to select from; try cora, citeseer"
        )
    chosen = select(graph.features[split.train], graph.labels[split.train], SELECTED)
    counts = (
        graph.n, graph.n_edges, len(chosen), graph.features[:, chosen].count_nonzero(),
        len(split.train),
    )  # fmt: skip
    return dict(zip(METRICS, map(int, counts), strict=True))
