"""Scores become probabilities by labels that were held out; how far these can be trusted."""

from __future__ import annotations

from typing import NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Integers, Matrix, Vector
from graphol.bases.logistic import softmax

FLOOR = 0.02
"""A share that every class has in a learner's scores, however sure it is."""
STIFF = 10.0
"""How many answers the usual weights are worth, where held-out answers would change them."""
BINS = 10


def evidence(scores: Matrix | None, label: Integers, known: NDArray[np.bool_], K: int) -> Matrix:
    """What a learner's scores say for every class, in units of a logarithm, (m, K); 0: nothing.

    Scores that are not negative are taken for shares, all others for margins.
    """
    if scores is None:
        scores = np.zeros((len(label), K))
        scores[np.arange(len(label)), label] = 1.0
    total = scores.sum(axis=1, keepdims=True)
    if scores.min(initial=0.0) >= 0.0:
        shares = np.divide(scores, total, out=np.full_like(scores, 1 / K), where=total > 0)
        found = np.log((shares + FLOOR / K) / (1 + FLOOR))
    else:
        found = scores - scores.mean(axis=1, keepdims=True)
        size = found[known].max(axis=1).mean() if known.any() else 0.0
        found = found / size * np.log(K) if size > 0 else np.zeros_like(found)
    found -= found.mean(axis=1, keepdims=True)
    found[~known] = 0.0
    return np.asarray(found)


@attrs.frozen(eq=False)
class Weights:
    """What each learner's evidence weighs: probabilities are softmax of the weighted sum."""

    w: Vector  # (E,), >= 0

    def probabilities(self, Z: Matrix) -> Matrix:
        """Of evidence (E, m, K), rows (m, K) that sum to 1."""
        found: Matrix = softmax(np.tensordot(self.w, Z, axes=1))
        return found


def fit_weights(Z: Matrix, y: Integers, stiff: float = STIFF) -> Weights:
    r"""Weights >= 0 that make held-out answers likely, drawn to 1/E each.

    Minimises :math:`-\sum_i \log p_{i y_i} + \tfrac{sE}2 \sum_e (w_e - 1/E)^2`, which is convex,
    for evidence Z (E, m, K). With one learner the weight is the inverse of a temperature.
    """
    from scipy.optimize import minimize

    E, m, _ = Z.shape
    usual = np.full(E, 1.0 / E)
    rows = np.arange(m)
    own = Z[:, rows, y]  # (E, m)

    def loss(w: Vector) -> tuple[float, Vector]:
        p = softmax(np.tensordot(w, Z, axes=1))
        apart = w - usual
        value = -np.log(np.maximum(p[rows, y], 1e-300)).sum() + stiff * E / 2 * apart @ apart
        slope = np.einsum("emk,mk->e", Z, p) - own.sum(axis=1) + stiff * E * apart
        return float(value), slope

    if not m:
        return Weights(usual)
    found = minimize(loss, usual, jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * E)
    return Weights(found.x)


class Bin(NamedTuple):
    """Answers of about the same confidence."""

    low: float
    high: float
    answers: int
    confidence: float
    """The mean probability of the class that was said; NaN without an answer."""
    right: float
    """The share of answers that were right."""


@attrs.frozen(eq=False)
class Calibration:
    """How often answers were right that were this sure, on labels that were held out."""

    bins: tuple[Bin, ...]
    error: float
    """Expected calibration error: mean distance of the confidence from the share right."""
    answers: int


def reliability(
    p: Matrix, y: Integers, weight: Vector | None = None, bins: int = BINS
) -> Calibration:
    r"""The reliability table of probabilities (m, K) against labels, in bins of equal width.

    The expected calibration error is :math:`\sum_b \frac{n_b}m |right_b - confidence_b|`.

    >>> reliability(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0, 0])).error
    0.25
    """
    said, sure = p.argmax(axis=1), p.max(axis=1) if len(p) else np.zeros(0)
    w = np.ones(len(y)) if weight is None else weight
    which = np.clip(np.ceil(sure * bins).astype(int) - 1, 0, bins - 1)
    mass = np.bincount(which, w, bins)
    with np.errstate(invalid="ignore"):
        confidence = np.bincount(which, w * sure, bins) / mass
        right = np.bincount(which, w * (said == y), bins) / mass
    counts = np.bincount(which, minlength=bins)
    error = float(np.nansum(mass * np.abs(right - confidence)) / mass.sum()) if len(y) else 0.0
    return Calibration(
        tuple(
            Bin(b / bins, (b + 1) / bins, int(counts[b]), float(confidence[b]), float(right[b]))
            for b in range(bins)
        ),
        error,
        len(y),
    )
