"""Small layers with seeds, and everything about them by dense algebra, written for the eye."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphol.graph import Graph
from graphol.layers.edges import Layers

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Integers = NDArray[np.int64]


def random_graph(n: int, p: float, seed: int, name: str = "graph") -> Graph:
    """Every pair with probability p, weights from 0.2 to 1.2; never without an edge."""
    rng = np.random.default_rng(seed)
    S = np.triu(rng.random((n, n)) < p, 1) * (0.2 + rng.random((n, n)))
    S[0, 1] = 1.0
    return Graph(S + S.T, name=name)


def some_layers(
    n: int = 24, stars: int = 4, seed: int = 0
) -> tuple[Layers, tuple[Graph, Graph], Matrix]:
    """Two graphs and some stars, values of features not all equal."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, stars)) < 0.3, 0.5 + rng.random((n, stars)), 0.0)
    X[:2] = 1.0  # no star is empty
    graphs = random_graph(n, 0.15, seed + 1, "one"), random_graph(n, 0.2, seed + 2, "two")
    return Layers.of(graphs, X), graphs, X


def seeds_of(
    layers: Layers, size: int = 9, K: int = 3, seed: int = 0
) -> tuple[Integers, Integers, Matrix]:
    """Some nodes, their classes, of which all occur, and the same one-hot."""
    rng = np.random.default_rng(seed)
    nodes = rng.permutation(layers.n)[:size]
    labels = np.concatenate([np.arange(K), rng.integers(0, K, size - K)])
    return nodes, labels, np.eye(K)[labels]


def laplacians(layers: Layers) -> NDArray[np.float64]:
    """Every layer's Laplacian on its own, (k, vertices, vertices)."""
    found = np.zeros((len(layers), layers.vertices, layers.vertices))
    for u, v, w, i in zip(layers.u, layers.v, layers.w, layers.layer, strict=True):
        e = np.zeros(layers.vertices)
        e[u], e[v] = 1.0, -1.0
        found[i] += w * np.outer(e, e)
    return found


class DenseField:
    """The Gaussian field of all layers with weights alpha, as the formulas say it."""

    def __init__(self, layers: Layers, seeds: Integers, eps: float, alpha: Vector) -> None:
        self.Ls = laplacians(layers)
        ridge = np.where(np.arange(layers.vertices) < layers.n, eps, 0.0)
        self.L: Matrix = np.tensordot(alpha, self.Ls, 1) + np.diag(ridge)
        self.Pi = np.eye(layers.vertices)[seeds]
        self.LS = self.L + self.Pi.T @ self.Pi
        self.Z = np.linalg.solve(self.LS, self.Pi.T)
        self.Sigma = np.eye(len(seeds)) + self.Pi @ np.linalg.solve(self.L, self.Pi.T)

    def objective(self, Y: Matrix, mu_0: float | None) -> float:
        """Theorem 3.3, or with the likeliest mu_0."""
        spread = float(np.trace(Y.T @ np.linalg.inv(self.Sigma) @ Y))
        fit = Y.size * np.log(spread) if mu_0 is None else mu_0 * spread
        return float(-Y.shape[1] * np.linalg.slogdet(self.Sigma)[1] - fit)

    def traces(self) -> Vector:
        """Tr(Sigma Z' L_i Z) for every layer, (k,)."""
        return np.array([np.trace(self.Sigma @ self.Z.T @ L @ self.Z) for L in self.Ls])
