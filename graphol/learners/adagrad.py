"""Adaptive subgradients with the l1 norm."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Problem, Vector
from graphol.learners.signal import SignalLearner, State, dual_average
from graphol.params import param
from graphol.projections.l1 import soft_threshold


@attrs.frozen
class AdaGrad(SignalLearner):
    r"""Dual averaging with a step size per weight, and the l1 norm.

    With :math:`\bar g` the mean gradient and :math:`G` the sum of its squares, entry by entry,

    .. math:: w_{t+1} = -\frac{\eta\, t}{\epsilon + \sqrt G}\, \operatorname{sign}(\bar g)
        \max(|\bar g| - \lambda, 0) .

    O(p) a round.

    Parameters
    ----------
    lam
        Threshold :math:`\lambda` >= 0: the larger, the fewer weights.
    eta
        Step size > 0: the larger, the larger the steps.
    epsilon
        Keeps the division from 0; > 0.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> graphol.simulate("adagrad:lam=0.1", signal_game(), repeats=1).row()["recall_mean"]
    1.0

    References
    ----------
    Duchi, Hazan, Singer. Adaptive subgradient methods for online learning and stochastic
    optimization. JMLR 2011.
    """

    name: ClassVar[str] = "adagrad"
    lam: float = param(0.01, "Threshold of the mean gradient.", least=0)
    eta: float = param(0.05, "Step size: the larger, the larger the steps.", above=0)
    epsilon: float = param(1e-8, "Keeps the division from 0.", above=0)

    def start(self, problem: Problem) -> State:
        """All zero."""
        return super().start(problem)._replace(second=np.zeros(problem.dim + 1))

    def step(self, state: State, gradient: Vector, t: int) -> Vector:
        """Mean gradient, threshold, a step of its own for every weight."""
        state.second[:] += gradient * gradient
        dual = dual_average(state, gradient, t)
        cut = np.append(soft_threshold(dual[:-1], self.lam), dual[-1])
        return np.asarray(-self.eta * (t + 1.0) / (self.epsilon + np.sqrt(state.second)) * cut)

    def kernel(self, state: State) -> tuple[Any, Any]:
        """The same, compiled."""
        from graphol.learners import _signal

        return _signal.adagrad, (self.lam, self.eta, self.epsilon)
