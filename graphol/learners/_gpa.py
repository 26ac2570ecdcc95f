"""The graph perceptron's compiled stream."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def play(W, X, row, told, answered, always, predicted, updates):  # type: ignore[no-untyped-def]
    """Rounds 0..len(row)-1 of :class:`graphol.learners.gpa.GPA`; W (K, d) changes in place."""
    K, d = W.shape
    scores = np.empty(K)
    for t in range(len(row)):
        x = X[row[t]]
        for k in range(K):
            scores[k] = np.dot(W[k], x)
        best = np.argmax(scores)
        predicted[t] = best
        updates[t] = 0
        if not answered[t]:
            continue
        y = told[t]
        if best == y and not always:
            continue
        scores[y] = -np.inf
        j = np.argmax(scores)
        for i in range(d):
            W[y, i] += x[i]
            W[j, i] -= x[i]
        updates[t] = 2
