"""Learners whose classes share one inverse: compiled streams in look-ahead blocks.

All nodes are known beforehand, only labels are not, so the products of a block of rounds are
taken at once: U = X P, the leverages r = diag(X U') and F = X W'. An update with gain c,

    P <- P - c u u',    w_k <- w_k + c (tau_k - f_k) u,    u = P x,

changes r and F of the rounds still to come in the block by multiples of g = X u; P and W follow at
the block's end. That is the same arithmetic up to rounding, and turns the d² work into matrix
products.

The rules are ``ask``, ``decide`` and ``show`` of :class:`graphol.bases.SharedInverse`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.compiled import blocks

BLOCK = 40
ask: Any = None  # the rules, bound by `compiled`
decide: Any = None
show: Any = None


def play(P, W, stretch, draws, asking, deciding, out):
    """Play the stretch; P (d, d) and W (K, d) change in place. A round with a bad gain, or -1."""
    X, row, told, answered = stretch.rows, stretch.row, stretch.told, stretch.answered
    predicted, updates, query = out.predicted, out.updates, out.query
    K, d = W.shape
    T = len(row)
    Xb = np.empty((BLOCK, d), P.dtype)
    Ub = np.empty((BLOCK, d), P.dtype)
    R = np.empty(BLOCK, P.dtype)
    F = np.empty((K, BLOCK), P.dtype)
    V = np.empty((BLOCK, d), P.dtype)  # sqrt(c) u of every update in the block
    C = np.empty((BLOCK, K), P.dtype)  # sqrt(c) (tau - f) of every update
    L = np.empty((BLOCK, BLOCK), P.dtype)  # L[i, s] = sqrt(c_s) x_i'u_s for the rounds i to come
    g = np.empty(BLOCK, P.dtype)
    back = np.empty(d, P.dtype)
    tau = np.empty(K)
    for lo in range(0, T, BLOCK):
        m = min(BLOCK, T - lo)
        for i in range(m):
            Xb[i] = X[row[lo + i]]
        x, U = Xb[:m], Ub[:m]
        np.dot(x, P, U)
        blocks.leverages(U, x, R)
        for k in range(K):  # one by one: a single product would break ties of equal models
            np.dot(x, W[k], F[k, :m])
        n = 0  # updates so far in this block
        for i in range(m):
            t = lo + i
            f, r = F[:, i], R[i]
            best = 0
            for k in range(1, K):
                if f[k] > f[best]:
                    best = k
            predicted[t] = best
            if len(out.scores):
                out.scores[t] = show(f)
            updates[t] = 0
            query[t] = ask(f, r, best, stretch.first + t, draws[t], *asking)
            if not (answered[t] and query[t]):
                continue
            tau[:] = 0.0  # where the rule leaves it alone, as in the plain loop
            c, models = decide(f, r, best, told[t], tau, *deciding)
            if c == 0.0:
                continue
            if not 0.0 < c < np.inf:
                return t
            root, step, v = np.sqrt(c), C[n], V[n]
            np.dot(L[i, :n], V[:n], back)
            for e in range(d):
                v[e] = root * (U[i, e] - back[e])
            for k in range(K):
                step[k] = root * (tau[k] - f[k])
            np.dot(x[i + 1 :], v, g[i + 1 : m])
            for a in range(i + 1, m):
                ga = g[a]
                L[a, n] = ga
                R[a] -= ga * ga
            for k in range(K):
                sk = step[k]
                for a in range(i + 1, m):
                    F[k, a] += sk * g[a]
            n += 1
            updates[t] = models
        if n:
            blocks.downdate(P, V[:n])
            for k in range(K):
                for s in range(n):
                    for e in range(d):
                        W[k, e] += C[s, k] * V[s, e]
    return -1


def foresee(own, stretch, t, scores):
    """As a step of another's loop; u = P x, r and f are kept for `hear`."""
    P, W, x, u, r, f, mine, tau, draws, asking, deciding = own
    x[:] = stretch.rows[stretch.row[t]]
    np.dot(P, x, u)
    r[0] = np.dot(x, u)
    best = 0
    for k in range(len(W)):
        f[k] = np.dot(W[k], x)
        if f[k] > f[best]:
            best = k
    mine[0] = best
    scores[:] = show(f)
    return best, True, ask(f, r[0], best, stretch.first + t, draws[t], *asking)


def hear(own, stretch, t, said, heard, bits):
    """As a step of another's loop."""
    P, W, x, u, r, f, mine, tau, draws, asking, deciding = own
    tau[:] = 0.0
    c, models = decide(f, r[0], mine[0], heard, tau, *deciding)
    if c == 0.0:
        return 0
    if not 0.0 < c < np.inf:
        return -1
    blocks.take_off(P, u, c)
    for k in range(len(W)):
        for e in range(len(x)):
            W[k, e] += c * ((tau[k] - f[k]) * u[e])
    return models
