"""The graph perceptron, with one weight vector per class."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    Instance,
    Integers,
    Matrix,
    Needs,
    Played,
    Prediction,
    Problem,
    Reveal,
    Shown,
    Target,
)
from graphol.learners.inverse import rival
from graphol.params import param


class State(NamedTuple):
    """One weight vector per class."""

    W: Matrix  # (K, d)


@attrs.frozen
class GPA:
    r"""Graph perceptron: move the true class towards the node, the best wrong one away.

    Every class k has a vector :math:`w_k`, zero at first. It predicts
    :math:`\hat y_t = \arg\max_k w_k^\top x_t` (ties: the lowest k) and, with j the best-scored
    wrong class,

    .. math:: w_{y_t} \leftarrow w_{y_t} + x_t, \qquad w_j \leftarrow w_j - x_t ,

    on mistakes only, or in every round. Signs need one vector: :math:`w \leftarrow w + y_t x_t`,
    and the sign of 0 is +1. On the rows :math:`x_i = \Lambda^{-1/2} v_i` of a spectral
    embedding the inner products are entries of a Laplacian's pseudo-inverse, which makes it the
    perceptron on the graph's kernel. One round costs O(Kd); the state is Kd floats.

    Parameters
    ----------
    when
        ``mistakes`` updates on mistakes only, ``always`` in every round that is answered.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("gpa", dataset="sbm", repeats=2).error_rate_mean < 0.2
    True

    References
    ----------
    Herbster, Pontil. Prediction on a graph with a perceptron. NIPS 2006.
    Baseline of Gu, Aggarwal, Liu, Han (KDD 2013) and of Yang, Zhao, Gao (IJCAI 2018).

    Deviation: the first paper is binary; for classes this is its usual multi-class form, whose
    updates the last paper counts (two class models per updated round).
    """

    name: ClassVar[str] = "gpa"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[Shown, ...]] = ("label",)
    targets: ClassVar[tuple[Target, ...]] = ("classes", "signs")
    needs: ClassVar[Needs] = "rows"

    when: str = param(
        "mistakes",
        "``mistakes`` updates on mistakes only, ``always`` in every round that is answered.",
        choices=("mistakes", "always"),
    )

    def start(self, problem: Problem) -> State:
        """All weights zero."""
        return State(W=np.zeros((problem.n_classes or 1, problem.dim)))

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest score, or the sign of the only one."""
        scores = state.W @ instance.x
        if len(scores) == 1:
            return Prediction(1 if scores[0] >= 0 else -1, scores)
        return Prediction(int(np.argmax(scores)), scores)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """Two class models, if this round calls for it; for signs the only one."""
        assert reveal.label is not None
        y = int(reveal.label)
        if self.when == "mistakes" and prediction.label == y:
            return 0
        if len(state.W) == 1:
            state.W[0] += y * instance.x
            return 1
        j = rival(state.W @ instance.x, y)
        state.W[y] += instance.x
        state.W[j] -= instance.x
        return 2

    def grow(self, state: State, n_classes: int) -> State:
        """New classes start at zero."""
        return State(W=np.pad(state.W, ((0, n_classes - len(state.W)), (0, 0))))

    def stream(
        self, state: State, X: Matrix, row: Integers, told: Integers,
        answered: NDArray[np.bool_], first: int, out: Played,
    ) -> None:  # fmt: skip
        """The whole stream, compiled."""
        from graphol.learners import _first_order

        always = self.when == "always"
        _first_order.gpa(state.W, X, row, told, answered, always, out.predicted, out.updates)
