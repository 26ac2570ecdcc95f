"""The stream of `fastonl`: a vote that every label joins with one push.

The rule is ``column`` of :mod:`graphol.bases.pushes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

column: Any = None  # the rule, bound by `compiled`


def play(web, weight, component, label, F, r, reached, stretch, out):
    """Play the stretch; all arrays of the state change in place. How many nodes were visited."""
    node, told, answered = stretch.node, stretch.told, stretch.answered
    n, K = F.shape
    queue, touched = np.empty(n, np.int32), np.empty(n, np.int32)
    visits = 0
    for t in range(len(node)):
        i = node[t]
        best = 0
        for k in range(1, K):
            if F[i, k] > F[i, best]:
                best = k
        out.predicted[t] = best
        if len(out.scores):
            out.scores[t] = F[i]
        out.known[t] = reached[component[i]]
        out.updates[t] = 0
        y, before = told[t], label[i]
        if not answered[t] or y == before:
            continue
        if before >= 0:
            visits += column(web, i, -weight[i], before, F, r, queue, touched)
        visits += column(web, i, weight[i], y, F, r, queue, touched)
        label[i] = y
        reached[component[i]] = True
        out.updates[t] = 1 if before < 0 else 2
    return visits
