"""Dual averaging with the sparse group lasso."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Problem, Vector
from graphol.learners.da_gl import with_groups
from graphol.learners.signal import SignalLearner, State, dual_average
from graphol.params import param
from graphol.projections.groups import group_threshold
from graphol.projections.l1 import soft_threshold


@attrs.frozen
class DaSgl(SignalLearner):
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
    gamma
        Step size: the larger, the smaller the steps; > 0.
    blocks
        What the groups are: ``3x3`` cuts a grid into blocks, ``9`` any graph into connected pieces
        of at most 9 nodes.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> result = graphol.simulate("da-sgl:lam=0.05,blocks=3", signal_game(), repeats=1)
    >>> result.row()["recall_mean"]
    1.0

    References
    ----------
    Yang, Xu, King, Lyu. Online learning for group lasso. ICML 2010, equation 11 (with r = 1).
    """

    name: ClassVar[str] = "da-sgl"
    lam: float = param(0.005, "Threshold of entries and of groups.", least=0)
    gamma: float = param(50.0, "Step size: the larger, the smaller the steps.", above=0)
    blocks: str = param("9", "Groups: 3x3 blocks of a grid, or pieces of so many nodes.")

    def start(self, problem: Problem) -> State:
        """All zero."""
        return with_groups(super().start(problem), problem, self.blocks, self.name)

    def step(self, state: State, gradient: Vector, t: int) -> Vector:
        """Mean gradient, both thresholds, step."""
        dual = dual_average(state, gradient, t)
        by = self.lam * np.sqrt(np.bincount(state.group))
        cut = group_threshold(soft_threshold(dual[:-1], self.lam), state.group, by)
        return np.asarray(-np.sqrt(t + 1.0) / self.gamma * np.append(cut, dual[-1]))

    def kernel(self, state: State) -> tuple[Any, Any]:
        """The same, compiled."""
        from graphol.learners import _signal

        by = self.lam * np.sqrt(np.bincount(state.group))
        return _signal.da_gl, (self.lam, self.gamma, state.group, by)
