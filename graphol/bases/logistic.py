"""Multinomial logistic regression with an l2 penalty: convex, solved by Newton's method."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphol.api import Integers, Matrix, Vector

STEPS, HALVINGS = 100, 40
"""Newton steps at most; how often one is halved at most."""

SUFFICIENT = 1e-4
"""The share of the decrease that the slope promises, below which a step is halved."""


class Model(NamedTuple):
    """Class probabilities are softmax(x W + b)."""

    W: Matrix  # (d, K)
    b: Vector  # (K,), sums to 0 over the classes that have labels, -inf for the others

    def probabilities(self, X: Any) -> Matrix:
        """(N, K) for rows (N, d), dense or sparse."""
        return softmax(np.asarray(X @ self.W) + self.b)


def fit_logistic(
    X: Any,
    y: Integers,
    n_classes: int,
    C: float,
    *,
    weights: Vector | None = None,
    start: Model | None = None,
    tol: float = 1e-8,
) -> Model:
    r"""Minimise :math:`\frac1{2C}|W|^2 + \sum_i w_i \, [\log\sum_k e^{z_{ik}} - z_{i y_i}]`.

    With :math:`z_i = W^\top x_i + b`; the intercept b is not penalised. A class without a label
    has probability 0. Newton's method, each system solved by conjugate gradients until it is as
    exact as the step deserves; a step that promises more than it keeps is halved. One product with
    the Hessian costs two passes over X.

    Parameters
    ----------
    X
        Rows (N, d), dense or sparse.
    y
        Classes 0..K-1, (N,).
    n_classes
        K.
    C
        Inverse penalty, > 0.
    weights
        Of the rows, >= 0; all 1 by default.
    start
        Where to begin: the solution for other labels, say.
    tol
        It ends when the gradient is at most ``tol`` times the sum of weights.
    """
    N, d = X.shape
    w = np.ones(N) if weights is None else weights
    mass = np.bincount(y, weights=w, minlength=n_classes)
    seen = np.flatnonzero(mass > 0)
    W, b = np.zeros((d, n_classes)), np.full(n_classes, -np.inf)
    if start is not None:
        W[:] = start.W
    b[seen] = 0.0 if start is None else np.where(np.isfinite(start.b), start.b, 0.0)[seen]
    if len(seen) < 2:
        return Model(np.zeros_like(W), b)
    loss = _Loss(X, np.searchsorted(seen, y), w, len(seen), 1 / C)
    theta = np.vstack([W[:, seen], b[seen]])  # (d + 1, K)
    W[:], (W[:, seen], b[seen]) = 0.0, _newton(loss, theta, tol * w.sum())
    b[seen] -= b[seen].mean()
    return Model(W, b)


def softmax(Z: Matrix) -> Matrix:
    """Rows to probabilities; -inf to 0."""
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    P: Matrix = E / E.sum(axis=1, keepdims=True)
    return P


class _Loss:
    """The penalised loss of (W; b), stacked (d + 1, K), with its derivatives."""

    def __init__(self, X: Any, y: Integers, w: Vector, K: int, penalty: float) -> None:
        self.X, self.w, self.penalty = X, w[:, None], penalty
        self.Y = np.eye(K)[y]  # (N, K)

    def at(self, theta: Matrix) -> float:
        Z = self._scores(theta)
        top = Z.max(axis=1)
        each = np.log(np.exp(Z - top[:, None]).sum(axis=1)) + top - (Z * self.Y).sum(axis=1)
        return float(self.w[:, 0] @ each + self.penalty / 2 * (theta[:-1] ** 2).sum())

    def gradient(self, theta: Matrix) -> tuple[Matrix, Matrix]:
        """The gradient, (d + 1, K), and the probabilities, (N, K)."""
        P = softmax(self._scores(theta))
        return self._back(self.w * (P - self.Y), theta), P

    def hessian(self, P: Matrix, V: Matrix) -> Matrix:
        """The second derivative where probabilities are P, times V."""
        U = P * self._scores(V)
        return self._back(self.w * (U - P * U.sum(axis=1, keepdims=True)), V)

    def _scores(self, theta: Matrix) -> Matrix:
        Z: Matrix = np.asarray(self.X @ theta[:-1]) + theta[-1]
        return Z

    def _back(self, R: Matrix, theta: Matrix) -> Matrix:
        G = np.vstack([np.asarray(self.X.T @ R), R.sum(axis=0)])
        G[:-1] += self.penalty * theta[:-1]
        return G


def _newton(loss: _Loss, theta: Matrix, small: float) -> tuple[Matrix, Vector]:
    """The minimum as W and b."""
    value = loss.at(theta)
    G, P = loss.gradient(theta)
    for _ in range(STEPS):
        size = np.linalg.norm(G)
        if size <= small:
            break
        step = _conjugate(loss, P, -G, min(0.1, float(np.sqrt(size / small) * 1e-3)))
        slope, length = float((G * step).sum()), 1.0
        for _ in range(HALVINGS):
            after = loss.at(theta + length * step)
            if after <= value + SUFFICIENT * length * slope:
                break
            length /= 2
        else:
            break  # rounding: no lower value is to be had
        theta, value = theta + length * step, after
        G, P = loss.gradient(theta)
    return theta[:-1], theta[-1]


def _conjugate(loss: _Loss, P: Matrix, B: Matrix, share: float) -> Matrix:
    """V with Hessian V = B, but for a share of B; B is a gradient, so orthogonal to the null space.

    The loss does not change when one number is added to all intercepts.
    """
    V, R = np.zeros_like(B), B.copy()
    D, rr = R.copy(), float((R * R).sum())
    goal = share**2 * rr
    for _ in range(10 * B.size):
        H = loss.hessian(P, D)
        curvature = float((D * H).sum())
        if rr <= goal or curvature <= 0:
            break
        length = rr / curvature
        V, R = V + length * D, R - length * H
        rr, before = float((R * R).sum()), rr
        D = R + rr / before * D
    return V if rr < float((B * B).sum()) else B
