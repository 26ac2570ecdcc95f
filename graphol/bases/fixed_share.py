"""Weights of experts: who errs loses some, and a little of all is shared out anew."""

from __future__ import annotations

import numpy as np

from graphol.api import Vector

LEAST = 1e-300
"""A weight that is not 0 stays above this, so that whoever was bad for long may come back."""


def even(N: int) -> Vector:
    """The same for everybody."""
    return np.full(N, 1.0 / N)


def charge(weights: Vector, factors: Vector, share: float) -> bool:
    """Multiply the weights by factors, normalise, share; in place. Did any weight change?

    A factor is exp(-loss), as in w = w exp(-loss) / sum, and then w = (1 - share) w + share / N: a
    number below 1 for who was wrong and 1 for the others, or the probability that each gave to what
    came. A factor that all have in common says nothing.

    >>> w = even(2)
    >>> charge(w, np.array([0.5, 1.0]), share=0.0), w
    (True, array([0.33333333, 0.66666667]))
    """
    before = weights.copy()
    if factors.min() < factors.max():
        weights *= factors
        total = weights.sum()
        if total > 0.0:
            weights /= total
            for e in range(len(weights)):
                if before[e] > 0.0:
                    weights[e] = max(weights[e], LEAST)
        else:  # nobody who was right has any weight
            weights[:] = before
    if share > 0.0:
        weights *= 1.0 - share
        weights += share / len(weights)
    return bool((weights != before).any())


def check_weights(weights: Vector) -> None:
    """Raise ValueError where these are no shares of 1; a file may hold anything."""
    if weights.min() < 0 or abs(float(weights.sum()) - 1) > 1e-6:
        raise ValueError("the weights are not shares of 1")
