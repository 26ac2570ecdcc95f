"""An upper bound on the largest eigenvalue of A = X C X', known by its Gram matrix X'X alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.api import Matrix, Vector

MOST_DENSE = 8192
"""Pairs up to which a matrix of all of them is factorised."""
STEPS = 40
SLACK = (1e-6, 1e-3, 0.03, 0.3, 1.0)
"""By how much more than the estimate is tried, in turn."""


def largest_eigenvalue(gram: Matrix, c: Vector) -> float:
    """A number that is not below the largest eigenvalue of A, and near it; at least 0.

    Lanczos' method estimates it from below. A b > 0 above the estimate is a bound if and only if
    b I - A is positive definite, and by Schur's complements in the matrix of the blocks b I, X, X',
    C⁻¹ that is so if and only if C⁻¹ - X'X / b has as many negative eigenvalues as C: counted by
    one symmetric factorisation.

    >>> X = np.random.default_rng(0).normal(size=(4, 6))
    >>> c = np.array([2.0, -1.0, 0.5, -3.0, 1.0, 1.0])
    >>> true = np.linalg.eigvalsh(X * c @ X.T)[-1]
    >>> bool(true <= largest_eigenvalue(X.T @ X, c) <= true * (1 + 1e-5))
    True
    """
    kept = c != 0
    gram, c = gram[np.ix_(kept, kept)], c[kept]
    positive = np.maximum(c, 0.0)
    most = float(positive @ np.diag(gram))  # the trace of the positive part: always enough
    if most == 0.0:
        return 0.0
    root = np.sqrt(np.abs(c))
    S = root[:, None] * gram * root  # |C|^½ X'X |C|^½
    sign = np.sign(c)
    estimate = _estimate(S, sign)
    for slack in SLACK:
        b = estimate * (1 + slack) + 1e-9
        if b >= most:
            break
        if _negative(np.diag(sign) - S / b) == np.count_nonzero(c < 0):
            return b
    return most


def _estimate(S: Matrix, sign: Vector) -> float:
    """Lanczos for the nonzero eigenvalues of sign(C) S, symmetric in the inner product of S."""
    z = np.where(sign > 0, 1.0, 0.0)
    u = S @ z
    alpha, beta = np.zeros(STEPS), np.zeros(STEPS)
    z0, u0, last = np.zeros_like(z), np.zeros_like(z), 0.0
    largest, norm = 0.0, np.sqrt(max(float(z @ u), 1e-300))
    z, u = z / norm, u / norm
    for m in range(STEPS):
        d = sign * u
        alpha[m] = u @ d
        w = d - alpha[m] * z - last * z0
        v = S @ d - alpha[m] * u - last * u0
        square, largest = float(w @ v), max(largest, abs(alpha[m]), last)
        if m + 1 == STEPS or square <= 1e-12 * largest**2:
            break
        last = beta[m] = np.sqrt(square)
        z0, u0, z, u = z, u, w / last, v / last
    from scipy.linalg import eigvalsh_tridiagonal

    return max(float(eigvalsh_tridiagonal(alpha[: m + 1], beta[:m])[-1]), 0.0)


def _negative(S: Matrix) -> int:
    """How many negative eigenvalues a symmetric matrix has, by Sylvester's law of inertia."""
    from scipy.linalg import ldl

    D: Any = ldl(S, overwrite_a=True)[1]
    diagonal, beside = np.diag(D), np.diag(D, -1)
    pairs = int(np.count_nonzero(beside))  # blocks of 2 x 2 are indefinite: one negative each
    alone = np.ones(len(diagonal), dtype=bool)
    for i in np.flatnonzero(beside):
        alone[i : i + 2] = False
    return pairs + int(np.count_nonzero(diagonal[alone] < 0))
