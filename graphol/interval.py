"""A mean over repeats and how surely it is known: Student's t."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import ArrayLike

from graphol.errors import UsageError

CONFIDENCE = 0.95


@attrs.frozen
class Interval:
    """A mean and its confidence interval."""

    mean: float
    low: float | None
    """None with fewer than 2 values, which give no interval."""
    high: float | None

    @property
    def differs(self) -> bool | None:
        """Does the interval exclude 0?"""
        if self.low is None or self.high is None:
            return None
        return self.low > 0 or self.high < 0


def interval(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """mean ± t sd / sqrt(n), with the sample standard deviation and t of n - 1 degrees of freedom.

    >>> found = interval([2.0, 3.0, 4.0])
    >>> found.mean, round(found.low, 3), round(found.high, 3), found.differs
    (3.0, 0.516, 5.484, True)
    """
    numbers = np.asarray(values, dtype=np.float64)
    n, mean = len(numbers), float(numbers.mean())
    if n < 2:
        return Interval(mean, None, None)
    from scipy.special import stdtrit  # scipy.stats takes a second to import

    t = float(stdtrit(n - 1, (1 + confidence) / 2))
    half = t * deviation(numbers) / np.sqrt(n)
    return Interval(mean, float(mean - half), float(mean + half))


def deviation(values: ArrayLike) -> float:
    """The sample standard deviation; 0 for one value."""
    numbers = np.asarray(values, dtype=np.float64)
    return float(numbers.std(ddof=1)) if len(numbers) > 1 else 0.0


def paired(one: ArrayLike, other: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """one - other, pair by pair: the interval of the paired t-test."""
    return interval(np.subtract(one, other), confidence)


def paired_p(one: ArrayLike, other: ArrayLike) -> float | None:
    """The two-sided p of the paired t-test; None with fewer than 2 pairs.

    Differences that are all the same say nothing of their spread: the p is then 1 if they are 0,
    and else that of the sign test, 2^(1 - n).

    >>> round(paired_p([2.0, 3.0, 4.0], [0.0, 0.0, 0.0]), 4), paired_p([2.0, 2.0], [1.0, 1.0])
    (0.0351, 0.5)
    """
    apart = np.subtract(one, other, dtype=np.float64)
    n, mean = len(apart), float(apart.mean())
    if n < 2:
        return None
    spread = deviation(apart)
    if spread <= 1e-12 * abs(mean):  # rounding, of values that are the same
        return 1.0 if mean == 0 else 2.0 ** (1 - n)
    from scipy.special import stdtr

    return float(2 * stdtr(n - 1, -abs(mean) / (spread / np.sqrt(n))))


def check_confidence(confidence: float) -> None:
    """Between 0 and 1."""
    if not 0 < confidence < 1:
        raise UsageError(f"confidence must be > 0 and < 1, got {confidence}")
