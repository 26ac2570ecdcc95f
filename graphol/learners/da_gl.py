"""Dual averaging with the group lasso."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Problem, Vector
from graphol.learners.signal import SignalLearner, State, dual_average
from graphol.params import param
from graphol.projections.groups import group_threshold, partition


def with_groups(state: State, problem: Problem, blocks: str, owner: str) -> State:
    """The state with the group of every entry: from the graph, where x lives on its nodes."""
    graph = problem.graph
    if graph is not None and graph.n != problem.dim:
        graph = None
    return state._replace(group=partition(blocks, graph, problem.dim, owner))


@attrs.frozen
class DaGl(SignalLearner):
    r"""Dual averaging with the group lasso: groups of weights are kept or dropped together.

    With :math:`\bar g` the mean gradient, every group of d weights becomes

    .. math:: w_G = -\frac{\sqrt t}{\gamma}
        \max\Big(1 - \frac{\lambda \sqrt d}{\|\bar g_G\|_2}, 0\Big)\, \bar g_G .

    O(p) a round.

    Parameters
    ----------
    lam
        Threshold :math:`\lambda` >= 0: the larger, the fewer groups.
    gamma
        Step size: the larger, the smaller the steps; > 0.
    blocks
        What the groups are: ``3x3`` cuts a grid into blocks, ``9`` any graph into connected pieces
        of at most 9 nodes.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> result = graphol.simulate("da-gl:lam=0.1,blocks=3", signal_game(), repeats=1)
    >>> result.row()["recall_mean"]
    1.0

    References
    ----------
    Yang, Xu, King, Lyu. Online learning for group lasso. ICML 2010, equation 10.
    """

    name: ClassVar[str] = "da-gl"
    lam: float = param(0.01, "Threshold of the groups' mean gradient.", least=0)
    gamma: float = param(50.0, "Step size: the larger, the smaller the steps.", above=0)
    blocks: str = param("9", "Groups: 3x3 blocks of a grid, or pieces of so many nodes.")

    def start(self, problem: Problem) -> State:
        """All zero."""
        return with_groups(super().start(problem), problem, self.blocks, self.name)

    def step(self, state: State, gradient: Vector, t: int) -> Vector:
        """Mean gradient, threshold of every group, step."""
        dual = dual_average(state, gradient, t)
        by = self.lam * np.sqrt(np.bincount(state.group))
        cut = np.append(group_threshold(dual[:-1], state.group, by), dual[-1])
        return np.asarray(-np.sqrt(t + 1.0) / self.gamma * cut)

    def kernel(self, state: State) -> tuple[Any, Any]:
        """The same, compiled."""
        from graphol.learners import _signal

        by = self.lam * np.sqrt(np.bincount(state.group))
        return _signal.da_gl, (0.0, self.gamma, state.group, by)
