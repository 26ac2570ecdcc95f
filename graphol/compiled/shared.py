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

from typing import Any, NamedTuple

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


class Along(NamedTuple):
    """What is a learner's own in the loop of another (see :class:`graphol.api.Steps`)."""

    X: Any  # all vectors
    row: Any  # (T,), which of them are asked
    P: Any
    W: Any
    x: Any  # (d,), asked in this round
    u: Any  # (d,), P x
    r: Any  # (1,), x'P x
    f: Any  # (K,), scores
    best: Any  # (1,)
    tau: Any  # (K,), room
    draws: Any
    asking: Any
    deciding: Any


def foresee(own, stretch, t, scores):
    """The first part of a round in the loop of another."""
    x, u, f = own.x, own.u, own.f
    x[:] = own.X[own.row[t]]
    np.dot(own.P, x, u)
    own.r[0] = np.dot(x, u)
    best = 0
    for k in range(len(f)):
        f[k] = np.dot(own.W[k], x)
        if f[k] > f[best]:
            best = k
    own.best[0] = best
    scores[:] = show(f)
    return best, True, ask(f, own.r[0], best, stretch.first + t, own.draws[t], *own.asking)


def hear(own, stretch, t, said, heard, bits):
    """The second part of it."""
    W, u, f, tau = own.W, own.u, own.f, own.tau
    tau[:] = 0.0
    c, models = decide(f, own.r[0], own.best[0], heard, tau, *own.deciding)
    if c == 0.0:
        return 0
    if not 0.0 < c < np.inf:
        return -1
    blocks.take_off(own.P, u, c)
    for k in range(len(f)):
        for e in range(len(u)):
            W[k, e] += c * ((tau[k] - f[k]) * u[e])
    return models
