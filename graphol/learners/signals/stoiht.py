"""Stochastic iterative hard thresholding."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Problem
from graphol.bases.signal import FromProblem, SignalLearner
from graphol.params import param
from graphol.projections.top_s import TopS, keep_largest
from graphol.standins import entries


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
    s: int = param(8, least=1)
    eta: float = param(0.1, above=0)

    @staticmethod
    def move(model, x, by, t, s, eta):
        """Step, the s largest."""
        length = eta / np.sqrt(t + 1.0)
        for j in entries(len(x)):
            model.w[j] -= length * (x[j] * by)
        model.w[-1] -= length * by
        return keep_largest(model.w[:-1], s)

    def derive(self, problem: Problem) -> FromProblem:
        """An s that is too large is refused."""
        TopS(s=self.s).bind(problem.graph, problem.dim)
        return super().derive(problem)
