"""What several learners of signals have in common: how far they step, and what they keep then.

Each class is added to a base of :mod:`graphol.bases.signal`, with parameters that are described
once, here. They are given by name, since what a learner adds of its own comes after them.
"""

from __future__ import annotations

import attrs
import numpy as np

from graphol.api import Integers, Problem, Vector
from graphol.bases.signal import FromProblem, SignalLearner
from graphol.params import param
from graphol.projections.groups import partition
from graphol.projections.top_s import TopS
from graphol.standins import entries


@attrs.frozen(slots=False, kw_only=True)
class DualAveraging(SignalLearner):
    r"""After t rounds it goes :math:`\sqrt t / \gamma` times their mean gradient away from 0.

    Parameters
    ----------
    gamma
        Step size: the larger, the smaller the steps; > 0.
    """

    gamma: float = param(50.0, above=0)


@attrs.frozen(slots=False, kw_only=True)
class GradientSteps(SignalLearner):
    r"""In round t it goes :math:`\eta / \sqrt t` times that round's gradient on from where it is.

    Parameters
    ----------
    eta
        Step size > 0: the larger, the larger the steps.
    """

    eta: float = param(0.1, above=0)


@attrs.frozen(slots=False, kw_only=True)
class ScaledSteps(SignalLearner):
    """Every weight has a step size of its own: its gradients so far, squared, are divided by.

    Parameters
    ----------
    epsilon
        Keeps the division from 0; > 0.
    """

    epsilon: float = param(1e-8, above=0)


@attrs.frozen(slots=False, kw_only=True)
class SoftThreshold(SignalLearner):
    r"""Mean gradients of at most :math:`\lambda` are cut to 0, larger ones come nearer by it.

    Parameters
    ----------
    lam
        Threshold :math:`\lambda` >= 0: the larger, the fewer weights.
    """

    lam: float = param(0.01, least=0)


@attrs.frozen(slots=False, kw_only=True)
class HardThreshold(SignalLearner):
    """After a step only the s largest weights stay; the intercept always does.

    Parameters
    ----------
    s
        Number of weights kept, 1 to p.
    """

    s: int = param(8, least=1)

    def derive(self, problem: Problem) -> FromProblem:
        """An s that is too large is refused."""
        TopS(s=self.s).bind(problem.graph, problem.dim)
        return super().derive(problem)


@attrs.frozen(eq=False)
class Grouped(FromProblem):
    """The group of every entry."""

    group: Integers  # (p,)
    thresholds: Vector  # lam sqrt(d) of every group of d entries


@attrs.frozen(slots=False, kw_only=True)
class GroupThreshold(SignalLearner):
    r"""Groups whose mean gradient is weak are cut to 0 together.

    Parameters
    ----------
    lam
        Threshold :math:`\lambda` >= 0: the larger, the fewer groups.
    blocks
        What the groups are: ``3x3`` cuts a grid into blocks, ``9`` any graph into connected pieces
        of at most 9 nodes.
    """

    lam: float = param(0.01, least=0)
    blocks: str = param("9")

    def derive(self, problem: Problem) -> Grouped:
        """Groups of nodes, where x lives on them; blocks that do not fit the graph are refused."""
        graph = problem.graph
        if graph is not None and graph.n != problem.dim:
            graph = None
        group = partition(self.blocks, graph, problem.dim, self.name)
        thresholds = self.lam * np.sqrt(np.bincount(group))
        return Grouped(problem.target == "real", group, thresholds)


def dual_average(dual, x, by, t):
    """The mean of all gradients ``by * (x, 1)`` so far."""
    p = len(x)
    for j in entries(p):
        dual[j] = t / (t + 1.0) * dual[j] + x[j] * by / (t + 1.0)
    dual[p] = t / (t + 1.0) * dual[p] + by / (t + 1.0)
