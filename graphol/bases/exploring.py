"""Bandits that mostly play the best class and now and then any."""

from __future__ import annotations

from typing import ClassVar

import attrs

from graphol.api import Shown
from graphol.bases.usual import UsualLearner
from graphol.params import param


def explore(best: int, K: int, draw: float, gamma: float) -> int:
    """The class to play: ``best``, or with probability gamma any class, chosen by the same draw."""
    return min(int(draw * K / gamma), K - 1) if draw < gamma else best


def chance(said: int, best: int, K: int, gamma: float) -> float:
    """With which probability :func:`explore` plays the class that it played."""
    return gamma / K + (1.0 - gamma if said == best else 0.0)


@attrs.frozen(slots=False, kw_only=True)
class Exploring(UsualLearner):
    """A bandit that draws what it plays; its draws are those of :mod:`graphol.bases.draws`.

    Parameters
    ----------
    gamma
        Probability of exploring.
    """

    feedback: ClassVar[str] = "bandit"
    learns_from: ClassVar[tuple[Shown, ...]] = ("bit", "label")
    gamma: float = param(0.05, above=0, most=1)
