"""Logistic regression on who the neighbours are."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import Matrix
from graphol.bases.neighbours import Known, Neighbours, prior, softmax
from graphol.params import param

FIRST = 1e-8
"""Where the sums of squared gradients start: a first step has length ``step``."""

SURE = 1e-6
"""A wrong answer counts as having had at least this probability of being wrong."""


class State(NamedTuple):
    """What was told, the weights and the sums of their squared gradients."""

    known: Known
    W: Matrix  # (n + 1, K), the last row is the bias
    G: Matrix  # (n + 1, K)


def scale(edges, i):
    """What weights of the edges of node i are divided by, to be features."""
    total = 0.0
    for e in range(edges.indptr[i], edges.indptr[i + 1]):
        total += edges.weight[e]
    return math.sqrt(total)


def predicted(edges, told, W, i, p):
    """Fill p with the softmax at node i, over the classes that were seen."""
    n, K = len(W) - 1, len(p)
    prior(told, p)  # > 0 for those
    seen = False
    for k in range(K):
        seen = seen or p[k] > 0.0
    if not seen:
        return
    z, by = np.zeros(K), scale(edges, i)
    for e in range(edges.indptr[i], edges.indptr[i + 1]):
        j, x = edges.indices[e], edges.weight[e] / by
        for k in range(K):
            z[k] += x * W[j, k]
    for k in range(K):
        z[k] += W[n, k]
    softmax(z, p)


def move(edges, W, G, i, gradient, step):
    """One step of AdaGrad for the neighbours of node i and the bias."""
    begin, end = edges.indptr[i], edges.indptr[i + 1]
    by = scale(edges, i)
    for e in range(begin, end + 1):
        j, x = len(W) - 1, 1.0
        if e < end:
            j, x = edges.indices[e], edges.weight[e] / by
        for k in range(len(gradient)):
            along = x * gradient[k]
            G[j, k] += along * along
            W[j, k] += step * along / math.sqrt(G[j, k])


@attrs.frozen
class NeighbourLogistic(Neighbours):
    r"""Softmax regression whose features are the names of the neighbours, by AdaGrad.

    Every node j has a weight :math:`W_{jk}` per class: what being next to j says, whatever j itself
    is. With :math:`x_{ij} = w_{ij} / \sqrt{d_i}` for the neighbours and a bias,

    .. math:: p \propto \exp\Big(b + \sum_{j \sim i} x_{ij} W_j\Big)

    over the classes that were seen. A label y moves W along the gradient of :math:`\log p_y`, a
    wrong answer a along that of :math:`\log(1 - p_a)`, every entry by ``step`` over the root of its
    sum of squared gradients. Scores are these probabilities; classes not seen yet have 0. A node is
    not known if no neighbour of a neighbour was learnt from. A round costs O(K deg); the state is
    2nK numbers and nK bits. A second label of a node is one more step.

    Parameters
    ----------
    step
        Length of the steps, > 0.
    bonus
        How keen it is on classes rarely played, where it is told bits.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("neighbour-logistic", dataset="sbm", repeats=2).error_rate_mean < 0.5
    True

    References
    ----------
    Duchi, Hazan, Singer. Adaptive subgradient methods for online learning and stochastic
    optimization. JMLR 2011.
    """

    name: ClassVar[str] = "neighbour-logistic"
    step: float = param(1.0, above=0)
    bonus: float = param(10.0, least=0)

    def begin(self, known: Known) -> State:
        """All weights zero."""
        n, K = known.not_.shape
        return State(known, np.zeros((n + 1, K)), np.full((n + 1, K), FIRST))

    @staticmethod
    def share(edges, told, model, i, p):
        """The softmax, and whether a neighbour's weights were ever moved."""
        W, G = model
        predicted(edges, told, W, i, p)
        for e in range(edges.indptr[i], edges.indptr[i + 1]):
            for k in range(len(p)):
                if G[edges.indices[e], k] > FIRST:
                    return True
        return False

    @staticmethod
    def learn(edges, told, model, i, y, before, step):
        """One step up the logarithm of p_y."""
        W, G = model
        gradient = np.empty(W.shape[1])
        predicted(edges, told, W, i, gradient)
        for k in range(len(gradient)):
            gradient[k] = (1.0 if k == y else 0.0) - gradient[k]
        move(edges, W, G, i, gradient, step)

    @staticmethod
    def shun(edges, told, model, i, a, step):
        """One step up the logarithm of 1 - p_a, where there is another class to turn to."""
        W, G = model
        gradient = np.empty(W.shape[1])
        if len(gradient) < 2:
            return
        predicted(edges, told, W, i, gradient)
        p_a = gradient[a]
        for k in range(len(gradient)):
            gradient[k] = -p_a if k == a else gradient[k] * (p_a / max(1.0 - p_a, SURE))
        move(edges, W, G, i, gradient, step)

    def widen(self, state: State, more: int) -> State:
        """Weights of new classes are zero."""
        wider = ((0, 0), (0, more))
        G = np.pad(state.G, wider, constant_values=FIRST)
        return state._replace(W=np.pad(state.W, wider), G=G)

    def check_state(self, state: State, nodes: int) -> None:
        """Sums of squares only grow."""
        super().check_state(state, nodes)
        if not (state.G >= FIRST).all():
            raise ValueError("a sum of squared gradients is smaller than at the start")
