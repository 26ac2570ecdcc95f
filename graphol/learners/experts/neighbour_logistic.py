"""Logistic regression on who the neighbours are."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import Integers, Matrix, Vector
from graphol.bases.neighbours import Known, Neighbours
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

    def shares(self, state: State, i: int) -> tuple[Vector, bool]:
        """The softmax, and whether a neighbour's weights were ever moved."""
        nodes, x = self._features(state, i)
        bears = bool((state.G[nodes[:-1]] > FIRST).any())
        return self._softmax(state, nodes, x), bears

    def learn(self, state: State, i: int, y: int, before: int) -> None:
        """One step up the logarithm of p_y."""
        nodes, x = self._features(state, i)
        gradient = -self._softmax(state, nodes, x)
        gradient[y] += 1.0
        self._move(state, nodes, x, gradient)

    def shun(self, state: State, i: int, a: int) -> None:
        """One step up the logarithm of 1 - p_a, where there is another class to turn to."""
        if len(state.known.counts) < 2:
            return
        nodes, x = self._features(state, i)
        p = self._softmax(state, nodes, x)
        gradient = p * (p[a] / max(1.0 - p[a], SURE))
        gradient[a] = -p[a]
        self._move(state, nodes, x, gradient)

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

    def _features(self, state: State, i: int) -> tuple[Integers, Vector]:
        """The features that are not 0 and their values; the bias is the last."""
        nodes, w = state.known.edges.at(i)
        bias = len(state.W) - 1
        x = w / np.sqrt(w.sum()) if len(w) else w
        return np.append(nodes, bias), np.append(x, 1.0)

    def _softmax(self, state: State, nodes: Integers, x: Vector) -> Vector:
        seen = state.known.possible
        p = np.zeros(len(seen))
        if seen.any():
            z = (x @ state.W[nodes])[seen]
            p[seen] = np.exp(z - z.max())
            p /= p.sum()
        return p

    def _move(self, state: State, nodes: Integers, x: Vector, gradient: Vector) -> None:
        steps = np.outer(x, gradient)
        state.G[nodes] += steps**2
        state.W[nodes] += self.step * steps / np.sqrt(state.G[nodes])
