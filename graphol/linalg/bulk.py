"""Where the eigenvalues of a random graph begin: below lies what a graph has to tell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphol.graph import Graph


def bulk_edges(
    graph: Graph, parts: NDArray[np.int64] | None = None, *, least: float = 0.0
) -> NDArray[np.float64]:
    r"""The smallest non-zero eigenvalue that a random graph with these degrees would have.

    Of every part (numbers 0, 1, ... per node; by default the whole graph), for the normalised
    Laplacian. The eigenvalues of a random graph with mean degree :math:`\bar d` lie, but for the 0,
    within :math:`2 \sqrt{\bar d - 1} / \bar d` of 1 (Kesten, McKay; Friedman). With weights
    :math:`1 / \bar d` becomes

    .. math:: q = \sum_{ij} \frac{w_{ij}^2}{d_j} \Big/ \sum_j d_j , \qquad
              \lambda_{bulk} = 1 - 2 \sqrt{q (1 - q)} ,

    which is the same where all weights are equal. At :math:`q \ge 1/2`, trees and the like, there
    is no such edge: 0, or ``least``, which no edge is below.

    >>> ring = Graph.from_edges(range(9), [(i + 1) % 9 for i in range(9)])
    >>> complete = Graph(np.ones((9, 9)) - np.eye(9))
    >>> [float(bulk_edges(graph)[0].round(3)) for graph in (ring, complete)]
    [0.0, 0.339]
    """
    S, degrees = graph.adjacency, graph.degrees
    parts = np.zeros(graph.n, dtype=np.int64) if parts is None else parts
    over = np.divide(1.0, degrees, out=np.zeros(graph.n), where=degrees > 0)
    squares = S.multiply(S).sum(axis=0)
    shares = np.bincount(parts, weights=np.asarray(squares).ravel() * over)
    volumes = np.bincount(parts, weights=degrees)
    q = np.divide(shares, volumes, out=np.full(len(volumes), 0.5), where=volumes > 0)
    q = np.minimum(q, 0.5)
    edges: NDArray[np.float64] = np.maximum(1 - 2 * np.sqrt(q * (1 - q)), least)
    return edges
