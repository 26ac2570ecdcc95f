"""Scores become probabilities by labels that were held out; how far these can be trusted."""

from __future__ import annotations

from typing import NamedTuple

import attrs
import numpy as np

from graphol.api import Integers, Matrix, Vector
from graphol.tempering import LOOSE, fit_weights, loss, probabilities

STIFF = 100.0
"""How much the weights of several learners are held where they are: the square of a change costs
half as many nats."""
NATS = 3.0
"""A learner that found all held-out labels e^NATS times less likely has 1/e of the say."""
PULL = 0.2
"""How much the shares of the classes among the given labels hold back those among all nodes."""
BINS = 10


def weigh(Z: Matrix, y: Integers) -> Vector:
    r"""What the evidence of each learner weighs, (E,), by labels that were held out.

    Each gets a temperature of its own, :math:`T_e`, and a share
    :math:`v_e \propto \exp(-\ell_e / 3)` by its loss in nats over all held-out labels; near
    :math:`v_e T_e` the weights are fitted together.
    """
    one = np.ones(1)
    T = np.array([fit_weights(Z[e : e + 1], y, one, LOOSE)[0] for e in range(len(Z))])
    losses = np.array([loss(probabilities(T[e : e + 1], Z[e : e + 1]), y) for e in range(len(Z))])
    v = np.exp(-(losses - losses.min()) / NATS)
    centre: Vector = T * v / v.sum()
    return centre if len(Z) == 1 else fit_weights(Z, y, centre, STIFF)


def shifted(p: Matrix, given: Vector, steps: int = 100) -> tuple[Matrix, Vector]:
    r"""Probabilities and shares of the classes, were these not those among the given labels.

    Who is asked for twenty labels of every class gives equal shares, and the graph has others. By
    expectation maximisation: :math:`q_{ik} \propto p_{ik} \pi_k / g_k`, and :math:`\pi` the mean of
    q and of a pull to g that counts as a fifth of all nodes.

    >>> p, shares = shifted(np.array([[0.9, 0.1]] * 3 + [[0.1, 0.9]]), np.array([0.5, 0.5]))
    >>> bool(shares[0] > 0.6), bool(p[0, 0] > 0.9)
    (True, True)
    """
    shares = given.copy()
    q = p
    for _ in range(steps if len(p) else 0):
        q = p * (shares / given)
        q /= q.sum(axis=1, keepdims=True)
        before, shares = shares, (q.mean(axis=0) + PULL * given) / (1 + PULL)
        if np.abs(shares - before).max() < 1e-9:
            break
    return q, shares


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

    def __str__(self) -> str:
        return (
            f"probabilities are off by {100 * self.error:.1f} points in the mean, by "
            f"{self.answers} label(s) held out"
        )


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
