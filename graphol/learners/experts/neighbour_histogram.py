"""The mean of the neighbours' label histograms."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import Matrix
from graphol.bases.neighbours import Known, Neighbours, prior
from graphol.params import param

ROUNDING = 1e-9
"""A weight so small is what is left where a label was taken back."""


class State(NamedTuple):
    """What was told, and the histogram of every node."""

    known: Known
    N: Matrix  # (n, K), weight of the labels on a node and around it


def take_back(N, j, k, weight):
    """Node j has so much less of label k around it."""
    left = N[j, k] - weight
    N[j, k] = left if left > ROUNDING else 0.0


@attrs.frozen
class NeighbourHistogram(Neighbours):
    r"""Two steps: the mean over the neighbours of the labels on and around each.

    :math:`N_{jk}` is the weight of the edges from node j to labels k, and 1 more if j itself has
    label k. The prediction at node i is the largest entry of

    .. math:: p \propto m + c\, \pi, \qquad
              m \propto \sum_{j \sim i,\ N_j \ne 0} w_{ij} \frac{N_j}{\sum_l N_{jl}} ,

    with :math:`\pi` the classes' shares among the labels; weights are in units of their mean. A hub
    counts no more than anybody. Scores are these probabilities; classes not seen yet have 0. A node
    is not known if no neighbour has a label on or around it. A round costs O(K deg); the state is
    nK numbers and bits. A wrong answer tells it about the node itself only.

    Parameters
    ----------
    c
        Weight of the classes' shares among all labels.
    bonus
        How keen it is on classes rarely played, where it is told bits.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("neighbour-histogram", dataset="sbm", repeats=2).error_rate_mean < 0.25
    True

    References
    ----------
    Macskassy, Provost. Classification in networked data. JMLR 2007 (their class-distribution
    classifiers are relatives).
    """

    name: ClassVar[str] = "neighbour-histogram"
    c: float = param(0.005, least=0)
    bonus: float = param(10.0, least=0)

    def begin(self, known: Known) -> State:
        """Empty histograms."""
        return State(known, np.zeros(known.not_.shape))

    @staticmethod
    def share(edges, told, model, i, p, c):
        """The mean of the neighbours' histograms, and a little of everybody's."""
        N, K = model[0], len(p)
        prior(told, p)
        m = np.zeros(K)
        for e in range(edges.indptr[i], edges.indptr[i + 1]):
            j, total = edges.indices[e], 0.0
            for k in range(K):
                total += N[j, k]
            if total > 0.0:
                by = edges.weight[e] / total
                for k in range(K):
                    m[k] += by * N[j, k]
        all_m = 0.0
        for k in range(K):
            all_m += m[k]
        if not all_m > 0.0:
            return False
        for k in range(K):
            p[k] = (m[k] / all_m + c * p[k]) / (1.0 + c)
        return True

    @staticmethod
    def learn(edges, told, model, i, y, before):
        """The node's own histogram, and its neighbours'."""
        N = model[0]
        N[i, y] += 1.0
        if before >= 0:
            take_back(N, i, before, 1.0)
        for e in range(edges.indptr[i], edges.indptr[i + 1]):
            N[edges.indices[e], y] += edges.weight[e]
            if before >= 0:
                take_back(N, edges.indices[e], before, edges.weight[e])

    def widen(self, state: State, more: int) -> State:
        """No label of a new class yet."""
        return state._replace(N=np.pad(state.N, ((0, 0), (0, more))))

    def check_state(self, state: State, nodes: int) -> None:
        """No weight is negative."""
        super().check_state(state, nodes)
        if not (state.N >= 0).all():
            raise ValueError("a histogram has negative weights")
