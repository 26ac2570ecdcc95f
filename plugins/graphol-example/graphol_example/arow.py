"""AROW, a learner of a known kind: its parameters and two rules."""

from typing import ClassVar

import attrs

from graphol import param
from graphol.bases import SharedInverse, rival


@attrs.frozen
class Arow(SharedInverse):
    """Second-order learner that asks where its lead is small, and then wants a lead of 1.

    Parameters
    ----------
    b
        Ridge: the matrix that all classes share starts as b I.
    enough
        The lead of one class over all others with which it is content.
    """

    name: ClassVar[str] = "arow"
    feedback: ClassVar[str] = "selective"
    b: float = param(1.0, above=0)
    enough: float = param(0.5, above=0, most=1)

    @staticmethod
    def ask(f, r, best, t, draw, enough):
        """Is the label wanted?"""
        return f[best] - f[rival(f, best)] < enough

    @staticmethod
    def decide(f, r, best, y, tau):
        """The gain, how many classes learn, and in tau what each should have said."""
        missing = 1 - (f[y] - f[rival(f, y)])
        tau[:] = f
        tau[y] += missing / 2
        tau[rival(f, y)] -= missing / 2
        return 1 / (1 + r), 2
