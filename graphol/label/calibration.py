"""Scores become probabilities by labels that were held out; how far these can be trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol import tempering
from graphol.api import Integers, Matrix, Vector
from graphol.bases.logistic import softmax
from graphol.tempering import loss, probabilities, usual_lead

USUAL = {
    "knn-logistic": 3.9,
    "poisson": 1.3,
    "poisson-ridge": 1.1,
    "ridge": 0.9,
    "smoothed-logistic": 4.4,
    "smoothed-ridge": 1.1,
    "walk": 1.8,
}
"""How sharp the evidence of these learners usually is, by all labels of a graph."""
SPREAD, WIDE = 0.12, 1.0
"""Of its logarithm on a graph, around that; of a learner that is not in the list, around 1."""
TOGETHER, APART = 1.2, 0.2
"""The same of what several say together, in which their errors partly cancel."""
MISLED, OFTEN = 0.1, 0.4
"""The share of nodes about which evidence says nothing, however much of it there is, and the spread
of its logarithm."""
SHARES = np.exp(np.linspace(np.log(0.005), np.log(0.5), 24))
"""Which of these shares are looked at."""
COUNTS = 0.005
"""A learner with less of the say is left out."""
NOISE = 0.5
"""Nats per root of a held-out label that a learner may be behind by chance."""
FEATURES = ("knn-logistic", "smoothed-logistic", "smoothed-ridge")
"""Who looks at features and at edges."""
BOTH = 2.0
"""What all of them together have to say before any label, against all who look at edges alone."""
PULL = 0.2
"""What the shares of the classes among the given labels count against those among other nodes."""
BINS, CHANCES = 10, 100
"""Of equal width; games of chance by which the error of right probabilities is found."""


def evidence(
    scores: Matrix | None,
    label: Integers,
    known: NDArray[np.bool_],
    K: int,
    *,
    margins: bool | None = None,
) -> Matrix:
    """What is said for every class, (m, K), as :func:`graphol.tempering.evidence` counts it.

    Where a learner has no scores, its label is all there is. Scores are margins if one is negative.
    """
    if scores is None:
        scores = np.eye(K)[label]
    if margins is None:
        margins = bool((scores < 0).any())
    return tempering.evidence(scores, known, usual_lead(scores, known) if margins else None)


class Say(NamedTuple):
    """How evidence becomes probabilities."""

    weights: Vector
    """(E,), what the evidence of each learner weighs."""
    misled: float
    """The share of nodes about which it says nothing."""

    def probabilities(self, Z: Matrix) -> Matrix:
        r""":math:`(1 - \varepsilon) \, softmax(\sum_e w_e Z_e) + \varepsilon / K`, (m, K)."""
        return softened(probabilities(self.weights, Z), self.misled)


def softened(p: Matrix, misled: float) -> Matrix:
    """Mixed with all classes alike."""
    found: Matrix = (1 - misled) * p + misled / p.shape[-1]
    return found


def sharpness(Z: Matrix, y: Integers, usual: float, spread: float) -> tuple[float, float]:
    r"""Factor a and share :math:`\varepsilon` that make labels likely and are usual.

    With :math:`p_i = (1 - \varepsilon) \, softmax(a Z_i) + \varepsilon / K` for evidence Z (m, K)
    minimises :math:`-\sum_i \log p_{i y_i} + 3 \log(1 + u^2 / 5 \sigma^2) + v^2 / 2 \tau^2`,
    where :math:`u = \log(a / a_0)` is held by Student's distribution with 5 degrees of freedom,
    from which enough labels can lead away, and :math:`v = \log(\varepsilon / 0.1)`. Without the
    share a few nodes that look sure and are wrong would blunt what is said of all others. There
    may be two valleys, so all of them are looked at.
    """
    from scipy.optimize import minimize_scalar

    if not len(y):
        return usual, MISLED
    rows, K = np.arange(len(y)), Z.shape[1]
    rare = (np.log(SHARES / MISLED) / OFTEN) ** 2 / 2

    def costs(u: float) -> Vector:
        own = softmax(usual * math.exp(u) * Z)[rows, y]
        mixed = np.outer(1 - SHARES, own) + SHARES[:, None] / K
        found: Vector = rare - np.log(mixed).sum(axis=1)
        return found + 3 * math.log1p(u**2 / (5 * spread**2))

    near = min(np.arange(-4.0, 4.05, 0.1), key=lambda u: costs(u).min())
    bounds = near - 0.1, near + 0.1
    u = minimize_scalar(
        lambda u: costs(u).min(), bounds=bounds, method="bounded", options={"xatol": 1e-3}
    ).x
    return usual * math.exp(u), float(SHARES[costs(u).argmin()])


def weigh(names: Sequence[str], Z: Matrix, y: Integers) -> Say:
    r"""What the evidence of each learner weighs, by labels that were held out.

    Each has a sharpness of its own, :math:`a_e`, and a share
    :math:`v_e \propto b_e \exp(-\ell_e / 0.5 \sqrt m)` by its loss in nats over the m labels and by
    what it has before any; what :math:`\sum_e v_e a_e Z_e` says has one more sharpness. Who has
    less than a two-hundredth of the say has none.
    """
    usual = [(USUAL[name], SPREAD) if name in USUAL else (1.0, WIDE) for name in names]
    fits = [sharpness(own, y, *each) for own, each in zip(Z, usual, strict=True)]
    a = np.array([factor for factor, _ in fits])
    if len(Z) == 1:
        return Say(a, fits[0][1])
    losses = np.array(
        [loss(softened(softmax(f * own), e), y) for (f, e), own in zip(fits, Z, strict=True)]
    )
    v = before(names) * np.exp(-(losses - losses.min()) / (NOISE * np.sqrt(max(len(y), 1))))
    w: Vector = a * v / v.sum()
    factor, misled = sharpness(np.tensordot(w, Z, axes=1), y, TOGETHER, APART)
    w[w < COUNTS * w.sum()] = 0.0
    return Say(w * factor, misled)


def before(names: Sequence[str]) -> Vector:
    """What each has to say before any label; those who look at the same have it together.

    Four who look at edges alone are much alike, and do not count as four.

    >>> before(["walk", "ridge", "smoothed-ridge"]).tolist()
    [0.5, 0.5, 2.0]
    """
    looks = np.array([name in FEATURES for name in names])
    found: Vector = np.where(looks, BOTH / max(looks.sum(), 1), 1 / max((~looks).sum(), 1))
    return found


def shifted(p: Matrix, given: Vector, labels: int, steps: int = 100) -> tuple[Matrix, Vector]:
    r"""Probabilities and shares of the classes, were these not those among the given labels.

    Who is asked for twenty labels of every class gives equal shares, and the graph has others. By
    expectation maximisation: :math:`q_{ik} \propto p_{ik} \pi_k / g_k`, and :math:`\pi` the mean of
    q and of g, which counts as a fifth of all nodes, and at least as much as there are labels.

    >>> p, shares = shifted(np.array([[0.9, 0.1]] * 30 + [[0.1, 0.9]]), np.array([0.5, 0.5]), 8)
    >>> bool(shares[0] > 0.7), bool(p[0, 0] > 0.9)
    (True, True)
    """
    shares, q = given.copy(), p
    pull = max(PULL, labels / max(len(p), 1))
    for _ in range(steps if len(p) else 0):
        q = p * (shares / given)
        q /= q.sum(axis=1, keepdims=True)
        before, shares = shares, (q.mean(axis=0) + pull * given) / (1 + pull)
        if np.abs(shares - before).max() < 1e-9:
            break
    return q, shares


def humbled(p: Matrix, shares: Vector, answers: int) -> Matrix:
    """Mixed with the shares of the classes, as if one answer more than were held out had them.

    Four labels that were all found right leave no probability above some 90 %. Where none could be
    held out, what is usual on other graphs counts as one.
    """
    held = max(answers, 1)
    found: Matrix = (held * p + shares) / (held + 1)
    return found


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
    chance: float = 0.0
    """The error that so many answers would show if every probability held."""

    def __str__(self) -> str:
        return (
            f"probabilities are off by {100 * self.error:.1f} points in the mean, by "
            f"{self.answers} label(s) held out; were they right, so few would show "
            f"{100 * self.chance:.1f}"
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

    def error(right: Vector) -> float:
        apart = np.bincount(which, w * (right - sure), bins)
        return float(np.abs(apart).sum() / mass.sum()) if len(y) else 0.0

    drawn = np.random.default_rng(len(y)).random((CHANCES, len(y))) < sure
    counts = np.bincount(which, minlength=bins)
    return Calibration(
        tuple(
            Bin(b / bins, (b + 1) / bins, int(counts[b]), float(confidence[b]), float(right[b]))
            for b in range(bins)
        ),
        error((said == y).astype(float)),
        len(y),
        float(np.mean([error(each.astype(float)) for each in drawn])),
    )
