"""Regularised dual averaging with the l1 norm."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.bases.signal import SignalLearner, dual_average
from graphol.params import param
from graphol.projections.l1 import soft_threshold
from graphol.standins import entries


@attrs.frozen
class L1Rda(SignalLearner):
    r"""Regularised dual averaging with the l1 norm, enhanced: weak mean gradients are cut to 0.

    With :math:`\bar g_t` the mean gradient and :math:`\lambda_t = \lambda + \gamma\rho/\sqrt t`,

    .. math:: w_{t+1} = -\frac{\sqrt t}{\gamma}\, \operatorname{sign}(\bar g_t)
        \max(|\bar g_t| - \lambda_t, 0) .

    O(p) a round.

    Parameters
    ----------
    lam
        Threshold :math:`\lambda` >= 0: the larger, the fewer weights.
    gamma
        Step size: the larger, the smaller the steps; > 0.
    rho
        What is added to the threshold in early rounds, >= 0; 0 is the plain method.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> graphol.simulate("l1-rda:lam=0.1", signal_game(), repeats=1).row()["recall_mean"]
    1.0

    References
    ----------
    Xiao. Dual averaging methods for regularized stochastic learning and online optimization. JMLR
    2010, equation 30.
    """

    name: ClassVar[str] = "l1-rda"
    lam: float = param(0.01, least=0)
    gamma: float = param(50.0, above=0)
    rho: float = param(0.0, least=0)

    @staticmethod
    def move(model, x, by, t, lam, gamma, rho):
        """Mean gradient, threshold, step."""
        w, dual, p = model.w, model.dual, len(x)
        dual_average(dual, x, by, t)
        threshold, length = lam + gamma * rho / np.sqrt(t + 1.0), -np.sqrt(t + 1.0) / gamma
        for j in entries(p):
            w[j] = length * soft_threshold(dual[j], threshold)
        w[p] = length * dual[p]
        return True
