"""First-order learners: compiled streams, O(Kd) a round.

The rules are ``choose`` and ``move`` of :class:`graphol.bases.FirstOrder`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.compiled import blocks

choose: Any = None  # the rules, bound by `compiled`
move: Any = None


def play(W, stretch, draws, bits, choosing, moving, out):
    """Play the stretch; W (K, d), or (1, d) for signs, changes in place.

    With ``bits`` the learner hears whether it was right, else the label.
    """
    X, row, told, answered = stretch.rows, stretch.row, stretch.told, stretch.answered
    flipped, flips = stretch.flipped, len(stretch.flipped) > 0
    predicted, updates = out.predicted, out.updates
    K = len(W)
    f = np.empty(K)
    for t in range(len(row)):
        x = X[row[t]]
        blocks.scores(W, x, f)
        best = np.argmax(f)
        said = choose(best, K, draws[t], *choosing) if K > 1 else (1 if f[0] >= 0 else -1)
        predicted[t] = said
        if len(out.scores):
            out.scores[t] = f
        updates[t] = 0
        if answered[t]:
            heard = int((told[t] == said) != (flips and flipped[t])) if bits else told[t]
            updates[t] = move(W, x, f, best, said, heard, *moving)
