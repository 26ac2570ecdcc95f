"""Several nodes at once: the best one after another, none of them the near-duplicate of another."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol.api import Vector
from graphol.graph import Graph


class Neighbourhoods:
    """How much two nodes have in common: the cosine of their edges, each a neighbour of itself."""

    def __init__(self, graph: Graph) -> None:
        from scipy.sparse import csr_array, diags_array

        S = graph.adjacency
        own = np.asarray(S.max(axis=1).todense()).ravel()
        closed = csr_array(S + diags_array(np.where(own > 0, own, 1.0)))
        length = np.sqrt(np.asarray(closed.multiply(closed).sum(axis=1)).ravel())
        self.rows = csr_array(diags_array(1 / length) @ closed)

    def common(self, node: int) -> Vector:
        """With every node, (n,) from 0 to 1."""
        column = np.zeros(self.rows.shape[0])
        part = slice(self.rows.indptr[node], self.rows.indptr[node + 1])
        column[self.rows.indices[part]] = self.rows.data[part]
        found: Any = self.rows @ column
        return np.asarray(np.clip(found, 0.0, 1.0))


def neighbourhoods(graph: Graph) -> Neighbourhoods:
    """Those of a graph, made when they are first needed and kept as long as the graph is."""
    found = _KNOWN.get(graph)
    if found is None:
        found = _KNOWN[graph] = Neighbourhoods(graph)
    return found


_KNOWN: weakref.WeakKeyDictionary[Graph, Neighbourhoods] = weakref.WeakKeyDictionary()


def batch(
    values: Vector,
    open_: NDArray[np.bool_],
    weight: Vector,
    rng: np.random.Generator,
    count: int,
    around: Neighbourhoods | None = None,
) -> Iterator[tuple[int, float]]:
    """The best nodes one after another, each with its worth when it was taken.

    Every node taken leaves of the worth of others the share that they have not in common with it,
    counted from the least value that there is. Among equals the one with most ``weight`` comes
    first, and then chance decides.
    """
    left = np.flatnonzero(open_)
    if not len(left):
        return
    least = float(values[left].min())
    worth = values[left] - least
    if around is not None and worth.max() == 0:
        most = weight[left].max()  # all alike: who has many to tell comes first
        worth, least = weight[left] / most if most else worth + 1.0, least - 1.0
    lot = rng.permutation(len(left))
    for _ in range(min(count, len(left))):
        k = _first(worth, weight[left], lot)
        yield int(left[k]), float(worth[k] + least)
        if around is not None:
            worth = worth * (1.0 - around.common(int(left[k]))[left])
        keep = np.arange(len(left)) != k
        left, worth, lot = left[keep], worth[keep], lot[keep]


def _first(worth: Vector, weight: Vector, lot: NDArray[np.int64]) -> int:
    """Where the largest worth is, of several the one of most weight, of these the last in lot."""
    best = np.flatnonzero(worth == worth.max())
    best = best[weight[best] == weight[best].max()]
    return int(best[lot[best].argmax()])
