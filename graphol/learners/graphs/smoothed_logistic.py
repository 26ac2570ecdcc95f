"""Smoothed logistic regression: what a node's neighbourhood says in words."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from graphol.api import Problem
from graphol.bases.feature_rows import WEIGHTINGS, feature_rows
from graphol.bases.smoothed import Setting, SmoothedLearner
from graphol.bases.smoothing import Smoothing
from graphol.params import param
from graphol.registry import component

TAUS, CS = (5.0, 3.0, 10.0, 30.0), (10.0, 1.0, 3.0, 30.0, 100.0)
"""What validation labels choose from; the first is the one for all who have none."""


@attrs.frozen
class SmoothedLogistic(SmoothedLearner):
    r"""Logistic regression on node features that are averaged over the graph.

    With rows X of norm 1 (words that few nodes have count more, see ``weighting``) and the
    normalised Laplacian L of W + I,

    .. math:: Z = (I + \tau L)^{-1} X, \qquad
        \min_{V, b} \tfrac{1}{2C} |V|^2 - \sum_s \log \operatorname{softmax}(V^\top z_s + b)_{y_s}

    over the labelled nodes s, and the likeliest class is predicted. Several layers count as their
    sum; weights are divided by their mean, so that their units do not matter.

    Only the products :math:`Z Z_S^\top` are needed: two solves per label, whatever the number of
    features. ``auto`` parameters are chosen once, when the first labels come: by the validation
    labels if there are some, else :math:`\tau = 5, C = 10`. One label more costs two solves,
    O(n r) for r coordinates, and the regression anew from where it was: some tens of passes over
    |S| r K numbers; r is at most the smaller of |S| and the number of features. The state is
    n (r + K) numbers. A node is not known if nobody in its component has a feature that somebody
    in a labelled component has.

    Parameters
    ----------
    tau
        How far to smooth, > 0; or ``auto``: 3, 5, 10 or 30.
    C
        Inverse penalty of the regression, > 0; or ``auto``: 1, 3, 10, 30 or 100.
    weighting
        ``tf-idf`` of the features, ``none``, or ``auto``: tf-idf if they are counts.
    solver
        The linear solver: a name on the command line, a value in Python.

    Examples
    --------
    >>> import graphol
    >>> run = graphol.simulate("smoothed-logistic", dataset="digits", feedback="seeds", repeats=1)
    >>> run.error_rate_mean < 0.1
    True

    References
    ----------
    Wu, Zhang, Souza, Fifty, Yu, Weinberger. Simplifying graph convolutional networks. ICML, 2019.

    Deviation: the paper multiplies by the normalised adjacency matrix a few times; the inverse
    here averages over all distances and has a parameter that is no whole number.
    """

    name: ClassVar[str] = "smoothed-logistic"
    tau: float | str = param("auto", above=0, word="auto", type=float)
    C: float | str = param("auto", above=0, word="auto", type=float)
    weighting: str = param("auto", choices=WEIGHTINGS)
    solver: Any = component("solver", "auto:columns=64,tol=1e-10")

    def smoothing(self, problem: Problem) -> Smoothing:
        """Features over the sum of the layers."""
        assert problem.graph is not None
        X = feature_rows(problem.graph, self.weighting, self.name)
        return Smoothing(problem.graph.adjacency, X, self.solver)

    def settings(self, smoothing: Smoothing) -> tuple[Setting, ...]:
        """All pairs, unless a parameter is given."""
        return tuple(Setting(0.0, t, c) for t in grid(self.tau, TAUS) for c in grid(self.C, CS))


def grid(value: Any, auto: tuple[float, ...]) -> tuple[float, ...]:
    """What is to be tried of a parameter."""
    return auto if value == "auto" else (value,)
