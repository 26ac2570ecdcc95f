"""Signals on a graph: a planted mean shift, numbers of a sparse model, or the rows of a table."""

from __future__ import annotations

import numpy as np

from graphol.api import Integers, Matrix, Vector
from graphol.errors import InputError
from graphol.graph import Graph
from graphol.tasks import SignalTask
from graphol.tasks.scores import Held


def standardised(X: Matrix) -> Matrix:
    """Every column with mean 0 and deviation 1; a constant one is 0.

    >>> standardised(np.array([[1.0, 0.1], [3.0, 0.1], [1.0, 0.1], [3.0, 0.1]])).T
    array([[-1.,  1., -1.,  1.],
           [ 0.,  0.,  0.,  0.]])
    """
    constant = X.min(axis=0) == X.max(axis=0)  # whose deviation may be a rounding error
    with np.errstate(over="ignore", invalid="ignore"):  # a task refuses what is not finite
        found: Matrix = (X - X.mean(axis=0)) / np.where(constant, 1.0, X.std(axis=0))
    found[:, constant] = 0.0
    return found


def mean_shift(
    graph: Graph,
    support: Integers,
    mu: float | Vector,
    sizes: tuple[int, int, int],
    pool: int,
    rng: np.random.Generator,
    name: str,
) -> SignalTask:
    """Noise everywhere, and mu more on the support in the positive half of the samples.

    ``mu`` is one shift for all of the support, or one for each of its nodes. Every column is
    standardised over all samples. Of ``pool`` training samples the first sizes[0] are played.
    """
    train, validation, test = sizes
    N = pool + validation + test
    y = np.ones(N)
    y[N // 2 :] = -1.0
    X = rng.normal(size=(N, graph.n))
    X[: N // 2, support] += mu
    order = rng.permutation(N)
    X, y = X[order], y[order]
    X = standardised(X)
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


def table_task(
    graph: Graph,
    X: Matrix,
    y: Vector,
    name: str,
    *,
    test: float,
    validation: float = 0.0,
    support: Integers | None = None,
) -> SignalTask:
    """The rows of a table: the first are played, the last shares of them validate and test.

    Targets that are all -1 or +1, or all 0 or 1, are signs; others are numbers. Rows to play that
    all have the same target are refused.
    """
    tested, validated = int(test * len(y)), int(validation * len(y))
    played = len(y) - tested - validated
    if len(np.unique(y)) < 2:
        same = f", all with the target {y[0]:g}" if len(y) else ""
        raise InputError(f"{name}: {len(y)} row(s){same}; a game needs two different targets")
    if len(np.unique(y[:played])) < 2:
        raise InputError(
            f"{name}: the {played} row(s) to play all have the target {y[0]:g}; "
            "shuffle the rows, or hold out fewer"
        )
    signs = bool(np.isin(y, (-1, 1)).all() or np.isin(y, (0, 1)).all())
    if signs:
        y = np.where(y > 0, 1, -1)
    end = played + validated
    tuned = Held(X[played:end], y[played:end]) if validated else None
    scored = Held(X[end:], y[end:]) if tested else None
    if signs and scored is not None and len(np.unique(scored.truth)) < 2:
        note = f"all {tested} test row(s) have the target {scored.truth[0]}: no auc"
        graph = graph.noted(note)
    return SignalTask(
        graph,
        np.ascontiguousarray(X[:played]),
        y[:played],
        name=name,
        target="signs" if signs else "real",
        support=support,
        validation=tuned,
        test=scored,
    )
