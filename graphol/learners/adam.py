"""Adam: adaptive moments."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Problem, Vector
from graphol.learners.signal import SignalLearner, State
from graphol.params import param


@attrs.frozen
class Adam(SignalLearner):
    r"""Gradient steps scaled by running moments of the gradient; no sparsity at all.

    .. math:: m \leftarrow \beta_1 m + (1 - \beta_1) g, \quad
        v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \quad
        w \leftarrow w - \frac{\alpha m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon} .

    O(p) a round.

    Parameters
    ----------
    alpha
        Step size > 0.
    beta1, beta2
        How slowly the moments forget; >= 0 and < 1.
    epsilon
        Keeps the division from 0; > 0.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> graphol.simulate("adam", signal_game(), repeats=1).row()["nonzero_ratio_mean"]
    1.0

    References
    ----------
    Kingma, Ba. Adam: a method for stochastic optimization. ICLR 2015.
    """

    name: ClassVar[str] = "adam"
    alpha: float = param(0.01, "Step size.", above=0)
    beta1: float = param(0.9, "How slowly the mean gradient forgets.", least=0, below=1)
    beta2: float = param(0.999, "How slowly the mean square forgets.", least=0, below=1)
    epsilon: float = param(1e-8, "Keeps the division from 0.", above=0)

    def start(self, problem: Problem) -> State:
        """All zero."""
        return super().start(problem)._replace(second=np.zeros(problem.dim + 1))

    def step(self, state: State, gradient: Vector, t: int) -> Vector:
        """Both moments, each corrected for having begun at 0."""
        state.dual[:] = self.beta1 * state.dual + (1.0 - self.beta1) * gradient
        state.second[:] = self.beta2 * state.second + (1.0 - self.beta2) * gradient * gradient
        mean = state.dual / (1.0 - self.beta1 ** (t + 1))
        square = state.second / (1.0 - self.beta2 ** (t + 1))
        return np.asarray(state.w - self.alpha * mean / (np.sqrt(square) + self.epsilon))

    def kernel(self, state: State) -> tuple[Any, Any]:
        """The same, compiled."""
        from graphol.learners import _signal

        return _signal.adam, (self.alpha, self.beta1, self.beta2, self.epsilon)
