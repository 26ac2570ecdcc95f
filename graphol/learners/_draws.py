"""The draws of :mod:`graphol.learners.draws`, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def uniform(seed, t):  # type: ignore[no-untyped-def]
    """The t-th number of the seed, uniform in [0, 1)."""
    z = np.uint64(seed) + np.uint64(t + 1) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def explore(best, K, gamma, draw):  # type: ignore[no-untyped-def]
    """The class to play: ``best``, or with probability gamma any class, chosen by the same draw."""
    return min(int(draw * K / gamma), K - 1) if draw < gamma else best
