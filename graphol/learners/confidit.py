"""Confidit: confidence bounds for bandit multi-class classification."""

from __future__ import annotations

from typing import ClassVar

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
from graphol.learners.inverse import PerClass
from graphol.learners.upper_bound import absorb_bit, play_upper_bound, stream_upper_bound
from graphol.params import param


@attrs.frozen
class Confidit:
    r"""Second-order perceptron per class with upper confidence bounds, for any unit vectors.

    Every class k has :math:`A_k`, at first :math:`(1 + \alpha)^2 I`, and :math:`w_k`. It plays

    .. math:: \hat y = \arg\max_k w_k^\top x + \epsilon_k, \qquad
              \epsilon_k^2 = \eta\, x^\top A_k^{-1} x

    (ties: the lowest k), and in every round the played class learns :math:`\pm 1`:
    :math:`A_k \leftarrow A_k + x x^\top`, :math:`w_k \leftarrow A_k^{-1}(A_k^{old} w_k \pm x)`.
    One round costs O(Kd²); the state is K(d² + d) floats. Every round counts as one class model.

    Parameters
    ----------
    alpha
        Parameter of the label noise model; sets where A starts.
    eta
        Squared width of the confidence bounds.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("confidit", dataset="sbm", repeats=2).error_rate_mean < 0.2
    True

    References
    ----------
    Crammer, Gentile. Multiclass classification with bandit feedback using adaptive
    regularization. Machine Learning, 2013.

    Deviation: this is the form used in practice, as in public implementations: one tuned η in
    place of the paper's width, which grows with log t and holds unknown constants, and no
    projection of the scores onto the noise model's range. So the paper's bound does not apply.
    """

    name: ClassVar[str] = "confidit"
    feedback: ClassVar[str] = "bandit"
    learns_from: ClassVar[tuple[Shown, ...]] = ("bit", "label")
    targets: ClassVar[tuple[Target, ...]] = ("classes",)
    needs: ClassVar[Needs] = "rows"

    alpha: float = param(1.0, "Noise parameter; A starts at (1 + alpha)^2 I.", above=-1, most=1)
    eta: float = param(0.01, "Squared width of the confidence bounds.", least=0)

    def start(self, problem: Problem) -> PerClass:
        """Every A_k a multiple of I, all class models zero."""
        return PerClass.start(problem, (1 + self.alpha) ** 2)

    def predict(self, state: PerClass, instance: Instance) -> Prediction:
        """The class with the largest upper confidence bound."""
        return play_upper_bound(state, instance, np.sqrt(self.eta))

    def update(
        self, state: PerClass, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The class that was played, in every round."""
        return absorb_bit(state, instance, prediction, reveal)

    def grow(self, state: PerClass, n_classes: int) -> PerClass:
        """New classes start as all classes did."""
        return state.grown(n_classes, (1 + self.alpha) ** 2)

    def stream(
        self, state: PerClass, X: Matrix, row: Integers, told: Integers,
        answered: NDArray[np.bool_], first: int, out: Played,
    ) -> None:  # fmt: skip
        """The whole stream, compiled, in look-ahead blocks."""
        stream_upper_bound(state, X, row, told, answered, np.sqrt(self.eta), out)
