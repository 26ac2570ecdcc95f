"""Weights of experts: who errs loses some, and a little of all is shared out anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphol.api import Vector


def even(N: int) -> Vector:
    """The same for everybody."""
    return np.full(N, 1.0 / N)


def charge(weights: Vector, wrong: NDArray[np.bool_], factor: float, share: float) -> bool:
    """Multiply the weights of those who were wrong, normalise, share; in place. Did any change?

    w = (1 - share) w + share / N. Where all were wrong, a common factor says nothing.

    >>> w = even(2)
    >>> charge(w, np.array([True, False]), factor=0.5, share=0.0), w
    (True, array([0.33333333, 0.66666667]))
    """
    before = weights.copy()
    if wrong.any() and not wrong.all():
        weights[wrong] *= factor
        total = float(weights.sum())
        weights[:] = weights / total if total > 0 else before  # 0: nobody right has any weight
    if share:
        weights[:] = (1 - share) * weights + share / len(weights)
    return not np.array_equal(weights, before)


def check_weights(weights: Vector) -> None:
    """Raise ValueError where these are no shares of 1; a file may hold anything."""
    if weights.min() < 0 or abs(float(weights.sum()) - 1) > 1e-6:
        raise ValueError("the weights are not shares of 1")
