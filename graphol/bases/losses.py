"""What a wrong score costs: the logistic loss for signs, the squared one for numbers.

A loss is a function of the score s = w'x + b of one sample with the truth y. Both loops play these
functions, plain and compiled.
"""

from __future__ import annotations

import math


def loss(real: bool, s: float, y: float) -> float:
    """log(1 + exp(-y s)) for y in {-1, +1}, where no power overflows; else (s - y)^2 / 2.

    >>> loss(False, -1000.0, 1.0), loss(True, 3.0, 1.0)
    (1000.0, 2.0)
    """
    if real:
        return 0.5 * (s - y) ** 2
    z = y * s
    return math.log1p(math.exp(-abs(z))) + max(-z, 0.0)


def slope(real: bool, s: float, y: float) -> float:
    """The derivative of the loss by the score: -y / (1 + exp(y s)), or s - y.

    >>> slope(False, 0.0, 1.0), slope(True, 3.0, 1.0)
    (-0.5, 2.0)
    """
    if real:
        return s - y
    z = y * s
    if z > 0:
        small = math.exp(-z)
        return -y * small / (1.0 + small)
    return -y / (1.0 + math.exp(z))
