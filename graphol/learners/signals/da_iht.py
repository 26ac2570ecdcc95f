"""Dual averaging with hard thresholding."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.bases.steps import DualAveraging, HardThreshold, dual_average
from graphol.projections.top_s import keep_largest
from graphol.standins import entries


@attrs.frozen
class DaIht(DualAveraging, HardThreshold):
    r"""Dual averaging that keeps the s largest weights.

    With :math:`\bar g_t` the mean gradient, :math:`w_{t+1}` is :math:`-\frac{\sqrt t}{\gamma} \bar
    g_t` on its s largest entries and 0 elsewhere. It is ``graphda`` without a graph.
    O(p) a round.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> few, right = (graphol.simulate(f"da-iht:s={s}", signal_game(), repeats=1) for s in (1, 3))
    >>> right.row()["nonzero_ratio_mean"], right.row()["recall_mean"]  # 3 of 12 weights
    (0.25, 1.0)
    >>> few.error_rate_mean > right.error_rate_mean
    True

    References
    ----------
    Baseline of Zhou, Chen, Ying. Dual averaging method for online graph-structured sparsity. KDD
    2019.
    """

    name: ClassVar[str] = "da-iht"

    @staticmethod
    def move(model, x, by, t, s, gamma):
        """Mean gradient, step, the s largest."""
        dual_average(model.dual, x, by, t)
        length = -np.sqrt(t + 1.0) / gamma
        for j in entries(len(model.w)):
            model.w[j] = length * model.dual[j]
        return keep_largest(model.w[:-1], s)
