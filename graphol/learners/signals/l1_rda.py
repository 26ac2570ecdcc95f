"""Regularised dual averaging with the l1 norm."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.bases.steps import DualAveraging, SoftThreshold, dual_average
from graphol.params import param
from graphol.projections.l1 import soft_threshold
from graphol.standins import entries


@attrs.frozen
class L1Rda(DualAveraging, SoftThreshold):
    r"""Regularised dual averaging with the l1 norm, enhanced: weak mean gradients are cut to 0.

    With :math:`\bar g_t` the mean gradient and :math:`\lambda_t = \lambda + \gamma\rho/\sqrt t`,

    .. math:: w_{t+1} = -\frac{\sqrt t}{\gamma}\, \operatorname{sign}(\bar g_t)
        \max(|\bar g_t| - \lambda_t, 0) .

    O(p) a round.

    Parameters
    ----------
    rho
        What is added to the threshold in early rounds, >= 0; 0 is the plain method.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> for lam in (0.0, 0.1, 0.3):
    ...     result = graphol.simulate(f"l1-rda:lam={lam}", signal_game(), repeats=1)
    ...     print(lam, result.weights[0]["last"][:-1].nonzero()[0].tolist())
    0.0 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    0.1 [0, 1, 2]
    0.3 []

    References
    ----------
    Xiao. Dual averaging methods for regularized stochastic learning and online optimization. JMLR
    2010, equation 30.
    """

    name: ClassVar[str] = "l1-rda"
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
