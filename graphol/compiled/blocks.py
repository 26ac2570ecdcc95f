"""What compiled streams share: scores, updates in bulk, a bound on what P can still say."""

from __future__ import annotations

import numpy as np

from graphol.jit import kept, kernel

ROWS = 128  # of P down-dated at a time


@kernel
def scores(W, x, f):
    """f_k = w_k'x, one by one: a single product would break ties of equal models."""
    for k in range(len(W)):
        f[k] = np.dot(W[k], x)


@kernel
def leverages(U, x, r):
    """r_i = x_i'u_i for the rows of a block."""
    for i in range(len(x)):
        r[i] = np.dot(U[i], x[i])


@kernel
def take_off(P, u, gain):
    """P <- P - gain u u'."""
    d = len(u)
    for i in range(d):
        Pi, ui = P[i], u[i]
        for e in range(d):
            Pi[e] -= gain * (ui * u[e])


@kept
def downdate(P, V):
    """P <- P - V'V for V (n, d), a few rows of P at a time: the product never leaves the cache."""
    n, d = V.shape
    left = np.empty((min(ROWS, d), n), P.dtype)
    part = np.empty((min(ROWS, d), d), P.dtype)
    for lo in range(0, d, ROWS):
        h = min(ROWS, d - lo)
        for q in range(n):
            for i in range(h):
                left[i, q] = V[q, lo + i]
        np.dot(left[:h], V, part[:h])
        for i in range(h):
            Pi, pi = P[lo + i], part[i]
            for e in range(d):
                Pi[e] -= pi[e]


@kept
def largest(P):
    """No eigenvalue of P is above this, rounding included.

    Exact where P is diagonal, as at first; else trace(P⁴)^(1/4), or trace(P²)^(1/2) if P is large.
    """
    d = len(P)
    top = 0.0
    diagonal = True
    for i in range(d):
        top = max(top, P[i, i])
        for j in range(i):
            if P[i, j] != 0.0:
                diagonal = False
                break
        if not diagonal:
            break
    if not diagonal:
        top = np.sqrt(np.sum(P * P)) if d > 1000 else np.sqrt(np.sqrt(np.sum(np.dot(P, P) ** 2)))
    return 1.0001 * top
