"""Random numbers that need no state: the t-th draw of a seed is a function of both.

A prediction must leave the learner's state alone, also where it is drawn at random, and a compiled
stream must draw what the plain loop draws. So a learner keeps a seed and asks for draw t: the
splitmix64 generator (Steele, Lea, Flood, OOPSLA 2014), whose t-th output is a hash of seed + t·γ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.api import Vector

_MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15


def seed_from(rng: np.random.Generator) -> int:
    """A seed for a learner's state."""
    return int(rng.integers(0, 2**62))


def uniform(seed: int, t: Any) -> Any:
    """The t-th number of the seed, uniform in [0, 1); t is an int, or an array of uint64.

    >>> uniform(7, 0) == uniform(7, 0), uniform(7, 0) == uniform(7, 1)
    (True, False)
    """
    z = (seed + (t + 1) * GAMMA) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((z ^ (z >> 31)) >> 11) * 2.0**-53


def stretch_of(seed: int, first: int, rounds: int) -> Vector:
    """The draws of so many rounds from ``first`` on."""
    draws: Vector = uniform(seed, np.arange(first, first + rounds, dtype=np.uint64))
    return draws
