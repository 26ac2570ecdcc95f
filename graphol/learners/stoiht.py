"""Stochastic iterative hard thresholding."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Problem, Vector
from graphol.learners.bound import bound, project
from graphol.learners.signal import SignalLearner, State
from graphol.params import param
from graphol.projections.top_s import TopS


@attrs.frozen
class StoIht(SignalLearner):
    r"""Stochastic gradient steps, after each of which only the s largest weights stay.

    .. math:: w_{t+1} = \operatorname{P}_s\Big(w_t - \frac{\eta}{\sqrt t}\, g_t\Big)

    O(p) a round.

    Parameters
    ----------
    s
        Number of weights kept, 1 to p.
    eta
        Step size > 0: the larger, the larger the steps.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> graphol.simulate("stoiht:s=3", signal_game(), repeats=1).row()["nonzero_ratio_mean"]
    0.25

    References
    ----------
    Nguyen, Needell, Woolf. Linear convergence of stochastic iterative greedy algorithms with sparse
    constraints. IEEE Trans. Inf. Theory, 2017.

    Deviation: one sample per step and the step size :math:`\eta / \sqrt t`, as an online learner
    must; both are those of the program of Zhou, Chen, Ying (KDD 2019).
    """

    name: ClassVar[str] = "stoiht"
    s: int = param(8, "Number of weights kept.", least=1)
    eta: float = param(0.1, "Step size: the larger, the larger the steps.", above=0)

    def start(self, problem: Problem) -> State:
        """All zero."""
        state = super().start(problem)
        bound(TopS(s=self.s), state)
        return state

    def step(self, state: State, gradient: Vector, t: int) -> Vector:
        """Step, the s largest."""
        moved = state.w - self.eta / np.sqrt(t + 1.0) * gradient
        return np.append(project(TopS(s=self.s), state, moved[:-1], 1), moved[-1])

    def kernel(self, state: State) -> tuple[Any, Any]:
        """The same, compiled."""
        from graphol.learners import _signal

        return _signal.stoiht, (self.s, self.eta)
