"""MOLG-F: adaptive second-order learning from full information."""

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
from graphol.learners.inverse import DTYPE, Shared, precision_param, rival
from graphol.learners.ridge import refuse_leverage, refuse_small_ridge
from graphol.params import param


@attrs.frozen
class MolgF:
    r"""Second-order learner that updates on mistakes and on unsure rounds; sees every label.

    All classes share :math:`A`, at first :math:`bI`. With :math:`r = x^\top A^{-1} x` and scores
    :math:`f_k = w_k^\top x` it predicts :math:`\hat y = \arg\max_k f_k` (ties: the lowest k). When
    the label y comes, let j be the best-scored wrong class. It updates if it was wrong, or if its
    margin is small against its uncertainty,

    .. math:: (f_y - f_j)(1 - r) < \varphi \, \frac{r}{2 (1 - r)} ,

    with the adaptive weight :math:`a = 1/(1 - r)` on this round:
    :math:`A \leftarrow A + a\, x x^\top` and, with targets :math:`\tau_y = 1`, :math:`\tau_j = -1`
    and 0 for all others,

    .. math:: A^{-1} \leftarrow A^{-1} - u u^\top, \qquad
              w_k \leftarrow w_k + (\tau_k - f_k)\, u, \qquad u = A^{-1} x .

    (The Sherman-Morrison factor a / (1 + a r) is exactly 1.) One round costs O(d² + Kd); the state
    is d² + Kd floats. An updated round counts as two class models.

    Parameters
    ----------
    b
        Ridge; must be > max ||x||², which keeps r < 1.
    phi
        How unsure is unsure: 0 updates on mistakes only.
    precision
        ``single`` halves memory and time of the matrix products; good for one pass over the data.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("molg-f", dataset="sbm", repeats=2).error_rate_mean < 0.1
    True

    References
    ----------
    Yang, Zhao, Gao. Bandit online learning on graphs via adaptive optimization. IJCAI 2018.

    Deviation: the paper keeps A and solves; we keep its inverse and the products with it.
    """

    name: ClassVar[str] = "molg-f"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[Shown, ...]] = ("label",)
    targets: ClassVar[tuple[Target, ...]] = ("classes",)
    needs: ClassVar[Needs] = "rows"

    b: float = param(10.0, "Ridge; must be > max ||x||², which keeps r < 1.", above=0)
    phi: float = param(10.0, "How unsure is unsure: 0 updates on mistakes only.", least=0)

    precision: str = precision_param()

    def start(self, problem: Problem) -> Shared:
        """A = b I, all class models zero."""
        refuse_small_ridge(self.name, self.b, problem)
        return Shared.start(problem, self.b, self.precision)

    def predict(self, state: Shared, instance: Instance) -> Prediction:
        """The class with the largest score."""
        f = state.W @ instance.x.astype(DTYPE[self.precision], copy=False)
        return Prediction(int(np.argmax(f)), f)

    def update(
        self, state: Shared, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """A and all class models, if the round was wrong or unsure."""
        assert reveal.label is not None
        x, y = instance.x.astype(DTYPE[self.precision], copy=False), int(reveal.label)
        u = state.P @ x
        r = float(x @ u)
        refuse_leverage(self.name, self.b, r, x)
        f = state.W @ x
        j = rival(f, y)
        margin = (f[y] - f[j]) * (1 - r)
        if prediction.label == y and margin >= self.phi * r / (2 * (1 - r)):
            return 0
        tau = np.zeros(len(f))
        tau[y], tau[j] = 1.0, -1.0
        state.absorb(u, 1.0, tau - f)
        return 2

    def grow(self, state: Shared, n_classes: int) -> Shared:
        """New classes start at zero."""
        return state.grown(n_classes)

    def stream(
        self, state: Shared, X: Matrix, row: Integers, told: Integers,
        answered: NDArray[np.bool_], first: int, out: Played,
    ) -> None:  # fmt: skip
        """The whole stream, compiled, in look-ahead blocks."""
        from graphol.learners import _shared

        params = np.array([self.phi])
        _shared.play_molg_f(*state, X, row, told, answered, first, 0, params, *out)
