"""Does a graph that is fused from several layers help those who play on one graph?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Integers, Split, Vector, Wish
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.interval import deviation, paired
from graphol.layers.edges import Layers
from graphol.layers.learning import learn
from graphol.layers.neighbours import nearest_neighbours
from graphol.layers.selection import select
from graphol.registry import registry
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Entry, Experiment, Row
from graphol.reproduce.verdict import NO_FIGURE
from graphol.runner import simulate_by
from graphol.tasks import NodeTask
from graphol.tasks.splits import SplitTask

PER_CLASS = 20
"""Labels of every class that are spent on fusing."""
SELECTED, NEIGHBOURS, MU_0 = 10, 10, 100.0
ALONE = "citation graph alone"


@attrs.frozen
class Mixture:
    """Which layers beside the citations, and whether their weights are learned."""

    label: str
    stars: bool = False
    """Of the features that the labels select."""
    neighbours: bool = False
    """Edges to nodes with similar features."""
    learned: bool = True
    """Or all of weight 1."""

    def fused(self, task: NodeTask, near: Graph, nodes: Integers) -> NodeTask:
        """The task on one graph, in which centres of stars are nodes without a label."""
        graph = task.graph
        if not (self.stars or self.neighbours):
            return task
        assert graph.labels is not None and graph.features is not None
        labels, graphs = graph.labels[nodes], [graph, near] if self.neighbours else [graph]
        X, none = graph.features, np.zeros(0, dtype=np.int64)
        chosen = select(X[nodes], labels, SELECTED) if self.stars else none
        layers = Layers.of(graphs, X, chosen)
        alpha = np.ones(len(layers))
        if self.learned:
            solver = registry().make("solver", "auto")
            alpha = learn(layers, nodes, labels, MU_0, solver, np.random.default_rng(0)).alpha
        return attrs.evolve(task, graphs=(joined(layers, alpha, graph),), split=None)


def joined(layers: Layers, alpha: Vector, graph: Graph) -> Graph:
    """The weighted sum of the layers; further vertices have no label."""
    from scipy.sparse import csr_array

    u, v = layers.u, layers.v
    weights = alpha[layers.layer] * layers.w
    held, n = weights > 0, layers.vertices
    both = csr_array((weights[held], (u[held], v[held])), shape=(n, n))
    assert graph.labels is not None
    return Graph(
        csr_array(both + both.T),
        labels=np.concatenate([graph.labels, np.full(n - graph.n, -1)]),
        label_names=graph.label_names,
        name=graph.name,
    )


@attrs.frozen
class FusingTable(Experiment):
    """The same learner on the citations alone and on fused graphs, asked the same nodes."""

    mixtures: tuple[Mixture, ...] = ()

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """A row for every mixture; the labels that were spent are learned, and not scored."""
        task = desk.task(dataset)
        if task.graph.features is None:
            raise UsageError(f"{dataset} has no node features to fuse with; try cora or citeseer")
        near = Graph(nearest_neighbours(task.graph.features, NEIGHBOURS), name="nearest neighbours")
        (entry,) = self.entries
        trials: dict[str, list[dict[str, Any]]] = {}
        for number, repeat in enumerate(desk.plan.repeats, start=1):
            desk.watcher.stage(f"{dataset}, repeat {number} of {len(desk.plan.repeats)}")
            rng = seeding.fresh_data(desk.plan.seed, repeat)
            spent, _, rest = task.drawn(Wish(per_class=PER_CLASS), rng)
            split = Split(spent, spent[:0], rest)
            for mixture in self.mixtures:
                made = mixture.fused(task, near, np.sort(spent))
                error = self.error(desk, entry, SplitTask(made, split), repeat)
                one = {"repeat": repeat, "measured": error, "spent": len(spent)}
                trials.setdefault(mixture.label, []).append(one)
        for label, each in trials.items():
            yield self.row_of(desk, dataset, label, each)

    def error(self, desk: Desk, entry: Entry, game: SplitTask, repeat: int) -> float:
        """In per cent, over the rounds after those of the labels that were spent."""
        plan = attrs.evolve(desk.plan, repeats=range(repeat, repeat + 1), jobs=1)
        (played,) = simulate_by(
            plan, [entry.learner], game, embedding=entry.vectors(), watcher=desk.watcher
        )
        return 100 * float(played.traces[0].loss[len(game.split.train) :].mean())

    def row_of(self, desk: Desk, dataset: str, label: str, trials: Sequence[dict[str, Any]]) -> Row:
        """The mean over the repeats."""
        values, (entry,) = np.array([trial["measured"] for trial in trials]), self.entries
        command = shlex.join(
            ["graphol", "reproduce", self.name, "--datasets", dataset,
             "--repeats", desk.plan.which, "--seed", str(desk.plan.seed)]
        )  # fmt: skip
        return Row(
            table=self.name, dataset=dataset, learner=f"{entry.label}, {label}",
            metric="error_percent", paper=None, paper_std=None,
            measured=float(values.mean()), std=deviation(values), verdict=NO_FIGURE,
            params={"spent": trials[0]["spent"]}, embedding=entry.embedding, feedback="full",
            repeats=len(values), command=command, trials=tuple(trials),
        )  # fmt: skip

    def absent(self, dataset: str, **more: Any) -> Iterator[Row]:
        """The same rows without figures."""
        (entry,) = self.entries
        for mixture in self.mixtures:
            named = attrs.evolve(entry, label=f"{entry.label}, {mixture.label}")
            (metric,) = entry.metrics
            yield self.cell(dataset, named, metric, None, None)

    def conclusions(self, rows: Sequence[Row]) -> list[str]:
        """What each mixture gains against the citations alone, repeat by repeat."""
        found = []
        for row in rows:
            if row.learner.endswith(ALONE):
                alone = row
            elif row.measured is not None and len(row.trials) > 1:
                one, other = ([t["measured"] for t in each.trials] for each in (row, alone))
                gain = paired(one, other)
                verb = "is not told apart from"
                if gain.differs:
                    verb = "errs less than" if gain.mean < 0 else "errs more than"
                found.append(
                    f"{row.dataset}: {row.learner} {verb} the {ALONE}: {gain.mean:+.2f} points, "
                    f"95 % of {gain.low:+.2f} to {gain.high:+.2f}"
                )
        return found
