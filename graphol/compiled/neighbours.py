"""Streams of learners from the labels around a node: a round costs what its neighbours do.

The rules are ``share``, ``learn`` and ``shun`` of :class:`graphol.bases.neighbours.Neighbours`, and
``say`` and ``note`` beside it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

share: Any = None  # the rules, bound by `compiled`
learn: Any = None
shun: Any = None
say: Any = None
note: Any = None
NOT_THIS = -2  # what `note` says of a wrong answer


def play(edges, told, model, stretch, bonus, sharing, learning, shunning, out):
    """Play the stretch; all arrays of the state change in place."""
    bits, flips = stretch.bits, len(stretch.flipped) > 0
    K = len(told.counts)
    p = np.empty(K)
    for t in range(len(stretch.node)):
        i = stretch.node[t]
        out.known[t] = share(edges, told, model, i, p, *sharing)
        said = say(told, i, p, bonus)
        out.predicted[t] = said
        if len(out.scores):
            out.scores[t] = p
        out.updates[t] = 0
        if not stretch.answered[t]:
            continue
        heard = stretch.told[t]
        if bits:
            right = (heard == said) != (flips and stretch.flipped[t])
            heard = said if right else -1
        y, before = note(told, i, said, heard, bits)
        if y >= 0:
            learn(edges, told, model, i, y, before, *learning)
            out.updates[t] = K
        else:
            if y == NOT_THIS:
                shun(edges, told, model, i, said, *shunning)
            out.updates[t] = 1 if bits else 0


class Along(NamedTuple):
    """What is a learner's own in the loop of another (see :class:`graphol.api.Steps`)."""

    edges: Any
    told: Any
    model: Any
    bonus: float
    sharing: Any
    learning: Any
    shunning: Any


def foresee(own, stretch, t, p):
    """The first part of a round in the loop of another."""
    i = stretch.node[t]
    known = share(own.edges, own.told, own.model, i, p, *own.sharing)
    return say(own.told, i, p, own.bonus), known, True


def hear(own, stretch, t, said, heard, bits):
    """The second part of it."""
    i = stretch.node[t]
    y, before = note(own.told, i, said, heard, bits)
    if y >= 0:
        learn(own.edges, own.told, own.model, i, y, before, *own.learning)
        return len(own.told.counts)
    if y == NOT_THIS:
        shun(own.edges, own.told, own.model, i, said, *own.shunning)
    return 1 if bits else 0
