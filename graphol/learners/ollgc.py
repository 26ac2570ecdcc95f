"""OLLGC: online learning with local and global consistency."""

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
from graphol.learners.one_vs_rest import correct, say
from graphol.params import param


@attrs.frozen
class Ollgc:
    r"""Ridge regression to the labels seen in mistakes, one model per class; sees every label.

    Learning with local and global consistency, online: the model of a class minimises
    :math:`\mu \|w\|^2 + \sum_s (y_s - w^\top x_s)^2` over the rounds s it erred in, on the rows of
    a spectral embedding, where :math:`\|w\|^2` is the smoothness of :math:`f_i = w^\top x_i` on
    the graph. With :math:`A = \mu I` at first, on a mistake of
    :math:`\operatorname{sign}(w^\top x)` (that of 0 is +1):

    .. math:: A \leftarrow A + x x^\top, \qquad
              w \leftarrow w + \frac{y - w^\top x}{1 + r}\, u, \qquad
              u = A^{-1} x, \; r = x^\top u .

    A two-class game (signs) has one model. With K classes there are K models, each playing its
    class against the rest, and the highest score is predicted. One round costs O(Kd²).

    Parameters
    ----------
    mu
        Ridge, the weight of smoothness.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("ollgc", dataset="sbm", repeats=2).error_rate_mean < 0.1
    True

    References
    ----------
    Gu, Aggarwal, Liu, Han. Selective sampling on graphs for classification. KDD 2013.

    Deviation: mistake-driven, which is the reading that gives the paper's error rates.
    """

    name: ClassVar[str] = "ollgc"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[Shown, ...]] = ("label",)
    targets: ClassVar[tuple[Target, ...]] = ("classes", "signs")
    needs: ClassVar[Needs] = "rows"

    mu: float = param(1.0, "Ridge, the weight of smoothness.", above=0)

    def start(self, problem: Problem) -> PerClass:
        """Every A = mu I, all models zero."""
        return PerClass.start(problem, self.mu)

    def predict(self, state: PerClass, instance: Instance) -> Prediction:
        """The class whose model scores highest, or the sign of the only model."""
        return say(state, instance)

    def update(
        self, state: PerClass, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The models whose sign was wrong."""
        return correct(state, instance, reveal, np.ones(len(state.W), dtype=bool))

    def grow(self, state: PerClass, n_classes: int) -> PerClass:
        """New classes start as all classes did."""
        return state.grown(n_classes, self.mu)

    def stream(
        self, state: PerClass, X: Matrix, row: Integers, told: Integers,
        answered: NDArray[np.bool_], first: int, out: Played,
    ) -> None:  # fmt: skip
        """The whole stream, compiled, in look-ahead blocks."""
        from graphol.learners import _one_vs_rest

        _one_vs_rest.play(*state, X, row, told, answered, first, -1.0, *out)
