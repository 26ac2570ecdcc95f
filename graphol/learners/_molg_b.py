"""MOLG-B's compiled stream, in look-ahead blocks.

For a block of m rounds U_k = X P_k, R = diag(X P_k X') and F = X W' are taken at once for all
classes. An update touches one class: with u and g = X u, R_k loses g² and F_k gains a multiple of
g; P_k and W_k follow at the block's end. Classes that were never played keep P_k = I/b exactly,
so their ties are exact here too.
"""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 32


@njit(cache=True, nogil=True)
def play(P, W, X, row, told, answered, phi, exploration, predicted, updates):  # type: ignore[no-untyped-def]
    """Rounds 0..len(row)-1 of MOLG-B; P (K, d, d) and W (K, d) change in place."""
    K, d = W.shape
    T = len(row)
    Xb = np.empty((BLOCK, d))
    Ub = np.empty((K, BLOCK, d))
    R = np.empty((BLOCK, K))
    Fb = np.empty((BLOCK, K))
    V = np.empty((K, BLOCK, d))  # u of every update in the block, by class
    C = np.empty((K, BLOCK))  # ±1 - f of every update
    count = np.empty(K, dtype=np.int64)
    gb = np.empty(BLOCK)  # x_a'u for the rounds still to come
    VV = np.empty((d, d))
    for lo in range(0, T, BLOCK):
        m = min(BLOCK, T - lo)
        for i in range(m):
            Xb[i] = X[row[lo + i]]
        x, F = Xb[:m], Fb[:m]
        np.dot(x, W.T, F)
        for k in range(K):
            U = Ub[k, :m]
            np.dot(x, P[k], U)
            for i in range(m):
                R[i, k] = np.dot(U[i], x[i])
        count[:] = 0
        for i in range(m):
            t = lo + i
            best, top = 0, -np.inf
            for k in range(K):
                r = R[i, k]
                score = F[i, k] * (1 - r) + exploration * np.sqrt(r / (2 * (1 - r)))
                if score > top:
                    best, top = k, score
            predicted[t] = best
            updates[t] = 0
            if not answered[t]:
                continue
            k = best
            right = told[t] == k
            r, f = R[i, k], F[i, k]
            if right and f * (1 - r) >= phi * r / (2 * (1 - r)):
                continue
            step = (1.0 if right else -1.0) - f
            u = V[k, count[k]]
            u[:] = Ub[k, i]
            for s in range(count[k]):
                v = V[k, s]
                vx = np.dot(v, x[i])
                for e in range(d):
                    u[e] -= vx * v[e]
            g = gb[: m - i - 1]
            np.dot(x[i + 1 :], u, g)
            for a in range(i + 1, m):
                R[a, k] -= g[a - i - 1] ** 2
                F[a, k] += step * g[a - i - 1]
            C[k, count[k]] = step
            count[k] += 1
            updates[t] = 1
        for k in range(K):
            c = count[k]
            if c:
                np.dot(V[k, :c].T, V[k, :c], VV)
                Pk, w = P[k], W[k]
                Pk -= VV
                for s in range(c):
                    v = V[k, s]
                    for e in range(d):
                        w[e] += C[k, s] * v[e]
