"""The stream of `walk`: a round costs what its pushes visit.

The rules are ``shares``, ``choose``, ``asks`` and ``learn`` of :mod:`graphol.bases.walks`, and
``spread`` of :mod:`graphol.bases.pushes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

shares: Any = None  # the rules, bound by `compiled`
choose: Any = None
asks: Any = None
learn: Any = None
spread: Any = None


def play(web, own, component, z, F, r, counts, plays, reached, stretch, bonus, rate, voi, out):
    """Play the stretch; all arrays of the state change in place. How many nodes were visited."""
    node, told, answered = stretch.node, stretch.told, stretch.answered
    bits, flips = stretch.bits, len(stretch.flipped) > 0
    n, K = F.shape
    p = np.empty(K)
    queue = np.empty(n, np.int32)
    visits = 0
    for t in range(len(node)):
        i = node[t]
        shares(web, z, F, r, counts, plays, i, own[i], p)
        if len(out.scores):
            out.scores[t] = p
        said = choose(p, plays, bonus)
        out.predicted[t] = said
        out.known[t] = reached[component[i]]
        out.query[t] = asks(web, z, p, counts, i, stretch.first + t, rate, voi)
        out.updates[t] = 0
        if not (answered[t] and out.query[t]):
            continue
        heard = told[t]
        if bits:
            right = (heard == said) != (flips and stretch.flipped[t])
            heard = said if right else -1
        models, waiting = learn(web, z, F, r, counts, plays, i, said, heard, bits, queue)
        out.updates[t] = models
        if models > 0:
            reached[component[i]] = True
            visits += spread(web, z, F, r, queue, waiting)
    return visits
