"""The mean of the neighbours' label histograms."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import Matrix, Vector
from graphol.bases.neighbours import Known, Neighbours
from graphol.params import param


class State(NamedTuple):
    """What was told, and the histogram of every node."""

    known: Known
    N: Matrix  # (n, K), weight of the labels on a node and around it


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

    def shares(self, state: State, i: int) -> tuple[Vector, bool]:
        """The mean of the neighbours' histograms, and a little of everybody's."""
        nodes, w = state.known.edges.at(i)
        prior = state.known.prior
        N = state.N[nodes]
        total = N.sum(axis=1)
        some = total > 0
        if not some.any():
            return prior, False
        m = (w[some] / total[some]) @ N[some]
        return (m / m.sum() + self.c * prior) / (1.0 + self.c), True

    def learn(self, state: State, i: int, y: int, before: int) -> None:
        """The node's own histogram, and its neighbours'."""
        nodes, w = state.known.edges.at(i)
        state.N[nodes, y] += w
        state.N[i, y] += 1.0
        if before >= 0:
            state.N[nodes, before] -= w
            state.N[i, before] -= 1.0
            near = np.append(nodes, i)
            N = state.N[near, before]
            state.N[near, before] = np.where(N > 1e-9, N, 0.0)  # rounding

    def widen(self, state: State, more: int) -> State:
        """No label of a new class yet."""
        return state._replace(N=np.pad(state.N, ((0, 0), (0, more))))

    def check_state(self, state: State, nodes: int) -> None:
        """No weight is negative."""
        super().check_state(state, nodes)
        if not (state.N >= 0).all():
            raise ValueError("a histogram has negative weights")
