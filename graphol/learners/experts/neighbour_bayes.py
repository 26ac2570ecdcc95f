"""Naive Bayes of the labels around a node."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import Matrix
from graphol.bases.around import labels_around
from graphol.bases.neighbours import Known, Neighbours, prior, softmax
from graphol.params import param
from graphol.standins import entries

LEAST = 1e-3
"""What a neighbour with classes ruled out is worth at the least, where all seen ones are."""


class State(NamedTuple):
    """What was told, and which classes are next to which."""

    known: Known
    C: Matrix  # (K, K), weight of the edges between labelled nodes by their classes; symmetric


def weight(C, k, c, a, same):
    """Of edges between the classes k and c, those included that are there before the first."""
    return C[k, c] + a + (same if k == c else 0.0)


def add_hints(edges, told, C, i, a, same, total, value):
    """Add to the logarithms ``value`` what neighbours say that are known not to be of several."""
    K = len(C)
    out = np.empty(K)
    for e in range(edges.indptr[i], edges.indptr[i + 1]):
        j = edges.indices[e]
        if told.label[j] >= 0 or told.not_[j].sum() < 2:
            continue
        out[:] = 0.0
        for c in range(K):
            if told.not_[j, c]:
                for k in range(K):
                    out[k] += weight(C, k, c, a, same) / total[k]
        for k in range(K):
            value[k] += edges.weight[e] * math.log(max(1.0 - out[k], LEAST))


@attrs.frozen
class NeighbourBayes(Neighbours):
    r"""Naive Bayes: neighbours' labels are independent draws from a learnt row of a table.

    With the weight :math:`C_{kl}` of all edges so far between labels k and l, and
    :math:`T_{kl} \propto C_{kl} + a + s [k = l]` with rows that sum to 1 over the classes shown or
    said so far (and k),

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

    @staticmethod
    def share(edges, told, model, i, p, a, same):
        """By Bayes' rule, from the neighbours."""
        C, K = model[0], len(p)
        prior(told, p)  # > 0 for the classes that were seen
        found, ruled = np.empty(K), np.empty(K)
        several = labels_around(edges, told, i, found, ruled)
        if not (several or found.max() > 0.0 or ruled.max() > 0.0):
            return False
        total, value = np.zeros(K), np.zeros(K)
        for c in range(K):
            if told.counts[c] > 0.0 or told.plays[c] > 0.0:
                for j in entries(K):
                    total[j] += C[j, c] + a
            else:  # it may be anywhere, but is next to nothing yet
                total[c] += a
            total[c] += same
        for k in range(K):
            value[k] = math.log(p[k]) if p[k] > 0.0 else 0.0
        for c in range(K):
            if found[c] > 0.0 or ruled[c] > 0.0:
                for k in range(K):
                    T = weight(C, k, c, a, same) / total[k]
                    value[k] += found[c] * math.log(T)
                    value[k] += ruled[c] * math.log(max(1.0 - T, LEAST))
        if several:
            add_hints(edges, told, C, i, a, same, total, value)
        softmax(value, p)
        return True

    @staticmethod
    def learn(edges, told, model, i, y, before):
        """The edges to labelled neighbours."""
        C = model[0]
        K = len(C)
        found, ruled = np.empty(K), np.empty(K)
        labels_around(edges, told, i, found, ruled)
        for k in entries(K):
            C[y, k] += found[k]
        for k in entries(K):
            C[k, y] += found[k]
        if before >= 0:
            for k in entries(K):
                C[before, k] -= found[k]
            for k in entries(K):
                C[k, before] -= found[k]
            for k in entries(K):  # rounding
                C[before, k] = np.maximum(C[before, k], 0.0)
                C[k, before] = np.maximum(C[k, before], 0.0)

    def widen(self, state: State, more: int) -> State:
        """No edge to a new class yet."""
        return state._replace(C=np.pad(state.C, (0, more)))

    def check_state(self, state: State, nodes: int) -> None:
        """No weight is negative."""
        super().check_state(state, nodes)
        if not (state.C >= 0).all():
            raise ValueError("the table of edges has negative weights")
