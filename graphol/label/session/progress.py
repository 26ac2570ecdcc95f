"""How good the model is, by its own guesses; how many answers are left to a chosen accuracy.

A guess counts if it was made before the answer (progressive validation). Nodes that are asked are
no fair sample, since the strategy asks for hard ones. What is said of the *rest* therefore goes by
way of confidence: how often a guess was right that was so sure, averaged over how sure the guesses
are on the nodes without an answer. That holds as long as an answered node is no harder than another
of which the model is as sure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.label.votes import Guess

BINS = 40
"""Of confidence, when the rest is counted."""
FEW, CALIBRATED = 10, 30
"""Guesses below which nothing is said of their error; below which nothing is said of the rest."""
RECENT = 1000
"""The last guesses, which calibrate: the model was another long ago."""
TARGETS = (0.7, 0.8, 0.85, 0.9, 0.95)
"""Accuracies to which the answers left are estimated."""
CURVE = 120
"""Points of a curve."""


class Estimate(NamedTuple):
    """A share, and the interval it lies in with 95 %."""

    value: float
    low: float
    high: float


class Left(NamedTuple):
    """Answers until the rest is guessed as well as that; or why nobody can say."""

    target: float
    answers: int | None = None
    low: int | None = None
    high: int | None = None
    """None: no end in sight."""
    why: str = ""


def wilson(wrong: int, of: int) -> Estimate:
    """Wilson's interval of a share.

    >>> [round(float(x), 3) for x in wilson(1, 10)]
    [0.1, 0.018, 0.404]
    """
    z = 1.959964
    share, denominator = wrong / of, 1 + z * z / of
    middle = (share + z * z / (2 * of)) / denominator
    half = z / denominator * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return Estimate(share, max(middle - half, 0.0), min(middle + half, 1.0))


class Looks:
    """How sure the guesses on the rest were, now and then."""

    def __init__(self) -> None:
        self.kept: list[tuple[int, NDArray[np.int64]]] = []
        """(answers, histogram (BINS,) of confidence over nodes without an answer)."""

    def clear(self) -> None:
        """Nothing was seen yet."""
        self.kept = []

    def due(self, answers: int) -> bool:
        """Is it far enough from the last look?"""
        return not self.kept or answers >= 1.15 * self.kept[-1][0] + 1

    def look(self, answers: int, confidence: NDArray[np.float64]) -> None:
        """One more; at distances that grow with the answers, and the last one always."""
        histogram = np.histogram(confidence, bins=BINS, range=(0.0, 1.0))[0]
        while self.kept and self.kept[-1][0] >= answers:
            self.kept.pop()
        if len(self.kept) > 1 and answers < 1.05 * self.kept[-2][0] + 1:
            self.kept.pop()
        self.kept.append((answers, histogram))


class Report(NamedTuple):
    """How good the model is, as far as that can be told."""

    guesses: int
    wrong: int
    error: Estimate | None
    """Share of wrong guesses; None with too few."""
    curve: list[tuple[int, float]]
    """(guesses, share of wrong ones so far) at some points."""
    rest: Estimate | None
    """Share of the nodes without an answer that are guessed right, as it seems."""
    left: list[Left]
    fitted: Calibrated | None

    def chance(self, confidence: float) -> float:
        """How probable a guess is to be right that is so sure."""
        if self.fitted is None:
            return confidence
        a, b = self.fitted.mean
        return float(_sigma(a + max(b, 0.0) * _logit(np.array(confidence))))


def tempered(p: NDArray[np.float64], most: float) -> NDArray[np.float64]:
    """The same order of classes, sharper or flatter, so that the likeliest has this probability.

    >>> tempered(np.array([0.5, 0.3, 0.2]), 0.8).round(2).tolist()
    [0.8, 0.14, 0.06]
    """
    logs = np.log(np.maximum(p, 1e-9))
    logs -= logs.max()
    low, high = 0.0, 64.0
    for _ in range(40):
        power = (low + high) / 2
        if 1 / np.exp(power * logs).sum() < most:
            low = power
        else:
            high = power
    raised = np.exp(high * logs)
    return np.asarray(raised / raised.sum())


def report(guesses: Sequence[Guess], looks: Looks, nodes: int) -> Report:
    """What can be told from guesses, in the order of answers; ``nodes`` have none yet."""
    right = np.array([guess.right for guess in guesses], dtype=bool)
    wrong, of = int((~right).sum()), len(right)
    recent = [guess for guess in guesses[-RECENT:] if guess.confidence is not None]
    fitted = None
    if len(recent) >= CALIBRATED:
        fitted = calibrated(
            np.array([each.confidence for each in recent]),
            np.array([each.right for each in recent]),
        )
    rests = _rests(fitted, looks)
    return Report(
        of, wrong, wilson(wrong, of) if of >= FEW else None, _curve(right),
        rests[-1][1] if rests else None,
        [_left(target, rests, len(recent), nodes) for target in TARGETS], fitted,
    )  # fmt: skip


def _curve(right: NDArray[np.bool_]) -> list[tuple[int, float]]:
    if len(right) < FEW:
        return []
    shares = np.cumsum(~right) / np.arange(1, len(right) + 1)
    at = np.unique(np.linspace(FEW, len(right), CURVE).astype(int))
    return [(int(t), float(shares[t - 1])) for t in at]


def _rests(fitted: Calibrated | None, looks: Looks) -> list[tuple[int, Estimate]]:
    """What seems to be right of the rest at each look, all by the calibration of today."""
    found: list[tuple[int, Estimate]] = []
    if fitted is None:
        return found
    chances = fitted.draws((np.arange(BINS) + 0.5) / BINS)
    for answers, histogram in looks.kept:
        if histogram.sum():
            draws = chances @ (histogram / histogram.sum())
            low, value, high = np.quantile(draws, [0.025, 0.5, 0.975]).tolist()
            found.append((answers, Estimate(value, low, high)))
    return found


def _left(target: float, rests: list[tuple[int, Estimate]], guesses: int, nodes: int) -> Left:
    """Answers until so large a share of the rest is guessed right."""
    if not rests:
        return Left(target, why=f"too early to tell: {max(CALIBRATED - guesses, 1)} more guesses")
    now, estimate = rests[-1]
    if estimate.low >= target:
        return Left(target, 0, 0, 0)
    late = [(m, max(1 - e.value, 1e-4)) for m, e in rests if m >= max(now / 4, 5)]
    if len(late) < 5:
        return Left(target, why="too early to tell: there is no trend yet")
    slope, spread = trend(late)
    value, high, low = (
        _more(now, max(1 - right, 1e-4), steepness, 1 - target)
        for right, steepness in (
            (estimate.value, slope),
            (estimate.low, slope - spread),
            (estimate.high, slope + spread),
        )
    )
    if low is None or low > nodes:
        return Left(target, why="not in sight: it would need more answers than there are nodes")
    if value is None or value > nodes:
        return Left(target, None, low, None, "too early to tell: the trend is too weak")
    return Left(target, value, low, high if high is not None and high <= nodes else None)


def _more(now: int, error: float, steepness: float, wanted: float) -> int | None:
    """Further answers, if the error falls as answers^-steepness; None: never."""
    if error <= wanted:
        return 0
    if steepness <= 0.01 or wanted <= 0:
        return None
    power = math.log(error / wanted) / steepness
    return None if power > 30 else math.ceil(now * (math.exp(power) - 1))


def trend(points: list[tuple[int, float]]) -> tuple[float, float]:
    """b of error ~ answers^-b by least squares of logarithms, and half the width of its interval.

    >>> b, spread = trend([(m, 3.0 / m) for m in range(5, 50)])
    >>> round(b, 6), round(spread, 6)
    (1.0, 0.0)
    """
    x, y = np.log(np.array(points, dtype=float)).T
    x, y = x - x.mean(), y - y.mean()
    slope = float(x @ y / (x @ x))
    residual = y - slope * x
    spread = 2.0 * math.sqrt(float(residual @ residual) / max(len(x) - 2, 1) / float(x @ x))
    return -slope, spread


class Calibrated(NamedTuple):
    """Chance of being right by confidence: sigma(a + b logit(confidence)), and how surely."""

    mean: NDArray[np.float64]  # (2,): a, b
    root: NDArray[np.float64]  # (2, 2): of the covariance

    def draws(self, confidence: NDArray[np.float64], count: int = 400) -> NDArray[np.float64]:
        """Chances (count, len(confidence)), as likely as what was seen makes them."""
        normal = np.random.default_rng(0).standard_normal((count, 2))
        a, b = (self.mean + normal @ self.root.T).T
        return _sigma(a[:, None] + np.maximum(b, 0.0)[:, None] * _logit(confidence))


def calibrated(sure: NDArray[np.float64], right: NDArray[np.bool_]) -> Calibrated:
    """Logistic regression of being right on logit confidence, drawn weakly to a = 0, b = 1."""
    X = np.stack([np.ones(len(sure)), _logit(sure)], axis=1)
    prior, around = np.diag([0.25, 1.0]), np.array([0.0, 1.0])
    theta = around.copy()
    for _ in range(30):
        p = _sigma(X @ theta)
        gradient = X.T @ (p - right) + prior @ (theta - around)
        H = (X * (p * (1 - p))[:, None]).T @ X + prior
        step = np.linalg.solve(H, gradient)
        theta = theta - step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    p = _sigma(X @ theta)
    H = (X * (p * (1 - p))[:, None]).T @ X + prior
    return Calibrated(theta, np.linalg.cholesky(np.linalg.inv(H)))


def _sigma(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 0.5 * (1 + np.tanh(x / 2))


def _logit(p: NDArray[np.float64]) -> NDArray[np.float64]:
    inside = np.clip(p, 0.005, 0.995)
    return np.log(inside / (1 - inside))
