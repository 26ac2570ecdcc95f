"""Dual averaging with the group lasso."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.bases.steps import DualAveraging, GroupThreshold, dual_average
from graphol.projections.groups import group_shares
from graphol.standins import entries


@attrs.frozen
class DaGl(DualAveraging, GroupThreshold):
    r"""Dual averaging with the group lasso: groups of weights are kept or dropped together.

    With :math:`\bar g` the mean gradient, every group of d weights becomes

    .. math:: w_G = -\frac{\sqrt t}{\gamma}
        \max\Big(1 - \frac{\lambda \sqrt d}{\|\bar g_G\|_2}, 0\Big)\, \bar g_G .

    O(p) a round.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> for blocks in (3, 6):
    ...     result = graphol.simulate(f"da-gl:lam=0.1,blocks={blocks}", signal_game(), repeats=1)
    ...     print(result.weights[0]["last"][:-1].nonzero()[0].tolist())
    [0, 1, 2]
    [0, 1, 2, 3, 4, 5]

    References
    ----------
    Yang, Xu, King, Lyu. Online learning for group lasso. ICML 2010, equation 10.
    """

    name: ClassVar[str] = "da-gl"

    @staticmethod
    def move(model, x, by, t, gamma, group, thresholds):
        """Mean gradient, threshold of every group, step."""
        w, dual, p = model.w, model.dual, len(x)
        dual_average(dual, x, by, t)
        length, left = -np.sqrt(t + 1.0) / gamma, group_shares(dual[:p], group, thresholds)
        for j in entries(p):
            w[j] = length * (left[group[j]] * dual[j])
        w[p] = length * dual[p]
        return True
