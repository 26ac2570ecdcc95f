"""Signals on a graph: a planted mean shift, or numbers that a sparse model of the pixels gives."""

from __future__ import annotations

import numpy as np

from graphol.api import Integers, Vector
from graphol.graph import Graph
from graphol.scores import Held
from graphol.tasks import SignalTask


def pixel_grid(rows: int, cols: int, name: str) -> Graph:
    """A grid numbered row by row."""
    from scipy.sparse import coo_array

    node = np.arange(rows * cols).reshape(rows, cols)
    i = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
    j = np.concatenate([node[:, 1:].ravel(), node[1:].ravel()])
    half = coo_array((np.ones(len(i)), (i, j)), shape=(node.size, node.size)).tocsr()
    return Graph(half + half.T, name=name)


def mean_shift(
    graph: Graph,
    support: Integers,
    mu: float,
    sizes: tuple[int, int, int],
    pool: int,
    rng: np.random.Generator,
    name: str,
) -> SignalTask:
    """Noise everywhere, and mu more on the support in the positive half of the samples.

    Every column is standardised over all samples. Of ``pool`` training samples the first sizes[0]
    are played.
    """
    train, validation, test = sizes
    N = pool + validation + test
    y = np.ones(N)
    y[N // 2 :] = -1.0
    X = rng.normal(size=(N, graph.n))
    X[: N // 2, support] += mu
    order = rng.permutation(N)
    X, y = X[order], y[order]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return SignalTask(
        graph,
        np.ascontiguousarray(X[:train]),
        y[:train].astype(np.int64),
        name=name,
        support=support,
        validation=Held(X[pool : pool + validation], y[pool : pool + validation]),
        test=Held(X[pool + validation :], y[pool + validation :]),
    )


def sparse_model(
    graph: Graph, w: Vector, train: int, rng: np.random.Generator, name: str
) -> SignalTask:
    """Numbers y = w'x for Gaussian x of variance 1/N; 200 samples each to validate and to test."""
    held = 200
    N = train + 2 * held
    X = rng.normal(size=(N, graph.n)) / np.sqrt(N)
    y = X @ w
    return SignalTask(
        graph,
        X[:train].copy(),
        y[:train],
        name=name,
        target="real",
        support=np.flatnonzero(w),
        validation=Held(X[train : train + held], y[train : train + held]),
        test=Held(X[train + held :], y[train + held :]),
    )
