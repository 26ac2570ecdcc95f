r"""Mistake bounds: formulas, and what their proofs are made of. Proofs: docs/theory/bounds.md.

Notation: rounds 1..T, M the rounds with a mistake (m of them), U ⊇ M the rounds learnt from,
:math:`r_t = x_t^\top A^{-1} x_t` before round t is learnt. Comparators u (one row per class) are
fixed models, and their losses are summed over *all* rounds: over the mistakes alone u = 0 would
say m <= m. Every bound holds for every u, so it is evaluated at the models found in hindsight,
each at its best scale.

A formula is a function of a :class:`graphol.api.Finished` game and the learner's parameters; a
learner that is :class:`graphol.api.Bounded` calls one of these, or has its own.
"""

from graphol.bounds.cuts import (
    corollary5,
    cut_size,
    labels_bought,
    labels_learnt,
    theorem4,
)
from graphol.bounds.formulas import (
    adaptive_perceptron,
    adaptive_played_ridge,
    banditron,
    perceptron,
    played_ridge,
    second_order_perceptron,
    shared_ridge,
)
from graphol.bounds.ingredients import SCALES, centred, hinge_bound, least, logdet, replay
from graphol.bounds.switching import (
    matrix_winnow,
    matrix_winnow_printed,
    measures,
    multitask_perceptron,
    theorem1,
    tracking_perceptron,
)

__all__ = [
    "SCALES", "adaptive_perceptron", "adaptive_played_ridge", "banditron", "centred", "corollary5",
    "cut_size", "hinge_bound", "labels_bought", "labels_learnt", "least", "logdet", "matrix_winnow",
    "matrix_winnow_printed", "measures", "multitask_perceptron", "perceptron", "played_ridge",
    "replay", "second_order_perceptron", "shared_ridge", "theorem1", "theorem4",
    "tracking_perceptron",
]  # fmt: skip
