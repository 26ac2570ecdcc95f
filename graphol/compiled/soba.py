"""SOBA's compiled stream: the Kd x Kd inverse is read after right answers, changed now and then.

Accepted rounds are kept as rows of V and reach P, which becomes P - V'V, a few dozen at a time: one
pass over a matrix of perhaps 100 MB instead of dozens. Until then A⁻¹ z = P z - V'(V z). Most right
answers are not accepted whatever z'A⁻¹z is, so for them P is not read at all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.compiled import blocks

PENDING = 32
explore: Any = None  # all three bound by `compiled`
chance: Any = None
rival: Any = None


def play(P, W, theta, surplus, stretch, draws, gamma, out):
    """Play the stretch; P (Kd, Kd), W, theta (K, d) and surplus (1,) change in place."""
    X, row, told, answered = stretch.rows, stretch.row, stretch.told, stretch.answered
    flipped, flips = stretch.flipped, len(stretch.flipped) > 0
    predicted, updates = out.predicted, out.updates
    K, d = W.shape
    scores = np.empty(K)
    V = np.empty((PENDING, K * d))
    Vz = np.empty(PENDING)
    difference = np.empty(d)
    n = 0
    if len(row) == 0:
        return
    widest = blocks.largest(P)
    for t in range(len(row)):
        x = X[row[t]]
        for k in range(K):
            scores[k] = np.dot(W[k], x)
        best = np.argmax(scores)
        y = explore(best, K, draws[t], gamma)
        predicted[t] = y
        if len(out.scores):
            out.scores[t] = scores
        updates[t] = 0
        if not answered[t] or (told[t] == y) == (flips and flipped[t]):
            continue
        p, j = chance(y, best, K, gamma), rival(scores, y)
        margin = scores[j] - scores[y]
        numerator = (margin**2 + 2.0 * margin) / p  # of m
        if surplus[0] + numerator / (1.0 + 2.0 * np.dot(x, x) / p * widest) < 0:
            continue
        root = np.sqrt(1.0 / p)
        zj, zy = j * d, y * d  # z is root x at zj.., -root x at zy.. and 0 elsewhere
        difference[:] = 0.0  # A⁻¹ z at zj.. less that at zy.., which is all that z'A⁻¹z needs
        for e in range(d):
            xe, other, own = root * x[e], P[zj + e], P[zy + e]
            for q in range(d):
                difference[q] += xe * (
                    (other[zj + q] - own[zj + q]) - (other[zy + q] - own[zy + q])
                )
        leverage = root * np.dot(difference, x)
        for s in range(n):
            Vz[s] = root * (np.dot(V[s, zj : zj + d], x) - np.dot(V[s, zy : zy + d], x))
            leverage -= Vz[s] ** 2
        m = numerator / (1.0 + leverage)
        if surplus[0] + m < 0:
            continue
        surplus[0] += m
        for e in range(d):
            theta[j, e] -= x[e] / p
            theta[y, e] += x[e] / p
        u = V[n]
        u[:] = 0.0
        for e in range(d):  # P is symmetric: its rows are its columns
            xe, other, own = root * x[e], P[zj + e], P[zy + e]
            for q in range(K * d):
                u[q] += xe * (other[q] - own[q])
        for s in range(n):
            vz, Vs = Vz[s], V[s]
            for q in range(K * d):
                u[q] -= vz * Vs[q]
        gain = (margin * root + root) / (1.0 + leverage)
        w = W.reshape(K * d)
        shrink = 1.0 / np.sqrt(1.0 + leverage)
        for q in range(K * d):
            w[q] -= gain * u[q]
            u[q] *= shrink
        updates[t] = 2
        n += 1
        if n == PENDING:
            blocks.downdate(P, V)
            n = 0
    if n:
        blocks.downdate(P, V[:n])
