"""How good the model is, by its own guesses; how many answers are left to a chosen accuracy.

A guess counts if it was made before the answer (progressive validation). Nodes that a strategy asks
are no fair sample: it asks for hard ones, and how sure the model is does not make up for that. So
what is said of the *rest* comes from checks alone, nodes that were drawn at random. Their error is
taken to fall as a power of the number of answers; all powers and all errors that the checks allow
count, each as much as they make it likely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.label.votes import Guess

FEW, CHECKS, CALIBRATED = 10, 8, 30
"""Guesses below which nothing is said of their error; checks below which nothing is said of the
rest; guesses below which the model is taken at its word."""
RECENT = 1000
"""The last guesses, which calibrate: the model was another long ago."""
TARGETS = (0.7, 0.8, 0.85, 0.9, 0.95)
"""Accuracies to which the answers left are estimated."""
MOST_CHECKS = 400
"""The last ones, which count."""
CURVE = 120
"""Points of a curve."""
ERRORS, POWERS = np.linspace(0.005, 0.995, 100), np.linspace(0.0, 1.0, 21)
"""Among which the error by now and the power are looked for; what would rise is held for even."""


class Estimate(NamedTuple):
    """A share, and the interval it lies in with 95 %."""

    value: float
    low: float
    high: float


class Check(NamedTuple):
    """A guess on a node that was drawn at random."""

    answers: int
    """How many there were before."""
    right: bool


class Left(NamedTuple):
    """Answers until the rest is guessed as well as that; or why nobody can say."""

    target: float
    answers: int | None = None
    low: int | None = None
    high: int | None = None
    """None: no end in sight."""
    why: str = ""


class Report(NamedTuple):
    """How good the model is, as far as that can be told."""

    guesses: int
    wrong: int
    error: Estimate | None
    """Share of wrong guesses; None with too few."""
    curve: list[tuple[int, float]]
    """(guesses, share of wrong ones so far) at some points."""
    checks: int
    rest: Estimate | None
    """Share of the nodes without an answer that are guessed right, as it seems."""
    left: list[Left]
    calibration: NDArray[np.float64] | None
    """(2,), see :func:`calibrated`."""

    def chance(self, confidence: float) -> float:
        """How probable a guess is to be right that is so sure."""
        if self.calibration is None:
            return confidence
        a, b = self.calibration
        return float(_sigma(a + max(b, 0.0) * _logit(np.array(confidence))))


def report(guesses: Sequence[Guess], checks: Sequence[Check], answers: int, nodes: int) -> Report:
    """What can be told from guesses in the order of their answers; ``nodes`` have none yet."""
    right = np.array([guess.right for guess in guesses], dtype=bool)
    wrong, of = int((~right).sum()), len(right)
    recent = [guess for guess in guesses[-RECENT:] if guess.confidence is not None]
    fitted = None
    if len(recent) >= CALIBRATED:
        sure = np.array([each.confidence for each in recent], dtype=float)
        fitted = calibrated(sure, np.array([each.right for each in recent]))
    error = wilson(wrong, of) if of >= FEW else None
    if len(checks) < CHECKS:
        why = f"too early to tell: {CHECKS - len(checks)} more checks"
        left, rest = [Left(target, why=why) for target in TARGETS], None
    else:
        weights = likely(checks[-MOST_CHECKS:], answers)
        rest = _rest(weights)
        left = [_left(target, weights, answers, nodes) for target in TARGETS]
    return Report(of, wrong, error, _curve(right), len(checks), rest, left, fitted)


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


def likely(checks: Sequence[Check], answers: int) -> NDArray[np.float64]:
    """How likely the checks make each error by now and each power, (errors, powers), sum 1.

    After m answers a check is wrong with probability e (m / now)^-b.
    """
    at = (np.array([check.answers for check in checks]) + 1) / (answers + 1)
    wrong = np.array([not check.right for check in checks])
    total = np.zeros((len(ERRORS), len(POWERS)))
    for when, was_wrong in zip(at, wrong, strict=True):
        error = np.clip(ERRORS[:, None] * when**-POWERS, 1e-3, 0.98)
        total += np.log(error) if was_wrong else np.log1p(-error)
    weights = np.exp(total - total.max())
    return np.asarray(weights / weights.sum())


def _rest(weights: NDArray[np.float64]) -> Estimate:
    by_error = weights.sum(axis=1)
    low, high = _quantiles(ERRORS, by_error, (0.025, 0.975))
    return Estimate(1 - float(by_error @ ERRORS), 1 - high, 1 - low)


def _left(target: float, weights: NDArray[np.float64], answers: int, nodes: int) -> Left:
    """Answers until so large a share of the rest is guessed right."""
    ratio = np.log(ERRORS / (1 - target))[:, None] / np.maximum(POWERS, 0.01)
    more = np.where(ratio <= 0, 0.0, (answers + 1) * np.expm1(np.clip(ratio, 0, 30)))
    low, value, high = _quantiles(more.ravel(), weights.ravel(), (0.025, 0.5, 0.975))
    if high == 0:
        return Left(target, 0, 0, 0)
    if low > nodes:
        return Left(target, why="not in sight: it would need more answers than there are nodes")
    ends = math.ceil(low), math.ceil(high) if high <= nodes else None
    if value > nodes:
        return Left(target, None, *ends, "too early to tell: the trend is too weak")
    return Left(target, math.ceil(value), *ends)


def _quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64], at: Sequence[float]
) -> list[float]:
    order = np.argsort(values, kind="stable")
    places = np.searchsorted(np.cumsum(weights[order]), at)
    return [float(values[order[min(place, len(order) - 1)]]) for place in places]


def _curve(right: NDArray[np.bool_]) -> list[tuple[int, float]]:
    if len(right) < FEW:
        return []
    shares = np.cumsum(~right) / np.arange(1, len(right) + 1)
    at = np.unique(np.linspace(FEW, len(right), CURVE).astype(int))
    return [(int(t), float(shares[t - 1])) for t in at]


def tempered(p: NDArray[np.float64], most: float) -> NDArray[np.float64]:
    """The same order of classes, sharper or flatter, so that the likeliest has this probability.

    >>> tempered(np.array([0.5, 0.3, 0.2]), 0.8).round(2).tolist()
    [0.8, 0.16, 0.04]
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


def calibrated(sure: NDArray[np.float64], right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(a, b): a guess so sure is right with probability sigma(a + b logit(sure)).

    Logistic regression, drawn weakly to a = 0, b = 1.
    """
    X = np.stack([np.ones(len(sure)), _logit(sure)], axis=1)
    prior, usual = np.diag([0.25, 1.0]), np.array([0.0, 1.0])
    theta = usual.copy()
    for _ in range(30):
        p = _sigma(X @ theta)
        gradient = X.T @ (p - right) + prior @ (theta - usual)
        H = (X * (p * (1 - p))[:, None]).T @ X + prior
        step = np.linalg.solve(H, gradient)
        theta = theta - step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    return np.asarray(theta)


def _sigma(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 0.5 * (1 + np.tanh(x / 2))


def _logit(p: NDArray[np.float64]) -> NDArray[np.float64]:
    inside = np.clip(p, 0.005, 0.995)
    return np.log(inside / (1 - inside))
