"""The weight of the edges that a labeling of a graph's vertices cuts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def cut(L: Any, labels: NDArray[np.int64]) -> float:
    """Sum of the weights of edges with different labels at their ends; L is the Laplacian.

    >>> cut(np.array([[1, -1, 0], [-1, 3, -2], [0, -2, 2]]), np.array([0, 0, 1]))
    2.0
    """
    from scipy.sparse import coo_array, triu

    edges = coo_array(triu(L, k=1))
    return float(np.abs(edges.data[labels[edges.row] != labels[edges.col]]).sum())


def completed(L: Any, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Labels of all vertices: those without one (-1, or past the end) take that of the nearest.

    Near is in hops. The completion with the least cut is NP-hard to find for more than two labels;
    this one is as good as any to hold a bound against, since the bound holds for all of them.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    whole = np.full(L.shape[0], -1, dtype=np.int64)
    whole[: len(labels)] = labels
    known = np.flatnonzero(whole >= 0)
    if not len(known):
        return np.zeros_like(whole)
    _, _, nearest = dijkstra(
        csr_array(abs(L)), indices=known, unweighted=True, min_only=True, return_predecessors=True
    )
    return np.where(nearest >= 0, whole[nearest], 0)
