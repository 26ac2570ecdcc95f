"""Stochastic iterative hard thresholding."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.bases.steps import GradientSteps, HardThreshold
from graphol.projections.top_s import keep_largest
from graphol.standins import entries


@attrs.frozen
class StoIht(GradientSteps, HardThreshold):
    r"""Stochastic gradient steps, after each of which only the s largest weights stay.

    .. math:: w_{t+1} = \operatorname{P}_s\Big(w_t - \frac{\eta}{\sqrt t}\, g_t\Big)

    O(p) a round.

    Examples
    --------
    A single gradient says less than the mean of all so far, which ``da-iht`` looks at:

    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> found = {
    ...     name: graphol.simulate(f"{name}:s=3", signal_game(), repeats=1).row()["recall_mean"]
    ...     for name in ("stoiht", "da-iht")
    ... }
    >>> found["stoiht"] < found["da-iht"]
    True

    References
    ----------
    Nguyen, Needell, Woolf. Linear convergence of stochastic iterative greedy algorithms with sparse
    constraints. IEEE Trans. Inf. Theory, 2017.

    Deviation: one sample per step and the step size :math:`\eta / \sqrt t`, as an online learner
    must; both are those of the program of Zhou, Chen, Ying (KDD 2019).
    """

    name: ClassVar[str] = "stoiht"

    @staticmethod
    def move(model, x, by, t, s, eta):
        """Step, the s largest."""
        length = eta / np.sqrt(t + 1.0)
        for j in entries(len(x)):
            model.w[j] -= length * (x[j] * by)
        model.w[-1] -= length * by
        return keep_largest(model.w[:-1], s)
