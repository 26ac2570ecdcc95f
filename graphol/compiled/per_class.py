"""Bandits with one inverse per class: compiled streams in look-ahead blocks.

For a block of m rounds F = X W' is taken at once. Only the class that was played changes (all, if
``tells_all`` and it was right: the others learn -1), with gain c:

    P_k <- P_k - c u u',    w_k <- w_k + c (±1 - f_k) u,    u = P_k x,

so within the block r_k loses c g² and F_k gains a multiple of g = X u; P_k and W_k follow at the
block's end.

Most classes need no r_k = x'P_k x at all. P_k only shrinks, so r_k is at most ||x||² times P_k's
largest eigenvalue at the start, and a class that cannot be the best with any such r_k is passed
over. The others are known at the start of the block, but for a few that updates within it bring
back, so their u_k = P_k x are one matrix product per class. Nothing is approximate: what is played
is the best of all classes. Classes never played keep P_k = I/b and f_k = 0 and are treated alike
everywhere, so their ties are exact here too. Where scores are kept, no class is passed over.

The rules are ``value``, ``reach`` and ``weigh`` of :class:`graphol.bases.PerClassBandit`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphol.compiled import blocks

BLOCK = 96
value: Any = None  # the rules, bound by `compiled`
reach: Any = None
weigh: Any = None


def _late(P, x, V, u):
    """x'P x less what the block's updates took, for a class that was passed over; u = P x."""
    np.dot(P, x, u)
    r = np.dot(u, x)
    for s in range(len(V)):
        r -= np.dot(V[s], x) ** 2
    return r


def play(P, W, stretch, tells_all, valuing, reaching, weighing, out):
    """Play the stretch; P (K, d, d), W (K, d) change in place. A round with a bad gain, or -1."""
    X, row, told, answered = stretch.rows, stretch.row, stretch.told, stretch.answered
    flipped, flips = stretch.flipped, len(stretch.flipped) > 0
    predicted, updates, scores = out.predicted, out.updates, out.scores
    keeping = len(scores) > 0
    K, d = W.shape
    T = len(row)
    if T == 0:
        return -1
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
        widest[k] = blocks.largest(P[k])
    for lo in range(0, T, BLOCK):
        m = min(BLOCK, T - lo)
        for i in range(m):
            Xb[i] = X[row[lo + i]]
        x, F = Xb[:m], Fb[:m]
        if tells_all:  # one by one: a single product would break ties of equal models
            for k in range(K):
                np.dot(x, W[k], gb[:m])
                F[:, k] = gb[:m]
        else:
            np.dot(x, W.T, F)
        count[:] = 0
        used[:] = 0
        slot[:] = -1
        for i in range(m):
            norm = np.dot(x[i], x[i])
            floor = -np.inf
            for k in range(K):
                most[i, k] = norm * widest[k]
                low, high[k] = reach(F[i, k], most[i, k], *reaching)
                floor = max(floor, low)
            for k in range(K):
                if keeping or not high[k] < floor:
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
                low, high[k] = reach(F[i, k], most[i, k], *reaching)
                floor = max(floor, low)
            best, top = 0, -np.inf
            for k in range(K):
                if high[k] < floor and not keeping:
                    continue
                if slot[k, i] < 0:
                    slot[k, i] = used[k]
                    R[i, k] = _late(P[k], x[i], V[k, : count[k]], U[k, used[k]])
                    used[k] += 1
                worth = value(F[i, k], R[i, k], *valuing)
                if keeping:
                    scores[t, k] = worth
                if worth > top:
                    best, top = k, worth
            if top == -np.inf:
                return t
            predicted[t] = best
            updates[t] = 0
            if not answered[t]:
                continue
            right = (told[t] == best) != (flips and flipped[t])
            first, last = (0, K) if tells_all and right else (best, best + 1)
            for k in range(first, last):
                if slot[k, i] < 0:
                    slot[k, i] = used[k]
                    R[i, k] = _late(P[k], x[i], V[k, : count[k]], U[k, used[k]])
                    used[k] += 1
                hit = right and k == best
                c = weigh(F[i, k], R[i, k], hit, *weighing)
                if c == 0.0:
                    continue
                if not 0.0 < c < np.inf:
                    return t
                root = np.sqrt(c)
                step = root * ((1.0 if hit else -1.0) - F[i, k])
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
                updates[t] += 1
        for k in range(K):
            n = count[k]
            if n:
                blocks.downdate(P[k], V[k, :n])
                w = W[k]
                for s in range(n):
                    v = V[k, s]
                    for e in range(d):
                        w[e] += C[k, s] * v[e]
    return -1


class Along(NamedTuple):
    """What is a learner's own in the loop of another (see :class:`graphol.api.Steps`)."""

    X: Any  # all vectors
    row: Any  # (T,), which of them are asked
    P: Any
    W: Any
    x: Any  # (d,), asked in this round
    U: Any  # (K, d), P_k x
    R: Any  # (K,), x'P_k x
    F: Any  # (K,), w_k'x
    tells_all: bool
    valuing: Any
    weighing: Any


def foresee(own, stretch, t, scores):
    """The first part of a round in the loop of another, one product per class."""
    x, U, R, F = own.x, own.U, own.R, own.F
    x[:] = own.X[own.row[t]]
    best = 0
    for k in range(len(F)):
        np.dot(own.P[k], x, U[k])
        R[k] = np.dot(U[k], x)
        F[k] = np.dot(own.W[k], x)
        scores[k] = value(F[k], R[k], *own.valuing)
        if scores[k] > scores[best]:
            best = k
    return best, True, True


def hear(own, stretch, t, said, heard, bits):
    """The second part of it."""
    W, U, F, K = own.W, own.U, own.F, len(own.F)
    right = heard == said
    first, last = (0, K) if own.tells_all and right else (said, said + 1)
    models = 0
    for k in range(first, last):
        hit = right and k == said
        c = weigh(F[k], own.R[k], hit, *own.weighing)
        if c == 0.0:
            continue
        if not 0.0 < c < np.inf:
            return -1
        blocks.take_off(own.P[k], U[k], c)
        step = c * ((1.0 if hit else -1.0) - F[k])
        for e in range(W.shape[1]):
            W[k, e] += step * U[k, e]
        models += 1
    return models
