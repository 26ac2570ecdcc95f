"""First-order learners: compiled streams, O(Kd) a round."""

from __future__ import annotations

import numpy as np
from numba import njit

from graphol.learners import _draws


@njit(cache=True, nogil=True)
def gpa(W, X, row, told, answered, always, predicted, updates):  # type: ignore[no-untyped-def]
    """Graph perceptron; W (K, d), or (1, d) for signs, changes in place."""
    K, d = W.shape
    scores = np.empty(K)
    for t in range(len(row)):
        x = X[row[t]]
        for k in range(K):
            scores[k] = np.dot(W[k], x)
        best = np.argmax(scores)
        predicted[t] = best if K > 1 else (1 if scores[0] >= 0 else -1)
        updates[t] = 0
        if not answered[t] or (predicted[t] == told[t] and not always):
            continue
        if K == 1:
            for i in range(d):
                W[0, i] += told[t] * x[i]
            updates[t] = 1
            continue
        y = told[t]
        scores[y] = -np.inf
        j = np.argmax(scores)
        for i in range(d):
            W[y, i] += x[i]
            W[j, i] -= x[i]
        updates[t] = 2


@njit(cache=True, nogil=True)
def banditron(W, X, row, told, answered, first, seed, gamma, predicted, updates):  # type: ignore[no-untyped-def]
    """Banditron; W (K, d) changes in place."""
    K, d = W.shape
    scores = np.empty(K)
    for t in range(len(row)):
        x = X[row[t]]
        for k in range(K):
            scores[k] = np.dot(W[k], x)
        best = np.argmax(scores)
        played = _draws.explore(best, K, gamma, _draws.uniform(seed, first + t))
        predicted[t] = played
        updates[t] = 0
        if not answered[t]:
            continue
        for i in range(d):
            W[best, i] -= x[i]
        if told[t] == played:
            p = gamma / K + (1.0 - gamma if played == best else 0.0)
            for i in range(d):
                W[played, i] += x[i] / p
        updates[t] = 1 if told[t] != played or played == best else 2
