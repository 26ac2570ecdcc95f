"""Games of nodes of a labelled graph, and of signals over a graph."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np

from graphol.api import (
    Features,
    Integers,
    Learner,
    Linear,
    Matrix,
    Problem,
    Split,
    State,
    Stream,
    Target,
    Vector,
    Wish,
)
from graphol.errors import InputError, UsageError
from graphol.graph import Graph
from graphol.tasks.layers import summed
from graphol.tasks.scores import Held, held_out_scores, support_scores
from graphol.tasks.splits import check_split, draw_split

LARGEST_NUMBER = 1e100
"""Numbers in samples and targets; the square of a larger one is soon out of range."""


def _check_sizes(values: Matrix | Vector, name: str) -> None:
    if not np.isfinite(values).all():
        raise InputError(f"{name}: samples or targets hold NaN or infinity")
    most = float(np.abs(values).max(initial=0.0))
    if most > LARGEST_NUMBER:
        raise InputError(
            f"{name}: {most:g} among samples or targets is too large; "
            f"rescale all to below {LARGEST_NUMBER:g}"
        )


def _cut(graph: Graph, nodes: Integers) -> Graph:
    return graph.subgraph(nodes).noted(
        f"{graph.n - len(nodes)} node(s) left out: {len(nodes)} kept"
    )


@attrs.frozen(eq=False)
class NodeTask:
    """Predict the classes of a graph's labelled nodes, in random order.

    ``graphs`` may hold several layers, graphs over the same nodes; labels and node features are
    those of the first. Whoever knows one graph only, an embedding too, gets their sum. ``split`` is
    the one that came with the data, if any did; who plays it, the protocol decides.
    """

    graphs: tuple[Graph, ...]
    name: str
    features: Features | None = None
    target: Target = "classes"
    split: Split | None = None

    def __attrs_post_init__(self) -> None:
        labels = self.graph.labels
        if labels is None:
            raise InputError(f"{self.name} has no labels to predict; give some with --labels FILE")
        present = np.unique(labels[labels >= 0])
        if len(present) < 2:
            cut = next((f" ({note})" for note in self.graph.notes if "left out" in note), "")
            raise InputError(
                f"{self.name} has {len(present)} class(es) among its labelled nodes{cut}; "
                "a game needs at least 2"
            )
        if any(graph.ids != self.graphs[0].ids for graph in self.graphs):
            raise InputError(f"{self.name}: its graphs are not over the same nodes")
        if self.split is not None:
            check_split(self.split, labels, self.name)

    @functools.cached_property
    def graph(self) -> Graph:
        """The only graph, or the sum of all; it carries the labels."""
        return self.graphs[0] if len(self.graphs) == 1 else summed(self.graphs, self.name)

    @property
    def hashes(self) -> dict[str, str]:
        """What the game is made of beside ``graph``."""
        if len(self.graphs) == 1:
            return {}
        every = repr([(graph.name, graph.hash) for graph in self.graphs])
        return {"layers_hash": hashlib.sha256(every.encode()).hexdigest()[:16]}

    def part(self, nodes: Integers) -> NodeTask:
        """The task on these nodes alone, without features; a split is one of all nodes."""
        graphs = tuple(_cut(graph, nodes) for graph in self.graphs)
        return attrs.evolve(self, graphs=graphs, features=None, split=None)

    def drawn(self, wish: Wish, rng: np.random.Generator) -> Split:
        """The split that came with the data, or one that is drawn."""
        labels = self.graph.labels
        assert labels is not None
        if not wish.fixed:
            return draw_split(wish, labels, self.graph.label_names, self.name, rng)
        if self.split is None:
            raise UsageError(
                f"{self.name} has no split of the nodes that are played; if its file has one, it "
                "is of all nodes: --component all; or draw one: seeds:per_class=20"
            )
        return self.split

    def embedded(self, embed: Callable[[Graph], Features]) -> NodeTask:
        """This task with ``embed(graph)`` as the nodes' features."""
        return attrs.evolve(self, features=embed(self.graph))

    def problem(self, rng: np.random.Generator) -> Problem:
        """K classes; the whole graph is known, its labels are not."""
        rows = None if self.features is None else self.features.rows
        return Problem(
            target="classes",
            n_classes=self.graph.n_classes,
            dim=0 if rows is None else rows.shape[1],
            rng=rng,
            graph=self.graph.unlabelled,
            features=self.features,
            graphs=tuple(graph.unlabelled for graph in self.graphs),
        )

    def stream(self, rng: np.random.Generator) -> Stream:
        """Every labelled node once, shuffled by ``rng``."""
        assert self.graph.labels is not None
        order = rng.permutation(np.flatnonzero(self.graph.labels >= 0))
        rows = None if self.features is None else self.features.rows
        return Stream(truth=self.graph.labels[order], node=order, row=order, rows=rows)

    def score(self, learner: Learner, state: State, trace: Any) -> Mapping[str, float]:
        """Nothing beside the error rate."""
        return {}


@attrs.frozen(eq=False)
class OneVsRest:
    """A node task made binary: is the node of class ``k`` (+1) or not (-1)?

    It asks the same nodes in the same order as the task it is made of.
    """

    task: NodeTask
    k: int
    target: Target = "signs"

    def __attrs_post_init__(self) -> None:
        if not 0 <= self.k < self.task.graph.n_classes:
            raise UsageError(f"{self.task.name} has no class {self.k}")

    @property
    def name(self) -> str:
        """The task's name and the class."""
        return f"{self.task.name}: {self.graph.label_names[self.k]}"

    @property
    def graph(self) -> Graph:
        """The task's graph."""
        return self.task.graph

    def embedded(self, embed: Callable[[Graph], Features]) -> OneVsRest:
        """This task with ``embed(graph)`` as the nodes' features."""
        return attrs.evolve(self, task=self.task.embedded(embed))

    def drawn(self, wish: Wish, rng: np.random.Generator) -> Split:
        """The task's."""
        return self.task.drawn(wish, rng)

    def problem(self, rng: np.random.Generator) -> Problem:
        """As the task's, with signs for classes."""
        return attrs.evolve(self.task.problem(rng), target="signs", n_classes=None)

    def stream(self, rng: np.random.Generator) -> Stream:
        """The task's order."""
        stream = self.task.stream(rng)
        return attrs.evolve(stream, truth=np.where(stream.truth == self.k, 1, -1))

    def score(self, learner: Learner, state: State, trace: Any) -> Mapping[str, float]:
        """Nothing beside the error rate."""
        return {}


@attrs.frozen(eq=False)
class SignalTask:
    """Predict a sign or a number from a signal x_t in R^p over the graph's p nodes.

    ``support`` lists the nodes that truly matter, where they are known. ``validation`` and ``test``
    hold samples that are never played: a linear model is scored on ``test``, and tuned on
    ``validation`` by whoever tunes. ``given_order`` plays the samples as they are, not shuffled.
    """

    graph: Graph
    samples: Matrix  # (N, p)
    truth: Vector  # (N,)
    name: str
    target: Target = "signs"
    support: Integers | None = None
    validation: Held | None = None
    test: Held | None = None
    given_order: bool = False

    def __attrs_post_init__(self) -> None:
        N, p = self.samples.shape
        if p != self.graph.n or self.truth.shape != (N,):
            raise InputError(
                f"{self.name}: {N} x {p} samples do not fit {self.graph.n} nodes "
                f"and {len(self.truth)} targets"
            )
        for held in (Held(self.samples, self.truth), self.validation, self.test):
            for values in held or ():
                _check_sizes(values, self.name)
        if self.target == "signs" and not np.isin(self.truth, (-1, 1)).all():
            raise InputError(f"{self.name}: targets must be -1 or +1")
        if self.target == "classes":
            raise UsageError(f"{self.name}: a SignalTask predicts signs or real numbers")

    def part(self, nodes: Integers) -> SignalTask:
        """The entries of all signals on these nodes alone."""

        def cut(held: Held | None) -> Held | None:
            return held and Held(held.samples[:, nodes], held.truth)

        new = np.full(self.graph.n, -1, dtype=np.int64)
        new[nodes] = np.arange(len(nodes))
        kept = None if self.support is None else new[self.support][new[self.support] >= 0]
        return attrs.evolve(
            self, graph=_cut(self.graph, nodes), samples=self.samples[:, nodes], support=kept,
            validation=cut(self.validation), test=cut(self.test),
        )  # fmt: skip

    def embedded(self, embed: Callable[[Graph], Features]) -> SignalTask:
        """This task itself: a signal is its own vector."""
        return self

    def problem(self, rng: np.random.Generator) -> Problem:
        """The graph is known, the samples come one at a time."""
        return Problem(
            target=self.target, n_classes=None, dim=self.graph.n, rng=rng,
            graph=self.graph.unlabelled,
        )  # fmt: skip

    def stream(self, rng: np.random.Generator) -> Stream:
        """Every sample once."""
        N = len(self.truth)
        order = np.arange(N) if self.given_order else rng.permutation(N)
        return Stream(
            truth=self.truth[order],
            node=np.full(len(order), -1, dtype=np.int64),
            row=order,
            rows=self.samples,
        )

    def score(self, learner: Learner, state: State, trace: Any) -> Mapping[str, float]:
        """Support, test samples and misses of a linear model; of its last weights and average."""
        if not isinstance(learner, Linear):
            return {}
        found: dict[str, float] = {}
        for which, w in learner.weights(state).items():
            ending = "" if which == "last" else f"_{which}"
            scores = support_scores(w[:-1], self.support)
            if self.test is not None:
                scores |= held_out_scores(w, self.test, self.target)
            found |= {name + ending: value for name, value in scores.items()}
        if self.target == "signs":
            found["misses"] = float(np.count_nonzero(trace.loss))
            for which, count in learner.misses(state).items():
                if which != "last":
                    found[f"misses_{which}"] = float(count)
        return found
