"""Dual averaging with the group lasso."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Integers, Problem, Vector
from graphol.bases.signal import FromProblem, SignalLearner, dual_average
from graphol.params import param
from graphol.projections.groups import group_shares, partition
from graphol.standins import entries


@attrs.frozen(eq=False)
class Grouped(FromProblem):
    """The group of every entry: from the graph, where x lives on its nodes."""

    group: Integers  # (p,)
    thresholds: Vector  # lam sqrt(d) of every group of d entries

    @classmethod
    def of(cls, problem: Problem, blocks: str, lam: float, owner: str) -> Grouped:
        """The groups that ``blocks`` says; refused if they do not fit the graph."""
        graph = problem.graph
        if graph is not None and graph.n != problem.dim:
            graph = None
        group = partition(blocks, graph, problem.dim, owner)
        return cls(problem.target == "real", group, lam * np.sqrt(np.bincount(group)))


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
    lam: float = param(0.01, least=0)
    gamma: float = param(50.0, above=0)
    blocks: str = param("9")

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

    def derive(self, problem: Problem) -> Grouped:
        """Blocks that do not fit the graph are refused."""
        return Grouped.of(problem, self.blocks, self.lam, self.name)
