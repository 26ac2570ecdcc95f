"""Dual averaging with the sparse group lasso."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.bases.steps import DualAveraging, GroupThreshold, dual_average
from graphol.params import param
from graphol.projections.groups import group_shares
from graphol.projections.l1 import soft_threshold
from graphol.standins import entries


@attrs.frozen
class DaSgl(DualAveraging, GroupThreshold):
    r"""Dual averaging with the sparse group lasso: few groups, and few weights in them.

    The mean gradient is first cut entry by entry, :math:`c = \operatorname{sign}(\bar g)
    \max(|\bar g| - \lambda, 0)`, and then group by group as in ``da-gl``:

    .. math:: w_G = -\frac{\sqrt t}{\gamma}
        \max\Big(1 - \frac{\lambda \sqrt d}{\|c_G\|_2}, 0\Big)\, c_G .

    O(p) a round.

    Parameters
    ----------
    lam
        Both thresholds, :math:`\lambda` >= 0.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> w = graphol.simulate("da-sgl:lam=0.1,blocks=6", signal_game(), repeats=1).weights[0]["last"]
    >>> w[:6].nonzero()[0].tolist(), w[6:12].nonzero()[0].tolist()  # of either group
    ([0, 1, 2], [])

    References
    ----------
    Yang, Xu, King, Lyu. Online learning for group lasso. ICML 2010, equation 11 (with r = 1).
    """

    name: ClassVar[str] = "da-sgl"
    lam: float = param(0.005, least=0)

    @staticmethod
    def move(model, x, by, t, lam, gamma, group, thresholds):
        """Mean gradient, both thresholds, step."""
        w, dual, p = model.w, model.dual, len(x)
        dual_average(dual, x, by, t)
        for j in entries(p):
            w[j] = soft_threshold(dual[j], lam)
        length, left = -np.sqrt(t + 1.0) / gamma, group_shares(w[:p], group, thresholds)
        for j in entries(p):
            w[j] = length * (left[group[j]] * w[j])
        w[p] = length * dual[p]
        return True
