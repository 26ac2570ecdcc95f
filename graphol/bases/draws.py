"""Random numbers that need no state, and bandits that play by them.

A prediction must leave the learner's state alone, also where it is drawn at random, and a compiled
stream must draw what the plain loop draws. So the t-th draw of a seed is a function of both: the
splitmix64 generator (Steele, Lea, Flood, OOPSLA 2014), whose t-th output is a hash of seed + t·γ.
"""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Shown, Vector
from graphol.bases.usual import UsualLearner
from graphol.params import param

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


def explore(best: int, K: int, draw: float, gamma: float) -> int:
    """The class to play: ``best``, or with probability gamma any class, chosen by the same draw."""
    return min(int(draw * K / gamma), K - 1) if draw < gamma else best


def chance(said: int, best: int, K: int, gamma: float) -> float:
    """With which probability :func:`explore` plays the class that it played."""
    return gamma / K + (1.0 - gamma if said == best else 0.0)


@attrs.frozen(slots=False, kw_only=True)
class Exploring(UsualLearner):
    """A bandit that draws what it plays; see :func:`uniform`.

    Parameters
    ----------
    gamma
        Probability of exploring.
    """

    feedback: ClassVar[str] = "bandit"
    learns_from: ClassVar[tuple[Shown, ...]] = ("bit", "label")
    gamma: float = param(0.05, above=0, most=1)
