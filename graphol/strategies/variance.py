"""Ask where the labels so far say least."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Situation, Vector
from graphol.params import param
from graphol.strategies.posterior import posterior

OWN, SURVEY = "own", "survey"


@attrs.frozen
class Variance:
    r"""The node that the labels so far leave most open, whatever they are.

    The graph is taken for a Gaussian process, that of `walk`: its covariance given the labelled
    nodes is :math:`C = (L + \lambda D + M)^{-1}`, M the inverse of the noise of their labels. By
    ``own`` a node is worth :math:`C_{ii}`, its variance; by ``survey`` how much its label takes
    from the variance of the sum over all nodes u without one, :math:`(\sum_u C_{iu})^2 / (C_{ii} +
    \sigma_i^2)`, so that nodes on which many others depend come before odd ones at the border.

    Up to 3000 nodes C is exact, by one dense inverse per graph. On larger graphs there is one solve
    per labelled node, and :math:`C_{ii}` before the first label is estimated from 64 draws of the
    process. Beside that O(n s^2) with s labels, or 65 solves where that is less memory.

    Parameters
    ----------
    of
        ``own`` or ``survey``.
    lam
        :math:`\lambda` > 0, how far labels reach: less, the larger it is.
    rho
        Between 0 and 1, how far a label is believed against its neighbours.

    Examples
    --------
    >>> from graphol import Graph, Situation
    >>> path = Situation.unasked(Graph.from_edges("abcd", "bcde"), classes=2)
    >>> int(Variance().values(path, np.random.default_rng(0)).argmax())  # the one in the middle
    2

    References
    ----------
    Ma, Garnett, Schneider. Sigma-optimality for active learning on Gaussian random fields. NIPS,
    2013: ``survey``, there without noise and without the ridge; Zhu, Lafferty, Ghahramani, 2003:
    the process.
    """

    name: ClassVar[str] = "variance"
    spreads: ClassVar[bool] = True
    of: str = param(SURVEY, choices=(OWN, SURVEY))
    lam: float = param(0.01, above=0)
    rho: float = param(0.2, above=0, below=1)

    def values(self, situation: Situation, rng: np.random.Generator) -> Vector:
        """The variance of every node, or what its label takes from that of all."""
        found = posterior(situation, self.lam, self.rho)
        if self.of == OWN:
            return found.own
        return found.reach**2 / (found.own + found.noise)

    def reason(self, situation: Situation, node: int) -> str:
        """It is of the kind that no label tells about, or that many depend on."""
        if self.of == OWN:
            return "unlike anything labelled"
        waiting = int((situation.labels[situation.graph.adjacency[[node]].indices] < 0).sum())
        return f"many depend on it, {waiting} of them neighbours without a label"
