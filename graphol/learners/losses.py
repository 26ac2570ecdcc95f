"""What a wrong score costs: the logistic loss for signs, the squared one for numbers.

A loss is a value and its derivative by the score s = w'x + b, for one sample with the truth y.
``_signal.py`` has the derivatives again, compiled.
"""

from __future__ import annotations

import math
from typing import Protocol

import attrs


class Loss(Protocol):
    """A convex function of the score."""

    def value(self, score: float, y: float) -> float:
        """What the score costs if y is the truth."""

    def slope(self, score: float, y: float) -> float:
        """Its derivative by the score."""


@attrs.frozen
class Logistic:
    """log(1 + exp(-y s)) for y in {-1, +1}; no power overflows.

    >>> Logistic().slope(0.0, 1), Logistic().value(-1000.0, 1)
    (-0.5, 1000.0)
    """

    def value(self, score: float, y: float) -> float:
        """Near -y s for a score that is wrong by far, near 0 for one that is right."""
        z = y * score
        return math.log1p(math.exp(-abs(z))) + max(-z, 0.0)

    def slope(self, score: float, y: float) -> float:
        """-y / (1 + exp(y s))."""
        z = y * score
        if z > 0:
            small = math.exp(-z)
            return -y * small / (1.0 + small)
        return -y / (1.0 + math.exp(z))


@attrs.frozen
class Squared:
    """(s - y)^2 / 2.

    >>> Squared().slope(3.0, 1.0), Squared().value(3.0, 1.0)
    (2.0, 2.0)
    """

    def value(self, score: float, y: float) -> float:
        """Half of the squared distance."""
        return 0.5 * (score - y) ** 2

    def slope(self, score: float, y: float) -> float:
        """The distance."""
        return score - y


LOSSES: dict[str, Loss] = {"signs": Logistic(), "real": Squared()}
"""By what is to be predicted."""
