"""Smoothed logistic regression over the graph and over nodes with similar features."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Problem
from graphol.bases.feature_rows import WEIGHTINGS, feature_rows
from graphol.bases.smoothed import Setting, SmoothedLearner
from graphol.bases.smoothing import Smoothing
from graphol.layers.neighbours import nearest_neighbours
from graphol.learners.graphs.smoothed_logistic import grid
from graphol.params import param
from graphol.registry import component

SIMILAR, TAUS = (0.05, 0.0, 0.1, 0.3), (10.0, 3.0, 5.0, 20.0)
CS = (30.0, 1.0, 3.0, 10.0, 100.0)
"""What validation labels choose from; the first is the one for all who have none."""


@attrs.frozen
class KnnLogistic(SmoothedLearner):
    r"""Logistic regression on features averaged over the graph and over similar nodes.

    As ``smoothed-logistic``, with a second layer: every node is joined to the ``neighbours`` nodes
    whose features have the largest cosine with its own, which becomes the edge's weight.

    .. math:: W = W_{graph} + \sigma W_{similar}, \qquad Z = (I + \tau L)^{-1} X

    A paper that cites nobody is averaged with those that use its words. Where validation labels
    come with the first labels, the settings that are right there most often are averaged; else it
    is one, :math:`\sigma = 0.05, \tau = 10, C = 30`. Without features Z is the smoothing itself, so
    that a node's row says how near it is to each other node, and there is no second layer.

    The second layer costs O(n^2) times the features of a node, once. A label costs what it does for
    ``smoothed-logistic``, for each setting that is averaged.

    Parameters
    ----------
    similar
        Weight :math:`\sigma` >= 0 of the second layer, or ``auto``: 0, 0.05, 0.1 or 0.3.
    tau
        How far to smooth, > 0; or ``auto``: 3, 5, 10 or 20.
    C
        Inverse penalty of the regression, > 0; or ``auto``: 1, 3, 10, 30 or 100.
    average
        How many of the settings that are chosen from are averaged, 1 to 80.
    neighbours
        Similar nodes that a node is joined to, >= 1.
    weighting
        ``tf-idf`` of the features, ``none``, or ``auto``: tf-idf if they are counts.
    solver
        The linear solver: a name on the command line, a value in Python.

    Examples
    --------
    >>> import graphol
    >>> run = graphol.simulate("knn-logistic", dataset="sbm", feedback="seeds", repeats=2)
    >>> run.error_rate_mean < 0.1
    True

    References
    ----------
    Wu, Zhang, Souza, Fifty, Yu, Weinberger. Simplifying graph convolutional networks. ICML, 2019.

    Deviation: our own; the paper smooths over one graph, by a power of its adjacency matrix.
    """

    name: ClassVar[str] = "knn-logistic"
    similar: float | str = param("auto", least=0, word="auto", type=float)
    tau: float | str = param("auto", above=0, word="auto", type=float)
    C: float | str = param("auto", above=0, word="auto", type=float)
    average: int = param(3, least=1, most=80)
    neighbours: int = param(15, least=1)
    weighting: str = param("auto", choices=WEIGHTINGS)
    solver: Any = component("solver", "auto:columns=64,tol=1e-10")

    @property
    def averaged(self) -> int:
        """As asked for."""
        return self.average

    def smoothing(self, problem: Problem) -> Smoothing:
        """Features over the sum of the layers and over their nearest neighbours."""
        graph = problem.graph
        assert graph is not None
        if graph.features is None:
            return Smoothing(graph.adjacency, None, self.solver)
        X = feature_rows(graph, self.weighting, self.name)
        shared = np.bincount(X.indices).max() > 1  # else nobody is like another
        wanted = self.similar != 0 and shared
        similar = nearest_neighbours(X, self.neighbours, graph.name) if wanted else None
        return Smoothing(graph.adjacency, X, self.solver, similar)

    def settings(self, smoothing: Smoothing) -> tuple[Setting, ...]:
        """All triples, unless a parameter is given."""
        layers = (0.0,) if smoothing.similar is None else grid(self.similar, SIMILAR)
        return tuple(
            Setting(similar, tau, C)
            for similar in layers
            for tau in grid(self.tau, TAUS)
            for C in grid(self.C, CS)
        )
