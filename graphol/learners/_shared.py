"""Learners whose classes share one inverse: compiled streams in look-ahead blocks.

All nodes are known beforehand, only labels are not, so the products of a block of rounds are
taken at once: U = X P, the leverages r = diag(X U') and F = X W'. An update with gain c,

    P <- P - c u u',    w_k <- w_k + c (tau_k - f_k) u,    u = P x,

changes r and F of the rounds still to come in the block by multiples of g = X u; P and W follow at
the block's end. That is the same arithmetic up to rounding, and turns the d² work into matrix
products.

A learner is three rules: ``ask`` (does it want the label?), ``decide`` (which gain, for which
targets tau?) and how many class models an update counts as.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from graphol.learners import _blocks, _draws
from graphol.learners._template import compiled

BLOCK = 40
ask: Any = None  # the rules, bound by `compiled`
decide: Any = None


def play(P, W, X, row, told, answered, first, seed, params, predicted, updates, query):  # type: ignore[no-untyped-def]
    """Rounds first..first+len(row)-1; P (d, d) and W (K, d) change in place."""
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
        for i in range(m):
            R[i] = np.dot(U[i], x[i])
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
            updates[t] = 0
            query[t] = ask(f, r, best, first + t, seed, params)
            if not (answered[t] and query[t]):
                continue
            c, models = decide(f, r, best, told[t], params, tau)
            if c == 0.0:
                continue
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
            _blocks.downdate(P, V[:n])
            for k in range(K):
                for s in range(n):
                    for e in range(d):
                        W[k, e] += C[s, k] * V[s, e]


def always(f, r, best, t, seed, params):  # type: ignore[no-untyped-def]
    """Every label is wanted."""
    return True


@njit
def rival(f, y):  # type: ignore[no-untyped-def]
    """The best-scored class other than y; ties go to the lowest."""
    j = 0 if y != 0 else 1
    for k in range(len(f)):
        if k != y and f[k] > f[j]:
            j = k
    return j


def molg_f(f, r, best, y, params, tau):  # type: ignore[no-untyped-def]
    """Wrong, or margin below phi times the uncertainty: a = 1/(1-r), whose gain is 1."""
    phi = params[0]
    j = rival(f, y)
    if best == y and (f[y] - f[j]) * (1 - r) >= phi * r / (2 * (1 - r)):
        return 0.0, 0
    tau[:] = 0.0
    tau[y] = 1.0
    tau[j] = -1.0
    return 1.0, 2


def oslg(f, r, best, y, params, tau):  # type: ignore[no-untyped-def]
    """Wrong: all classes move, with a = 1."""
    if best == y:
        return 0.0, 0
    tau[:] = -1.0
    tau[y] = 1.0
    return 1.0 / (1.0 + r), len(f)


def msg(f, r, best, y, params, tau):  # type: ignore[no-untyped-def]
    """Wrong, or margin below its uncertainty: the true class and its rival move, with a = 1."""
    j = rival(f, y)
    if best == y and f[y] - f[j] >= params[1] * np.sqrt(max(r, 0.0)):
        return 0.0, 0
    tau[:] = 0.0
    tau[y] = 1.0
    tau[j] = -1.0
    return 1.0 / (1.0 + r), 2


def msg_ask(f, r, best, t, seed, params):  # type: ignore[no-untyped-def]
    """With probability delta / (delta + sure), sure = margin less its uncertainty, at least 0."""
    sure = f[best] - f[rival(f, best)] - params[1] * np.sqrt(max(r, 0.0))
    return _draws.uniform(seed, t) * (params[0] + max(sure, 0.0)) < params[0]


play_molg_f = compiled(play, "molg_f", ask=always, decide=molg_f)
play_oslg = compiled(play, "oslg", ask=always, decide=oslg)
play_msg = compiled(play, "msg", ask=msg_ask, decide=msg)
