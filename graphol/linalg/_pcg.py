"""Kernels of block conjugate gradients: blocks are (n, k), C-contiguous, one column per system.

A single column goes through loops of its own, over one-dimensional arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.jit import kept


@kept
def multiply(indptr: Any, indices: Any, data: Any, P: Any, Q: Any) -> Any:
    """Q = A P for the CSR matrix A (unsigned indices); p'q of every column."""
    n, k = P.shape
    dots = np.zeros(k)
    if k == 1:
        p, q = P.reshape(n), Q.reshape(n)
        for i in range(n):
            total = 0.0
            for e in range(indptr[i], indptr[i + 1]):
                total += data[e] * p[indices[e]]
            q[i] = total
            dots[0] += total * p[i]
        return dots
    for i in range(n):
        mine = Q[i]
        for c in range(k):
            mine[c] = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            a, other = data[e], P[indices[e]]
            for c in range(k):
                mine[c] += a * other[c]
        old = P[i]
        for c in range(k):
            dots[c] += mine[c] * old[c]
    return dots


@kept
def advance(alpha: Any, P: Any, Q: Any, X: Any, R: Any) -> Any:
    """X += alpha P and R -= alpha Q, column by column; r'r of every column."""
    n, k = P.shape
    squares = np.zeros(k)
    if k == 1:
        p, q, x, r, a = P.reshape(n), Q.reshape(n), X.reshape(n), R.reshape(n), alpha[0]
        for i in range(n):
            x[i] += a * p[i]
        for i in range(n):
            r[i] -= a * q[i]
            squares[0] += r[i] * r[i]
        return squares
    for i in range(n):
        for c in range(k):
            X[i, c] += alpha[c] * P[i, c]
            left = R[i, c] - alpha[c] * Q[i, c]
            R[i, c] = left
            squares[c] += left * left
    return squares


@kept
def inner(R: Any, Z: Any) -> Any:
    """r'z of every column."""
    n, k = R.shape
    dots = np.zeros(k)
    if k == 1:
        r, z = R.reshape(n), Z.reshape(n)
        for i in range(n):
            dots[0] += r[i] * z[i]
        return dots
    for i in range(n):
        for c in range(k):
            dots[c] += R[i, c] * Z[i, c]
    return dots


@kept
def turn(beta: Any, Z: Any, P: Any) -> None:
    """P = Z + beta P, column by column."""
    n, k = P.shape
    if k == 1:
        p, z, b = P.reshape(n), Z.reshape(n), beta[0]
        for i in range(n):
            p[i] = z[i] + b * p[i]
        return
    for i in range(n):
        for c in range(k):
            P[i, c] = Z[i, c] + beta[c] * P[i, c]


@kept
def keep(flat: Any, n: Any, k: Any, columns: Any) -> None:
    """These columns of the (n, k) block at the beginning of ``flat`` become the block there."""
    left = len(columns)
    for i in range(n):
        for c in range(left):
            flat[i * left + c] = flat[i * k + columns[c]]
