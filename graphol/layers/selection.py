"""Which features tell the classes of the seeds apart: sparse logistic regressions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.errors import UsageError

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Integers = NDArray[np.int64]

TOL = 1e-4
"""How far from optimal a coefficient's derivative may be, in units of the penalty."""
ITERATIONS = 4000
HALVINGS = 30
"""Of the interval that the penalty is in."""


class Regressions(NamedTuple):
    """K logistic regressions, one class against the rest."""

    coef: Matrix  # (m, K)
    intercept: Vector  # (K,), not penalised
    penalty: float


def select_at(X: Any, nodes: Integers, labels: Integers, wanted: int) -> Integers:
    """The columns of X (n, m) that :func:`select` finds at these nodes, and that can be stars.

    A value below 0 rules a column out wherever it is.
    """
    lowest = X.min(axis=0).toarray().ravel() if X.shape[1] else np.zeros(0)
    usable = np.flatnonzero(lowest >= 0).astype(np.int64)
    if not len(usable):
        return usable
    rows = X[nodes] if len(usable) == X.shape[1] else X[nodes][:, usable]
    return usable[select(rows, labels, wanted)]


def select(X: Any, labels: Integers, wanted: int) -> Integers:
    """The columns of X (|S|, m) with a coefficient, for a penalty that leaves ``wanted`` of them.

    The penalty is bisected until the union over the classes has the wanted size. Where it jumps
    over that, the largest coefficients of the next larger union count; where the seeds have fewer
    features, all of them. Values must be >= 0 to be a star's; others are never chosen.
    """
    from scipy.sparse import csc_array

    if wanted < 1:
        raise UsageError(f"layers: so many features cannot be selected: {wanted}; one or more")
    X = csc_array(X, dtype=np.float64)
    usable = np.flatnonzero((np.diff(X.indptr) > 0) & (X.min(axis=0).toarray().ravel() >= 0))
    if len(usable) <= wanted or len(np.unique(labels)) < 2:
        return usable[:wanted].astype(np.int64)
    D, Y = X[:, usable].toarray(), _signs(labels)
    high, low = largest_penalty(D, Y), 0.0
    found = Regressions(np.zeros((D.shape[1], Y.shape[1])), np.zeros(Y.shape[1]), high)
    best: Regressions | None = None
    for _ in range(HALVINGS):
        penalty = (high + low) / 2 if low else high / 2
        found = regress(D, Y, penalty, found)
        size = np.count_nonzero(found.coef.any(axis=1))
        if size < wanted:
            high = penalty
            if low == 0.0 and penalty < 1e-6 * largest_penalty(D, Y):
                best = best or found
                break
        else:
            low, best = penalty, found
            if size == wanted:
                break
    assert best is not None
    strength = np.abs(best.coef).max(axis=1)
    order = np.argsort(-strength, kind="stable")[:wanted]
    return np.sort(usable[order]).astype(np.int64)


def regress(X: Matrix, Y: Matrix, penalty: float, start: Regressions | None = None) -> Regressions:
    r"""Minimises, for every column of signs y, the logistic loss plus penalty times |w|_1.

    .. math:: \sum_s \log(1 + e^{-y_s (x_s^\top w + b)}) + \lambda |w|_1

    by accelerated proximal gradients for all classes at once, started again where they overshoot,
    until every derivative is within 1e-4 of the penalty of what it is at the optimum.
    """
    m, K = X.shape[1], Y.shape[1]
    # Columns as long as that of the intercept: steps suit both, the minimum is the same.
    size = np.sqrt(np.max(np.sum(X**2, axis=0)) / len(X)) or 1.0
    A = np.hstack([X / size, np.ones((len(X), 1))])  # (|S|, m + 1)
    shrink = np.full((m + 1, 1), penalty / size)
    shrink[m] = 0.0
    step = 4 / np.linalg.norm(A, 2) ** 2
    W = np.zeros((m + 1, K))
    if start is not None:
        W[:m], W[m] = size * start.coef, start.intercept
    V, pace = W.copy(), 1.0
    for count in range(ITERATIONS):
        gradient = _gradient(A, Y, V)
        new = _shrunk(V - step * gradient, step * shrink)
        if np.sum((V - new) * (new - W)) > 0:  # uphill: forget the momentum
            V, pace = W.copy(), 1.0
            new = _shrunk(V - step * _gradient(A, Y, V), step * shrink)
        faster = (1 + np.sqrt(1 + 4 * pace**2)) / 2
        V = new + (pace - 1) / faster * (new - W)
        W, pace = new, faster
        if count % 10 == 9 and _violation(_gradient(A, Y, W), W, shrink) <= TOL * penalty / size:
            break
    return Regressions(W[:m] / size, W[m].copy(), penalty)


def largest_penalty(X: Matrix, Y: Matrix) -> float:
    """From here on all coefficients are 0."""
    share = (1 + Y.mean(axis=0)) / 2
    return float(np.abs(X.T @ ((1 + Y) / 2 - share)).max())


def violation(X: Matrix, Y: Matrix, found: Regressions) -> float:
    """The largest derivative beyond what optimality allows, in units of the penalty."""
    A = np.hstack([X, np.ones((len(X), 1))])
    W = np.vstack([found.coef, found.intercept])
    shrink = np.full((len(W), 1), found.penalty)
    shrink[-1] = 0.0
    return _violation(_gradient(A, Y, W), W, shrink) / found.penalty


def _gradient(A: Matrix, Y: Matrix, W: Matrix) -> Matrix:
    from scipy.special import expit

    slope: Matrix = A.T @ (-Y * expit(-Y * (A @ W)))
    return slope


def _violation(gradient: Matrix, W: Matrix, shrink: Matrix) -> float:
    """0 where |derivative| <= penalty at 0 and = -sign times penalty elsewhere."""
    at_zero = np.maximum(np.abs(gradient) - shrink, 0.0)
    return float(np.where(W == 0, at_zero, np.abs(gradient + np.sign(W) * shrink)).max())


def _shrunk(W: Matrix, by: Matrix) -> Matrix:
    shrunk: Matrix = np.sign(W) * np.maximum(np.abs(W) - by, 0.0)
    return shrunk


def _signs(labels: Integers) -> Matrix:
    """+1 for the class, -1 for the rest, (|S|, K)."""
    signs: Matrix = 2.0 * (labels[:, None] == np.unique(labels)[None, :]) - 1.0
    return signs
