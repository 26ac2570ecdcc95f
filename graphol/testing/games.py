"""Small games of every kind, for checks and for tests."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from graphol.api import Features, Integers, Learner, Matrix, Stream, Task
from graphol.embeddings.rows import RowFeatures
from graphol.graph import Graph
from graphol.latent import Clique
from graphol.registry import registry
from graphol.tasks import NodeTask, SequenceTask, SignalTask, SwitchTask
from graphol.tasks.schedules import Switches, Tasks


def blocks(n: int = 40, *, K: int = 3, seed: int = 0, isolated: bool = True) -> Graph:
    """K dense groups with a few edges between them and, by default, one isolated node.

    Four words are common in each group and rare in the others; the isolated node has none.
    """
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % K
    same = labels[:, None] == labels[None, :]
    linked = np.triu(rng.random((n, n)) < np.where(same, 0.5, 0.05), 1)
    if isolated:
        linked[-1, :] = linked[:, -1] = False
    if not linked.any():  # a graph has an edge
        linked[0, K] = True
    S = (linked | linked.T) * 1.0
    weights = rng.random((n, n))
    S *= np.round(0.5 + (weights + weights.T) / 2, 3)
    common = np.arange(4 * K)[None, :] % K == labels[:, None]
    words = rng.random((n, 4 * K)) < np.where(common, 0.6, 0.15)
    if isolated:
        words[-1] = False
    return Graph(
        S, labels=labels, ids=tuple(f"node {i}" for i in range(n)), name="blocks",
        features=words * 1.0,
    )  # fmt: skip


def random_rows(n: int, d: int, seed: int = 0) -> RowFeatures:
    """Vectors of length at most one; node 0's is zero, as an isolated node's may be."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, d))
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    rows[0] = 0.0
    return RowFeatures(rows)


def spectral_rows(graph: Graph, d: int = 8) -> RowFeatures:
    """Rows of a dense normalised-Laplacian embedding, unit length."""
    values, vectors = np.linalg.eigh(graph.laplacian("normalized").toarray())
    rows = vectors[:, :d] / np.sqrt(values[:d] + 1e-2)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return RowFeatures(rows)


def node_game(features: Features | None = None, graph: Graph | None = None) -> NodeTask:
    """Forty nodes in three classes."""
    graph = graph or blocks()
    return NodeTask((graph,), name="blocks", features=features or spectral_rows(graph))


@attrs.frozen(eq=False)
class OrderedTask(NodeTask):
    """Nodes asked in the order that is given, each as often as it is listed."""

    order: Integers = attrs.field(kw_only=True)

    def stream(self, rng: np.random.Generator) -> Stream:
        """The order, whatever ``rng`` is."""
        assert self.graph.labels is not None
        rows = None if self.features is None else self.features.rows
        return Stream(self.graph.labels[self.order], self.order, self.order, rows)


def signal_game(target: Any = "signs", rounds: int = 60, p: int = 12, seed: int = 0) -> SignalTask:
    """Signals on a path of p nodes, of which the first three matter."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(size=(rounds, p))
    truth = samples[:, :3].sum(axis=1)
    if target == "signs":
        truth = np.where(truth >= 0, 1, -1)
    path = Graph.from_edges(range(p - 1), range(1, p), name="path")
    return SignalTask(path, samples, truth, name="signals", target=target, support=np.arange(3))


def switch_game(rounds: int = 90) -> SwitchTask:
    """Two labelings of one graph, the second the first turned round, which switch twice."""
    graph = blocks(K=2, isolated=False)
    assert graph.labels is not None
    first = np.where(graph.labels == 0, 1, -1)
    return SwitchTask(
        graph,
        labelings=np.stack([first, -first]),
        schedule=Switches(rounds, switches=2),
        name="switching",
        features=spectral_rows(graph),
    )


def tasks_game(rounds: int = 90, tasks: int = 4) -> SwitchTask:
    """The same two labelings; each of some tasks has one of them, and tasks are contexts."""
    return attrs.evolve(switch_game(), schedule=Tasks(rounds, tasks), name="tasks")


def still_game(rounds: int = 90) -> SequenceTask:
    """Signs that stay what they are, whatever the context: what is learnt once holds."""
    graph = blocks(K=2, isolated=False)
    assert graph.labels is not None
    nodes = np.random.default_rng(0).integers(graph.n, size=rounds)
    return SequenceTask(
        graph, nodes, contexts=np.arange(rounds) % 3, truth=np.where(graph.labels[nodes], -1, 1),
        name="still", latent=Clique(3), n_contexts=3, features=spectral_rows(graph),
    )  # fmt: skip


def asks_nodes(learner: Learner) -> bool:
    """Is it a learner of signs that tells nodes apart by something else than vectors?"""
    return "signs" in learner.targets and learner.needs in ("gram", "graph", "nothing")


def random_switch_game(
    n: int = 40, seed: int = 0, *, rounds: int = 150, tasks: int = 0, d: int = 0, shows: Any = "own"
) -> SwitchTask:
    """Three random labelings of a connected graph; on its kernel, or on random rows of length d.

    They switch four times; with ``tasks`` they belong to so many tasks.
    """
    graph = blocks(n, K=2, seed=seed, isolated=False).largest_component()
    kernel = registry().make("embedding", "kernel").embed
    return SwitchTask(
        graph,
        labelings=np.random.default_rng(seed).choice([-1, 1], size=(3, graph.n)),
        schedule=Tasks(rounds, tasks) if tasks else Switches(rounds, switches=4),
        name="random labelings",
        shows=shows,
        features=random_rows(graph.n, d, seed) if d else kernel(graph, np.random.default_rng(0)),
    )


def whole_gram(features: Features, n: int) -> Matrix:
    """All kernel entries between n nodes, (n, n)."""
    return np.array([features.gram(i, np.arange(n)) for i in range(n)])


def game_for(learner: Learner) -> Task:
    """A small game that this learner can play."""
    if "classes" in learner.targets:
        return node_game()
    return switch_game() if asks_nodes(learner) else signal_game(learner.targets[0])
