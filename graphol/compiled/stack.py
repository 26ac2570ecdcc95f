"""The stack of `pool` over a whole stretch, given the scores of its members.

The rules are those of :mod:`graphol.bases.stacking`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

bucket: Any = None  # the rules, bound by `compiled`
floored: Any = None
mix: Any = None
learn: Any = None
leave: Any = None


def play(
    theta, B, weights, losses, label, counts, plays, edges, members, gone, stretch, floor, out
):
    """Play the stretch; all arrays of the state change in place.

    ``members`` (T, M, K) are scores, of which those from round ``gone[e]`` on do not count.
    """
    node, told, answered = stretch.node, stretch.told, stretch.answered
    indptr, indices = edges
    M, K = len(weights) - 1, len(counts)
    E = len(theta) // 5
    Q, phi = np.empty((M, K)), np.empty((E, K))
    p, mixture = np.empty(K), np.empty(K)
    for t in range(len(node)):
        i = node[t]
        for e in range(M):
            if gone[e] == t:
                leave(weights, 1 + e)
            if gone[e] <= t:
                members[t, e] = 0.0
        seen = (counts > 0) | (plays > 0)
        is_open = seen | (not seen.any())
        floored(members[t], is_open, floor, Q)
        c = bucket(label, indptr, indices, i)
        mix(theta, weights, Q, is_open, c, phi, p, mixture)
        out.predicted[t] = np.argmax(mixture)
        if len(out.scores):
            out.scores[t] = mixture
        if not answered[t]:
            continue
        y = told[t]
        if seen[y]:
            learn(theta, B, weights, losses, Q, phi, p, mixture, c, y, y)
        label[i] = y
        counts[y] += 1
        out.updates[t] += 1
