"""Ask where the answer would change most."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Situation, Vector
from graphol.params import param
from graphol.strategies.posterior import posterior


@attrs.frozen
class ExpectedChange:
    r"""The node whose label would change what is predicted of all others most.

    If node i turns out to be of class k, a Gaussian process with covariance C (see `variance`)
    moves the probabilities of node u by :math:`C_{ui} (e_k - p_i) / (C_{ii} + \sigma_i^2)`. Summed
    over classes and all nodes u without a label, and weighed by how likely each answer is, that is

    .. math:: \frac{\sum_u C_{ui}}{C_{ii} + \sigma_i^2} \; 2 \sum_k p_{ik} (1 - p_{ik}),

    how far its label is heard times how much of a surprise it is. The p are those of the learner,
    whichever it is. Cost as of `variance`.

    Parameters
    ----------
    lam
        :math:`\lambda` > 0, how far labels reach: less, the larger it is.
    rho
        Between 0 and 1, how far a label is believed against its neighbours.

    Examples
    --------
    >>> from graphol import Graph, Situation
    >>> star = Situation.unasked(Graph.from_edges("aaa", "bcd"), classes=2)
    >>> int(ExpectedChange().values(star, np.random.default_rng(0)).argmax())
    0

    References
    ----------
    Settles, Craven, Ray. Multiple-instance active learning. NIPS, 2007: expected change, of a
    model's weights; that of the predictions on a graph is our own.
    """

    name: ClassVar[str] = "expected-change"
    spreads: ClassVar[bool] = True
    lam: float = param(0.5, above=0)
    rho: float = param(0.2, above=0, below=1)

    def values(self, situation: Situation, rng: np.random.Generator) -> Vector:
        """How much all probabilities would change, in expectation."""
        found, p = posterior(situation, self.lam, self.rho), situation.probabilities
        surprise = 2 * (p * (1 - p)).sum(axis=1)
        return np.asarray(surprise * found.reach / (found.own + found.noise))
