"""MOLG-F's compiled stream, in look-ahead blocks.

All nodes are known beforehand, only labels are not, so the products of a block of m rounds are
taken at once: U = X P, G = X P X' and F = X W'. An update inside the block is a rank-one
down-date of the small G and F; P and W follow at the block's end. That is the same arithmetic up
to rounding, and turns all d² work into matrix products.
"""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 32


@njit(cache=True, nogil=True)
def play(P, W, X, row, told, answered, phi, predicted, updates):  # type: ignore[no-untyped-def]
    """Rounds 0..len(row)-1 of MOLG-F; P (d, d) and W (K, d) change in place."""
    K, d = W.shape
    T = len(row)
    Xb = np.empty((BLOCK, d))
    Ub = np.empty((BLOCK, d))
    Gb = np.empty(BLOCK * BLOCK)
    Fb = np.empty((BLOCK, K))
    V = np.empty((BLOCK, d))  # u of every update in the block
    C = np.empty((BLOCK, K))  # tau - f of every update
    L = np.empty((BLOCK, BLOCK))  # L[s, i] = x_i'u_s
    who = np.empty(BLOCK, dtype=np.int64)  # round of update s within the block
    VV = np.empty((d, d))
    CV = np.empty((K, d))
    for lo in range(0, T, BLOCK):
        m = min(BLOCK, T - lo)
        for i in range(m):
            Xb[i] = X[row[lo + i]]
        x, U, F = Xb[:m], Ub[:m], Fb[:m]
        G = Gb[: m * m].reshape(m, m)
        np.dot(x, P, U)
        np.dot(U, x.T, G)
        np.dot(x, W.T, F)
        c = 0
        for i in range(m):
            t = lo + i
            f = F[i]
            best = 0
            for k in range(1, K):
                if f[k] > f[best]:
                    best = k
            predicted[t] = best
            updates[t] = 0
            if not answered[t]:
                continue
            y = told[t]
            j = 0 if y != 0 else 1
            for k in range(K):
                if k != y and f[k] > f[j]:
                    j = k
            r = G[i, i]
            if best == y and (f[y] - f[j]) * (1 - r) >= phi * r / (2 * (1 - r)):
                continue
            step, g = C[c], L[c]
            for k in range(K):
                step[k] = -f[k]
            step[y] += 1.0
            step[j] -= 1.0
            for a in range(i + 1, m):
                g[a] = G[a, i]
            for a in range(i + 1, m):
                ga, Fa, Ga = g[a], F[a], G[a]
                for k in range(K):
                    Fa[k] += step[k] * ga
                for q in range(i + 1, a + 1):
                    Ga[q] -= ga * g[q]
            who[c] = i
            c += 1
            updates[t] = 2
        if c == 0:
            continue
        for s in range(c):
            v = V[s]
            v[:] = U[who[s]]
            for q in range(s):
                lq, vq = L[q, who[s]], V[q]
                for e in range(d):
                    v[e] -= lq * vq[e]
        np.dot(V[:c].T, V[:c], VV)
        np.dot(C[:c].T, V[:c], CV)
        P -= VV
        W += CV
