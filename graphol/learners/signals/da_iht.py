"""Dual averaging with hard thresholding."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Problem
from graphol.bases.signal import FromProblem, SignalLearner, dual_average
from graphol.params import param
from graphol.projections.top_s import TopS, keep_largest
from graphol.standins import entries


@attrs.frozen
class DaIht(SignalLearner):
    r"""Dual averaging that keeps the s largest weights.

    With :math:`\bar g_t` the mean gradient, :math:`w_{t+1}` is :math:`-\frac{\sqrt t}{\gamma} \bar
    g_t` on its s largest entries and 0 elsewhere. It is ``graphda`` without a graph.
    O(p) a round.

    Parameters
    ----------
    s
        Number of weights kept, 1 to p.
    gamma
        Step size: the larger, the smaller the steps; > 0.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> graphol.simulate("da-iht:s=3", signal_game(), repeats=1).row()["nonzero_ratio_mean"]
    0.25

    References
    ----------
    Baseline of Zhou, Chen, Ying. Dual averaging method for online graph-structured sparsity. KDD
    2019.
    """

    name: ClassVar[str] = "da-iht"
    s: int = param(8, least=1)
    gamma: float = param(50.0, above=0)

    @staticmethod
    def move(model, x, by, t, s, gamma):
        """Mean gradient, step, the s largest."""
        dual_average(model.dual, x, by, t)
        length = -np.sqrt(t + 1.0) / gamma
        for j in entries(len(model.w)):
            model.w[j] = length * model.dual[j]
        return keep_largest(model.w[:-1], s)

    def derive(self, problem: Problem) -> FromProblem:
        """An s that is too large is refused."""
        TopS(s=self.s).bind(problem.graph, problem.dim)
        return super().derive(problem)
