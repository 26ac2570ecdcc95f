"""What all look-ahead blocks share: how their updates reach the inverse."""

from __future__ import annotations

import numpy as np
from numba import njit

ROWS = 128  # of P down-dated at a time


@njit(cache=True, nogil=True)
def downdate(P, V):  # type: ignore[no-untyped-def]
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
