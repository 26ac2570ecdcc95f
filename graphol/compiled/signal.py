"""Learners of a sparse linear model over signals: compiled streams.

One loop for all of them; what a learner does with a gradient is its rule ``move``, see
:class:`graphol.bases.SignalLearner`, or where it projects twice :func:`move_by_head_and_tail` with
the rules of :class:`graphol.bases.HeadAndTail` and the compiled forms of its two projections.
"""

from __future__ import annotations

from typing import Any

move: Any = None  # the rules, bound by `compiled`
aim: Any = None
head: Any = None
tail: Any = None
score: Any = None  # what both loops share, bound as well
slope: Any = None
take_in: Any = None


def play(model, real, limit, stretch, moving, out):
    """Play the stretch; the round in which the weights overflowed, or -1."""
    X, row, told, answered = stretch.rows, stretch.row, stretch.told, stretch.answered
    predicted, updates = out.predicted, out.updates
    w, average, rounds, missed = model.w, model.average, model.rounds, model.missed
    for i in range(len(row)):
        x = X[row[i]]
        s = score(w, x)
        if not abs(s) < limit:
            return i
        predicted[i] = s if real else (1 if s >= 0 else -1)
        updates[i] = 0
        if not answered[i]:
            continue
        y, t = told[i], rounds[0]
        if not real:
            missed[0] += (s >= 0) != (y > 0)
            missed[1] += (score(average, x) >= 0) != (y > 0)
        if not move(model, x, slope(real, s, y), t, *moving):
            return i
        take_in(average, w, t)
        rounds[0] = t + 1
        updates[i] = 1
    return -1


def move_by_head_and_tail(model, x, by, t, room, heads, tails, aiming, moving):
    """Aim, project, move, project; False if a vector to project is not finite."""
    p = len(x)
    aim(model, x, by, t, *aiming)
    if head(model.dual[:p], heads, model.memory[:1], room) < 0:
        return False
    move(model, room, t, *moving)
    return tail(room, tails, model.memory[1:], model.w[:p]) >= 0
