"""How many of the labels that are predicted are right, by those that were held out."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol import seeding
from graphol.api import Integers, Vector
from graphol.interval import CONFIDENCE

DRAWS = 4000
WEIGHT = 2.0
"""Answers that the mean over all classes is worth in each of them."""
APART, LABELS = 0.05, 100
"""By how much the mean probability misses the share of right labels, with so many held out; with
fewer, it is as much more as a mean of fewer varies."""
SHARED = 1.4
"""By how much the interval of both is wider, since they stand on the same labels."""
FEW, WIDE = 10, 0.35
"""Answers, and width of the interval, with which nothing can be told."""


@attrs.frozen
class Accuracy:
    """The share of right labels to be expected where none is given and one bears on the node."""

    mean: float | None
    """None without an answer."""
    low: float | None
    high: float | None
    """Of the 95 % interval."""
    answers: int
    """How many held-out labels it stands on."""
    tells: bool
    """Are these enough to tell?"""

    def __str__(self) -> str:
        if self.mean is None or self.low is None or self.high is None:
            return "no label could be held out, so nothing tells how many are right"
        between = f"95 % interval {100 * self.low:.0f} to {100 * self.high:.0f}"
        told = f"{100 * self.mean:.0f} % ({between})"
        held = f"by {self.answers} label(s) held out"
        if not self.tells:
            return f"too few labels to tell how many are right: {told}, {held}"
        return f"right where no label is given: {told}, {held}"


def expected(
    right: NDArray[np.bool_], y: Integers, shares: Vector, seed: int, sure: float | None = None
) -> Accuracy:
    r"""The accuracy :math:`\sum_k \pi_k r_k` over classes of these shares, with its interval.

    What is known of the share :math:`r_k` of right answers about class k is Beta-distributed, after
    the answers about it and two more that are right as often as in all classes together. So labels
    that are of every class equally often do not mislead about a graph that is not.

    Held-out labels were said with fewer labels known than all others are. ``sure``, the mean
    probability of what is said of the others, knows of all, and is off by some five points: both
    means are weighed by their precision.
    """
    m, K = len(y), len(shares)
    if not m:
        return Accuracy(None, None, None, 0, tells=False)
    pooled = (right.sum() + 1.0) / (m + 2.0)
    good = np.bincount(y, right, K) + WEIGHT * pooled
    bad = np.bincount(y, ~right, K) + WEIGHT * (1 - pooled)
    drawn = seeding.labelled(seed, m).beta(good, bad, (DRAWS, K)) @ shares
    side = (1 - CONFIDENCE) / 2
    low, high = (float(each) for each in np.quantile(drawn, (side, 1 - side)))
    mean = float(shares @ (good / (good + bad)))
    if sure is not None:
        own, other = drawn.std(), APART * max(1.0, (LABELS / m) ** 0.5)
        weight = other**2 / (own**2 + other**2)
        mean = float(weight * mean + (1 - weight) * sure)
        half = SHARED * 1.96 * own * weight**0.5  # own² weight is what is left of both variances
        low, high = float(max(mean - half, 0.0)), float(min(mean + half, 1.0))
    return Accuracy(mean, low, high, m, tells=m >= FEW and high - low <= WIDE)
