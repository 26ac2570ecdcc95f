"""Bandits with one inverse per class: compiled streams in look-ahead blocks.

For a block of m rounds F = X W' is taken at once. Only the class that was played changes, with
gain c:

    P_k <- P_k - c u u',    w_k <- w_k + c (±1 - f_k) u,    u = P_k x,

so within the block r_k loses c g² and F_k gains a multiple of g = X u; P_k and W_k follow at the
block's end.

Most classes need no r_k = x'P_k x at all. P_k only shrinks, so r_k is at most ||x||² times P_k's
largest eigenvalue at the start, and a class that cannot be the best with any such r_k is passed
over. The others are known at the start of the block, but for a few that updates within it bring
back, so their u_k = P_k x are one matrix product per class. Nothing is approximate: what is played
is the best of all classes. Classes never played keep P_k = I/b and f_k = 0 and are treated alike
everywhere, so their ties are exact here too.

A learner is three rules: ``value`` (what a class is worth playing for), ``reach`` (the least and
the most it can be worth) and ``weigh`` (the gain).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.learners import _blocks
from graphol.learners._template import compiled

BLOCK = 96
value: Any = None  # the rules, bound by `compiled`
reach: Any = None
weigh: Any = None


def play(P, W, X, row, told, answered, params, predicted, updates):  # type: ignore[no-untyped-def]
    """A stream's rounds; P (K, d, d) and W (K, d) change in place."""
    K, d = W.shape
    T = len(row)
    if T == 0:
        return
    Xb = np.empty((BLOCK, d), P.dtype)
    Fb = np.empty((BLOCK, K), P.dtype)
    R = np.empty((BLOCK, K), P.dtype)
    most = np.empty((BLOCK, K))  # bound on r
    high = np.empty(K)
    Y = np.empty((BLOCK, d), P.dtype)  # the rows for which one class may be the best
    U = np.empty((K, BLOCK, d), P.dtype)
    slot = np.empty((K, BLOCK), dtype=np.int64)  # round i is row slot[k, i] of U[k], or -1
    used = np.empty(K, dtype=np.int64)
    V = np.empty((K, BLOCK, d), P.dtype)  # sqrt(c) u of every update in the block, by class
    C = np.empty((K, BLOCK), P.dtype)  # sqrt(c) (±1 - f) of every update
    count = np.empty(K, dtype=np.int64)
    gb = np.empty(BLOCK, P.dtype)  # sqrt(c) x_a'u for the rounds still to come
    widest = np.empty(K)
    for k in range(K):
        widest[k] = _blocks.largest(P[k])
    for lo in range(0, T, BLOCK):
        m = min(BLOCK, T - lo)
        for i in range(m):
            Xb[i] = X[row[lo + i]]
        x, F = Xb[:m], Fb[:m]
        np.dot(x, W.T, F)
        count[:] = 0
        used[:] = 0
        slot[:] = -1
        for i in range(m):
            norm = np.dot(x[i], x[i])
            floor = -np.inf
            for k in range(K):
                most[i, k] = norm * widest[k]
                low, high[k] = reach(F[i, k], most[i, k], params)
                floor = max(floor, low)
            for k in range(K):
                if not high[k] < floor:
                    slot[k, i] = used[k]
                    used[k] += 1
        for k in range(K):
            for i in range(m):
                if slot[k, i] >= 0:
                    Y[slot[k, i]] = x[i]
            np.dot(Y[: used[k]], P[k], U[k, : used[k]])
            for i in range(m):
                if slot[k, i] >= 0:
                    R[i, k] = np.dot(U[k, slot[k, i]], x[i])
        for i in range(m):
            t = lo + i
            floor = -np.inf
            for k in range(K):
                low, high[k] = reach(F[i, k], most[i, k], params)
                floor = max(floor, low)
            best, top = 0, -np.inf
            for k in range(K):
                if high[k] < floor:
                    continue
                if slot[k, i] < 0:
                    u = U[k, used[k]]
                    slot[k, i] = used[k]
                    used[k] += 1
                    np.dot(P[k], x[i], u)
                    R[i, k] = np.dot(u, x[i])
                    for s in range(count[k]):
                        R[i, k] -= np.dot(V[k, s], x[i]) ** 2
                worth = value(F[i, k], R[i, k], params)
                if worth > top:
                    best, top = k, worth
            predicted[t] = best
            updates[t] = 0
            if not answered[t]:
                continue
            k = best
            right = told[t] == k
            c = weigh(F[i, k], R[i, k], right, params)
            if c == 0.0:
                continue
            root = np.sqrt(c)
            step = root * ((1.0 if right else -1.0) - F[i, k])
            v = V[k, count[k]]
            v[:] = U[k, slot[k, i]]
            for s in range(count[k]):
                vs = V[k, s]
                vx = np.dot(vs, x[i])
                for e in range(d):
                    v[e] -= vx * vs[e]
            for e in range(d):
                v[e] *= root
            g = gb[: m - i - 1]
            np.dot(x[i + 1 :], v, g)
            for a in range(i + 1, m):
                R[a, k] -= g[a - i - 1] ** 2
                F[a, k] += step * g[a - i - 1]
            C[k, count[k]] = step
            count[k] += 1
            updates[t] = 1
        for k in range(K):
            n = count[k]
            if n:
                _blocks.downdate(P[k], V[k, :n])
                w = W[k]
                for s in range(n):
                    v = V[k, s]
                    for e in range(d):
                        w[e] += C[k, s] * v[e]


def molg_b_value(f, r, params):  # type: ignore[no-untyped-def]
    """The shrunk score and a bonus for what is not known."""
    return f * (1 - r) + params[1] * np.sqrt(r / (2 * (1 - r)))


def molg_b_reach(f, most, params):  # type: ignore[no-untyped-def]
    """The shrunk score without bonus, and with the largest."""
    if most >= 1:
        return -np.inf, np.inf
    bonus = params[1] * np.sqrt(most / (2 * (1 - most)))
    return min(f, f * (1 - most)), max(f, f * (1 - most)) + bonus


def molg_b(f, r, right, params):  # type: ignore[no-untyped-def]
    """Wrong, or score below phi times the uncertainty: a = 1/(1-r), whose gain is 1."""
    if right and f * (1 - r) >= params[0] * r / (2 * (1 - r)):
        return 0.0
    return 1.0


def upper_bound(f, r, params):  # type: ignore[no-untyped-def]
    """The score and the width of its confidence interval."""
    return f + params[0] * np.sqrt(max(r, 0.0))


def upper_bound_reach(f, most, params):  # type: ignore[no-untyped-def]
    """The score, without and with the widest interval."""
    return f, f + params[0] * np.sqrt(most)


def every_round(f, r, right, params):  # type: ignore[no-untyped-def]
    """Ridge regression, a = 1."""
    return 1.0 / (1.0 + r)


play_molg_b = compiled(play, "molg_b", value=molg_b_value, reach=molg_b_reach, weigh=molg_b)
play_upper_bound = compiled(
    play, "upper_bound", value=upper_bound, reach=upper_bound_reach, weigh=every_round
)
