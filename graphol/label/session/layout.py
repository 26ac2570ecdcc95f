"""Where the nodes of a small graph are drawn: distances on paper as those in the graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphol.api import Matrix

STEPS = 40
"""Of majorisation; most of the stress is gone after twenty."""


def layout(adjacency: NDArray[np.bool_], steps: int = STEPS) -> Matrix:
    """Places (m, 2) of the m nodes of a small connected graph, from -1 to 1.

    Minimises the stress sum_ij (|x_i - x_j| - d_ij)² / d_ij², d the number of edges between two
    nodes, by majorisation (every step lowers it). The same graph has the same picture, which is as
    large as there is room.

    >>> np.abs(layout(np.array([[0, 1], [1, 0]], dtype=bool))).max(axis=1).round(6).tolist()
    [1.0, 1.0]
    """
    m = len(adjacency)
    if m == 1:
        return np.zeros((1, 2))
    d = distances(adjacency)
    weights = np.divide(1.0, d**2, out=np.zeros_like(d), where=d > 0)
    V = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(V)
    places: Matrix = _rings(d)
    for _ in range(steps):
        places = inverse @ (_guttman(places, d, weights) @ places)
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - (low + high) / 2) * 2 / max(float((high - low).max()), 1e-12))


def distances(adjacency: NDArray[np.bool_]) -> Matrix:
    """Edges between any two nodes, (m, m); m where no way leads from one to the other."""
    m = len(adjacency)
    d = np.full((m, m), float(m))
    np.fill_diagonal(d, 0.0)
    reached = np.eye(m, dtype=bool)
    for step in range(1, m):
        further = (reached @ adjacency) & ~reached
        if not further.any():
            break
        d[further] = step
        reached |= further
    return d


def stress(places: Matrix, d: Matrix) -> float:
    """What the layout minimises, over all pairs."""
    off = ~np.eye(len(d), dtype=bool)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    return float((((apart - d)[off] / d[off]) ** 2).sum())


def _rings(d: Matrix) -> Matrix:
    """A beginning: around node 0, each node as far out as it is away; those after one another are
    a golden angle apart."""
    angle = np.arange(len(d)) * (np.pi * (3 - np.sqrt(5)))
    return np.asarray(d[0][:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))


def _guttman(places: Matrix, d: Matrix, weights: Matrix) -> Matrix:
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    B = -np.divide(weights * d, apart, out=np.zeros_like(d), where=apart > 1e-12)
    np.fill_diagonal(B, 0.0)
    np.fill_diagonal(B, -B.sum(axis=1))
    return np.asarray(B)
