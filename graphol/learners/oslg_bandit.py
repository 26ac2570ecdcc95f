"""OSLG-Bandit: online spectral learning from one bit."""

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
class OslgBandit:
    r"""Ridge regression per class with upper confidence bounds; told only right or wrong.

    Every class k has its own :math:`A_k`, at first :math:`bI`, and :math:`w_k`. It plays

    .. math:: \hat y = \arg\max_k w_k^\top x + \alpha \sqrt{x^\top A_k^{-1} x}

    (ties: the lowest k) and in every round the played class learns :math:`\tau = \pm 1`:

    .. math:: A_k \leftarrow A_k + x x^\top, \qquad
              w_k \leftarrow w_k + \frac{\tau - w_k^\top x}{1 + r}\, u, \qquad
              u = A_k^{-1} x, \; r = x^\top u, \; k = \hat y .

    One round costs O(Kd²); the state is K(d² + d) floats. Every round counts as one class model.

    Parameters
    ----------
    b
        Ridge.
    alpha
        Width of the confidence bounds.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("oslg-bandit", dataset="sbm", repeats=2).error_rate_mean < 0.2
    True

    References
    ----------
    Gu, Han. Online spectral learning on a graph with bandit feedback. ICDM 2014.

    Deviation: its full text was not at hand; this is the reading that gives the error rates which
    Yang, Zhao, Gao (IJCAI 2018) print for OSLG-Bandit, on their data.
    """

    name: ClassVar[str] = "oslg-bandit"
    feedback: ClassVar[str] = "bandit"
    learns_from: ClassVar[tuple[Shown, ...]] = ("bit", "label")
    targets: ClassVar[tuple[Target, ...]] = ("classes",)
    needs: ClassVar[Needs] = "rows"

    b: float = param(1.0, "Ridge.", above=0)
    alpha: float = param(0.05, "Width of the confidence bounds.", least=0)

    def start(self, problem: Problem) -> PerClass:
        """Every A_k a multiple of I, all class models zero."""
        return PerClass.start(problem, self.b)

    def predict(self, state: PerClass, instance: Instance) -> Prediction:
        """The class with the largest upper confidence bound."""
        return play_upper_bound(state, instance, self.alpha)

    def update(
        self, state: PerClass, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The class that was played, in every round."""
        return absorb_bit(state, instance, prediction, reveal)

    def grow(self, state: PerClass, n_classes: int) -> PerClass:
        """New classes start as all classes did."""
        return state.grown(n_classes, self.b)

    def stream(
        self, state: PerClass, X: Matrix, row: Integers, told: Integers,
        answered: NDArray[np.bool_], first: int, out: Played,
    ) -> None:  # fmt: skip
        """The whole stream, compiled, in look-ahead blocks."""
        stream_upper_bound(state, X, row, told, answered, self.alpha, out)
