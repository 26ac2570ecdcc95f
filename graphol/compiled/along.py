"""The stack of `pool` round by round, with its experts in the same loop: bits, and questions.

What the experts hear depends on what the pool says, so none of them can play ahead. Their steps
(:class:`graphol.api.Steps`) are chained: the rules ``foresee_all`` and ``hear_all`` are
:func:`foresee` and :func:`hear` below, bound to the first expert's and to the same of all that
follow. The others are those of :mod:`graphol.bases.stacking`, and ``choose`` of
:mod:`graphol.bases.walks`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

first: Any = None  # the rules, bound by `compiled`
rest: Any = None
foresee_all: Any = None
hear_all: Any = None
bucket: Any = None
floored: Any = None
mix: Any = None
choose: Any = None
wanted: Any = None
learn: Any = None
leave: Any = None
BOTH, LABELS, BITS = 0, 1, 2  # what an expert understands


def foresee(own, stretch, t, e, who, scores, mine, asks):
    """Fill the scores of expert e and of all after it; is the node known to one of them?"""
    mine[e], known, asks[e] = first(own[0], stretch, t, scores[who[e]])
    return rest(own[1], stretch, t, e + 1, who, scores, mine, asks) or known


def nobody_foresees(own, stretch, t, e, who, scores, mine, asks):
    """The end of the chain."""
    return False


def hear(own, stretch, t, e, ears, mine, asks, said, heard, y, bits, models):
    """Tell expert e and all after it, as :func:`graphol.bases.guarded.told` has it.

    ``heard`` is what came back and y the label that it comes to, each -1 if it is none.
    """
    models[e] = 0
    if bits and ears[e] != LABELS:
        models[e] = first(own[0], stretch, t, said, heard, True)
    elif y >= 0 and ears[e] == BITS:
        models[e] = first(own[0], stretch, t, y, y, True)
    elif y >= 0 and asks[e]:
        models[e] = first(own[0], stretch, t, mine[e], y, False)
    rest(own[1], stretch, t, e + 1, ears, mine, asks, said, heard, y, bits, models)


def nobody_hears(own, stretch, t, e, ears, mine, asks, said, heard, y, bits, models):
    """The end of the chain."""


def play(
    theta, B, weights, losses, label, counts, plays, edges, own, who, ears, lead, lead_known,
    stretch, floor, bonus, rate, voi, out,
):  # fmt: skip
    """Play the stretch; all arrays of the states change in place.

    ``who`` (E',) are the experts that play, ``lead`` (T, K) the scores of the starter, if it does.
    Answers how many rounds were played: it ends before one in which an expert's scores are no
    numbers, and after one in which an expert broke. Who broke is said by ``models`` below 0.
    """
    node, told, bits = stretch.node, stretch.told, stretch.bits
    flips, led = len(stretch.flipped) > 0, len(lead) > 0
    indptr, indices = edges
    M, K, E = len(weights) - 1, len(counts), len(theta) // 5
    scores, Q, phi = np.zeros((M, K)), np.empty((M, K)), np.empty((E, K))
    p, mixture = np.empty(K), np.empty(K)
    mine, asks = np.zeros(len(who), np.int64), np.ones(len(who), np.bool_)
    models = np.zeros(len(who), np.int64)
    for t in range(len(node)):
        i = node[t]
        known = foresee_all(own, stretch, t, 0, who, scores, mine, asks)
        if led:
            scores[M - 1] = lead[t]
            known = known or lead_known[t]
        if not np.isfinite(scores).all():
            return t, models
        seen = (counts > 0) | (plays > 0)
        is_open = seen | (not seen.any())
        floored(scores, is_open, floor, Q)
        c = bucket(label, indptr, indices, i)
        mix(theta, weights, Q, is_open, c, phi, p, mixture)
        said = choose(mixture, plays, bonus) if plays.any() else np.argmax(mixture)
        out.predicted[t], out.known[t], out.updates[t] = said, known, 0
        if len(out.scores):
            out.scores[t] = mixture
        asked = wanted(label, indptr, indices, i, mixture, counts, stretch.first + t, rate, voi)
        out.query[t] = asked
        if not (asked and stretch.answered[t]):
            continue
        heard = told[t]
        if bits:
            right = (heard == said) != (flips and stretch.flipped[t])
            heard = said if right else -1
        y = 1 - said if heard < 0 and K == 2 else heard
        hear_all(own, stretch, t, 0, ears, mine, asks, said, heard, y, bits, models)
        out.updates[t] = 1
        broken = False
        for e in range(len(who)):
            if models[e] < 0:
                leave(weights, 1 + who[e])
                broken = True
            else:
                out.updates[t] += models[e]
        if seen[said if y < 0 else y]:
            learn(theta, B, weights, losses, Q, phi, p, mixture, c, y, said)
        if bits:
            plays[said] += 1
        if y >= 0:
            label[i] = y
            counts[y] += 1
        if broken:
            return t + 1, models
    return len(node), models
