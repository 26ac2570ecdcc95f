"""Naive Bayes of the labels around a node."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import Matrix, Vector
from graphol.bases.neighbours import Known, Neighbours
from graphol.params import param

LEAST = 1e-3
"""What a neighbour with classes ruled out is worth at the least, where all seen ones are."""


class State(NamedTuple):
    """What was told, and which classes are next to which."""

    known: Known
    C: Matrix  # (K, K), weight of the edges between labelled nodes by their classes; symmetric


@attrs.frozen
class NeighbourBayes(Neighbours):
    r"""Naive Bayes: neighbours' labels are independent draws from a learnt row of a table.

    With the weight :math:`C_{kl}` of all edges so far between labels k and l, and
    :math:`T_{kl} \propto C_{kl} + a + s [k = l]` with rows that sum to 1,

    .. math:: p_k \propto \pi_k \prod_{j \sim i,\ \text{labelled}} T_{k y_j}^{w_{ij}} ,

    where :math:`\pi_k` are the classes' shares among the labels and the mean weight is 1. So it
    learns also where neighbours differ. Of a neighbour that was told not to be of class a,
    :math:`1 - T_{ka}` is the factor. Scores are these probabilities; classes not seen yet have 0. A
    node without a labelled neighbour is not known. A round costs O(K² + K deg); the state is K² + n
    numbers and nK bits.

    Parameters
    ----------
    a
        Weight of edges between any two classes, before the first.
    same
        The same for edges inside a class, more.
    bonus
        How keen it is on classes rarely played, where it is told bits.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("neighbour-bayes", dataset="sbm", repeats=2).error_rate_mean < 0.25
    True

    References
    ----------
    Macskassy, Provost. Classification in networked data. JMLR 2007 (their network-only Bayes).

    Deviation: they take class-conditional counts of a batch; ours are kept up online, smoothed
    towards neighbours being alike.
    """

    name: ClassVar[str] = "neighbour-bayes"
    a: float = param(1.0, above=0)
    same: float = param(5.0, least=0)
    bonus: float = param(10.0, least=0)

    def begin(self, known: Known) -> State:
        """No edge between labels."""
        K = len(known.counts)
        return State(known, np.zeros((K, K)))

    def shares(self, state: State, i: int) -> tuple[Vector, bool]:
        """By Bayes' rule, from the neighbours."""
        known = state.known
        seen, p = np.flatnonzero(known.possible), known.prior
        if len(seen) == 0:
            return p, False
        nodes, w = known.edges.at(i)
        label = known.label[nodes]
        told, hints = label >= 0, (label < 0) & known.not_[nodes].any(axis=1)
        bears = bool(told.any() or hints.any())
        if not bears:
            return p, False
        T = np.zeros((len(seen), len(p)))
        T[:, seen] = state.C[np.ix_(seen, seen)] + self.a
        T[np.arange(len(seen)), seen] += self.same
        T /= T.sum(axis=1, keepdims=True)
        log = np.log(p[seen]) + np.log(T[:, label[told]]) @ w[told]
        if hints.any():
            out = T @ known.not_[nodes[hints]].T
            log += np.log(np.maximum(1.0 - out, LEAST)) @ w[hints]
        p[seen] = np.exp(log - log.max())
        return p / p.sum(), True

    def learn(self, state: State, i: int, y: int, before: int) -> None:
        """The edges to labelled neighbours."""
        nodes, w = state.known.edges.at(i)
        label = state.known.label[nodes]
        told = label >= 0
        found = np.bincount(label[told], weights=w[told], minlength=len(state.C))
        state.C[y] += found
        state.C[:, y] += found
        if before >= 0:
            state.C[before] -= found
            state.C[:, before] -= found
            np.maximum(state.C, 0.0, out=state.C)  # rounding

    def widen(self, state: State, more: int) -> State:
        """No edge to a new class yet."""
        return state._replace(C=np.pad(state.C, (0, more)))

    def check_state(self, state: State, nodes: int) -> None:
        """No weight is negative."""
        super().check_state(state, nodes)
        if not (state.C >= 0).all():
            raise ValueError("the table of edges has negative weights")
