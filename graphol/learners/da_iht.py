"""Dual averaging with hard thresholding."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Problem, Vector
from graphol.learners.bound import bound, project
from graphol.learners.signal import SignalLearner, State, dual_average
from graphol.params import param
from graphol.projections.top_s import TopS


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
    s: int = param(8, "Number of weights kept.", least=1)
    gamma: float = param(50.0, "Step size: the larger, the smaller the steps.", above=0)

    def start(self, problem: Problem) -> State:
        """All zero."""
        state = super().start(problem)
        bound(TopS(s=self.s), state)
        return state

    def step(self, state: State, gradient: Vector, t: int) -> Vector:
        """Mean gradient, step, the s largest."""
        moved = -np.sqrt(t + 1.0) / self.gamma * dual_average(state, gradient, t)
        return np.append(project(TopS(s=self.s), state, moved[:-1], 1), moved[-1])

    def kernel(self, state: State) -> tuple[Any, Any]:
        """The same, compiled."""
        from graphol.learners import _signal

        return _signal.da_iht, (self.s, self.gamma)
