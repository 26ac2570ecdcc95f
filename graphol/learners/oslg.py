"""OSLG: online spectral learning from full information."""

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
from graphol.learners.inverse import Shared
from graphol.params import param


@attrs.frozen
class Oslg:
    r"""Ridge regression to plus and minus one for all classes, on mistakes; sees every label.

    All classes share :math:`A`, at first :math:`bI`, and class k has the model :math:`w_k`. It
    predicts :math:`\arg\max_k w_k^\top x` (ties: the lowest k). On a mistake every class is told
    :math:`\tau_k = +1` if it is the true one and -1 otherwise:

    .. math:: A \leftarrow A + x x^\top, \qquad
              w_k \leftarrow w_k + \frac{\tau_k - w_k^\top x}{1 + r}\, u, \qquad
              u = A^{-1} x, \; r = x^\top u .

    One round costs O(d² + Kd); the state is d² + Kd floats. A mistake counts as K class models.

    Parameters
    ----------
    b
        Ridge.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("oslg", dataset="sbm", repeats=2).error_rate_mean < 0.1
    True

    References
    ----------
    Gu, Han. Online spectral learning on a graph with bandit feedback. ICDM 2014.

    Deviation: its full text was not at hand; this is the reading that gives the error rates and
    update counts which Yang, Zhao, Gao (IJCAI 2018) print for OSLG, on their data.
    """

    name: ClassVar[str] = "oslg"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[Shown, ...]] = ("label",)
    targets: ClassVar[tuple[Target, ...]] = ("classes",)
    needs: ClassVar[Needs] = "rows"

    b: float = param(1.0, "Ridge.", above=0)

    def start(self, problem: Problem) -> Shared:
        """A = b I, all class models zero."""
        return Shared.start(problem, self.b)

    def predict(self, state: Shared, instance: Instance) -> Prediction:
        """The class with the largest score."""
        f = state.scores(instance.x)
        return Prediction(int(np.argmax(f)), f)

    def update(
        self, state: Shared, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """All class models, on a mistake."""
        assert reveal.label is not None
        if prediction.label == reveal.label:
            return 0
        u = state.P @ instance.x
        tau = np.full(len(state.W), -1.0)
        tau[int(reveal.label)] = 1.0
        state.absorb(u, 1 / (1 + float(instance.x @ u)), tau - state.scores(instance.x))
        return len(tau)

    def grow(self, state: Shared, n_classes: int) -> Shared:
        """New classes start at zero."""
        return state.grown(n_classes)

    def stream(
        self, state: Shared, X: Matrix, row: Integers, told: Integers,
        answered: NDArray[np.bool_], first: int, out: Played,
    ) -> None:  # fmt: skip
        """The whole stream, compiled, in look-ahead blocks."""
        from graphol.learners import _shared

        _shared.play_oslg(*state, X, row, told, answered, first, 0, np.zeros(0), *out)
