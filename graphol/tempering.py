"""Scores of learners as evidence, and the temperature at which it is a probability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphol.api import Integers, Matrix, Vector
from graphol.bases.logistic import softmax

FLOOR = 0.02
"""A share that every class has in a learner's scores, however sure it is."""
LOOSE = 3.0
"""How much a temperature is held at 1: the square of a change costs half as many nats."""


def usual_lead(scores: Matrix, known: NDArray[np.bool_]) -> float:
    """By how much the best score is above the mean one, where anything is known."""
    if not known.any():
        return 1.0
    lead = float((scores.max(axis=1) - scores.mean(axis=1))[known].mean())
    return lead if lead > 0 else 1.0


def evidence(scores: Matrix, known: NDArray[np.bool_], lead: float | None = None) -> Matrix:
    """What scores say for every class, in units of a logarithm, (m, K); 0: nothing.

    Without a lead scores are shares, and what is negative counts as 0; with one they are margins,
    which count as much as K is large where they lead as usual.
    """
    K = scores.shape[1]
    if lead is None:
        positive = np.maximum(scores, 0.0)
        total = positive.sum(axis=1, keepdims=True)
        shares = np.divide(positive, total, out=np.full_like(positive, 1 / K), where=total > 0)
        found = np.log((shares + FLOOR / K) / (1 + FLOOR))
    else:
        found = scores / lead * np.log(K)
    found = found - found.mean(axis=1, keepdims=True)
    found[~known] = 0.0
    return np.asarray(found)


def probabilities(w: Vector, Z: Matrix) -> Matrix:
    """softmax of the weighted sum of evidence (E, m, K): rows (m, K) that sum to 1."""
    found: Matrix = softmax(np.tensordot(w, Z, axes=1))
    return found


def loss(p: Matrix, y: Integers) -> float:
    """The sum of -log of what the labels were given, in nats."""
    return float(-np.log(np.maximum(p[np.arange(len(y)), y], 1e-300)).sum())


def fit_weights(Z: Matrix, y: Integers, centre: Vector, stiff: float) -> Vector:
    r"""Weights >= 0 that make held-out labels likely, and stay near a centre.

    Minimises :math:`-\sum_i \log p_{i y_i} + \tfrac s2 \sum_e (w_e - c_e)^2`, which is convex, for
    evidence Z (E, m, K). With one learner the weight is the inverse of a temperature.
    """
    from scipy.optimize import minimize

    if not len(y):
        return centre.copy()
    own = Z[:, np.arange(len(y)), y].sum(axis=1)

    def objective(w: Vector) -> tuple[float, Vector]:
        p, apart = probabilities(w, Z), w - centre
        slope = np.einsum("emk,mk->e", Z, p) - own + stiff * apart
        return loss(p, y) + stiff / 2 * float(apart @ apart), slope

    bounds = [(0.0, None)] * len(centre)
    found: Vector = minimize(objective, centre, jac=True, method="L-BFGS-B", bounds=bounds).x
    return found
