"""Random graphs with planted classes."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.params import param
from graphol.tasks import NodeTask


@attrs.frozen
class StochasticBlockModel:
    r"""A random graph in which nodes of one class are joined more often than others.

    The classes are equally large (up to one node). Every pair of nodes is joined independently,
    with probability :math:`p_{in}` inside a class and :math:`p_{out}` across, so chosen that a
    node has ``degree_in`` neighbours of its own class and ``degree_out`` others on average.
    Isolated nodes are kept. Time and memory are those of the edges, not of the pairs.

    Parameters
    ----------
    nodes
        Number of nodes n, at least 4.
    classes
        Number of classes K, at least 2 and at most n / 2.
    degree_in
        Mean number of neighbours of the same class, at most n / K - 1.
    degree_out
        Mean number of neighbours of other classes, at most n - n / K.

    Examples
    --------
    >>> task = StochasticBlockModel(nodes=200, classes=2).load(np.random.default_rng(0))
    >>> task.graph.n, np.bincount(task.graph.labels).tolist()
    (200, [100, 100])

    References
    ----------
    Holland, Laskey, Leinhardt. Stochastic blockmodels: first steps. Social Networks, 1983.
    """

    name: ClassVar[str] = "sbm"
    nodes: int = param(1000, least=4, most=10**9)
    classes: int = param(4, least=2)
    degree_in: float = param(12.0, least=0)
    degree_out: float = param(3.0, least=0)

    def __attrs_post_init__(self) -> None:
        if self.classes > self.nodes // 2:
            raise UsageError(f"sbm: classes must be <= nodes / 2, got {self.classes}")
        size = self.nodes / self.classes
        for key, most in (("degree_in", size - 1), ("degree_out", self.nodes - size)):
            if getattr(self, key) > most:
                raise UsageError(f"sbm: {key} must be <= {most:g}, got {getattr(self, key):g}")

    def load(self, rng: np.random.Generator) -> NodeTask:
        """A fresh graph drawn by ``rng``."""
        from scipy.sparse import coo_array

        labels = np.arange(self.nodes) * self.classes // self.nodes
        starts = np.searchsorted(labels, np.arange(self.classes + 1))
        size = self.nodes / self.classes
        p_in, p_out = self.degree_in / (size - 1), self.degree_out / (self.nodes - size)
        parts = []
        for k in range(self.classes):
            own, later = starts[k + 1] - starts[k], self.nodes - starts[k + 1]
            low, high = _triangle(_chosen(own * (own - 1) // 2, p_in, rng))
            parts.append((low + starts[k], high + starts[k]))
            if later:
                row, column = np.divmod(_chosen(own * later, p_out, rng), later)
                parts.append((row + starts[k], column + starts[k + 1]))
        i, j = (np.concatenate(ends) for ends in zip(*parts, strict=True))
        upper = coo_array((np.ones(len(i)), (i, j)), shape=(self.nodes, self.nodes)).tocsr()
        graph = Graph(upper + upper.T, labels=labels, name=self.name)
        return NodeTask((graph,), name=self.name)


def _chosen(pairs: int, p: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """The numbers of the pairs that are joined, each of 0..pairs-1 with probability p."""
    count = rng.binomial(pairs, p)
    return rng.choice(pairs, size=count, replace=False, shuffle=False)


def _triangle(number: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pair 0, 1, 2, 3 ... as (0, 1), (0, 2), (1, 2), (0, 3) ..."""
    high = ((1 + np.sqrt(1 + 8 * number)) / 2).astype(np.int64)
    return number - high * (high - 1) // 2, high
