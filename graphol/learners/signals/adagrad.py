"""Adaptive subgradients with the l1 norm."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.bases.steps import ScaledSteps, SoftThreshold, dual_average
from graphol.params import param
from graphol.projections.l1 import soft_threshold
from graphol.standins import entries


@attrs.frozen
class AdaGrad(ScaledSteps, SoftThreshold):
    r"""Dual averaging with a step size per weight, and the l1 norm.

    With :math:`\bar g` the mean gradient and :math:`G` the sum of its squares, entry by entry,

    .. math:: w_{t+1} = -\frac{\eta\, t}{\epsilon + \sqrt G}\, \operatorname{sign}(\bar g)
        \max(|\bar g| - \lambda, 0) .

    O(p) a round.

    Parameters
    ----------
    eta
        Step size > 0: the larger, the larger the steps.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> learner, game = "adagrad:lam=0.1", signal_game()  # in which 3 of 12 entries matter
    >>> row = graphol.simulate(learner, game, repeats=1).row()
    >>> row["nonzero_ratio_mean"], row["f1_mean"]
    (0.25, 1.0)

    References
    ----------
    Duchi, Hazan, Singer. Adaptive subgradient methods for online learning and stochastic
    optimization. JMLR 2011.
    """

    name: ClassVar[str] = "adagrad"
    eta: float = param(0.05, above=0)

    @staticmethod
    def move(model, x, by, t, lam, eta, epsilon):
        """Mean gradient, threshold, a step of its own for every weight."""
        w, dual, second, p = model.w, model.dual, model.second, len(x)
        dual_average(dual, x, by, t)
        for j in entries(p):
            second[j] += (x[j] * by) * (x[j] * by)
            w[j] = soft_threshold(dual[j], lam)
        second[p] += by * by
        w[p] = dual[p]
        for j in entries(p + 1):
            w[j] = -eta * (t + 1.0) / (epsilon + np.sqrt(second[j])) * w[j]
        return True
