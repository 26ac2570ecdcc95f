"""MOLG-B: adaptive second-order learning from one bit."""

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
from graphol.learners.inverse import DTYPE, PerClass, precision_param
from graphol.learners.ridge import refuse_leverage, refuse_small_ridge
from graphol.params import param


@attrs.frozen
class MolgB:
    r"""Second-order bandit: plays the most promising class and is told only right or wrong.

    Every class k has its own :math:`A_k`, at first :math:`bI`, and :math:`w_k`. With
    :math:`r_k = x^\top A_k^{-1} x` and :math:`f_k = w_k^\top x`, let

    .. math:: h_k = f_k (1 - r_k), \qquad s_k = \frac{r_k}{2 (1 - r_k)} .

    It plays :math:`\hat y = \arg\max_k h_k + \varepsilon \sqrt{s_k}` (ties: the lowest k): the
    score, plus a bonus for what it does not know. Told whether that was right, it changes the
    played class alone, if it was wrong or unsure (:math:`h_{\hat y} < \varphi s_{\hat y}`):

    .. math:: A_k^{-1} \leftarrow A_k^{-1} - u u^\top, \qquad
              w_k \leftarrow w_k + (\pm 1 - f_k)\, u, \qquad u = A_k^{-1} x, \; k = \hat y .

    One round costs O(Kd²); the state is K(d² + d) floats. An updated round counts as one class
    model.

    Parameters
    ----------
    b
        Ridge; must be > max ||x||², which keeps r < 1.
    phi
        How unsure is unsure: 0 updates on mistakes only.
    exploration
        Weight of the bonus for uncertainty, the ε above.
    precision
        ``single`` halves memory and time of the matrix products; good for one pass over the data.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("molg-b", dataset="sbm", repeats=2).error_rate_mean < 0.1
    True

    References
    ----------
    Yang, Zhao, Gao. Bandit online learning on graphs via adaptive optimization. IJCAI 2018.

    Deviation: the paper keeps A_k and solves; we keep the inverses and the products with them.
    """

    name: ClassVar[str] = "molg-b"
    feedback: ClassVar[str] = "bandit"
    learns_from: ClassVar[tuple[Shown, ...]] = ("bit", "label")
    targets: ClassVar[tuple[Target, ...]] = ("classes",)
    needs: ClassVar[Needs] = "rows"

    b: float = param(10.0, "Ridge; must be > max ||x||², which keeps r < 1.", above=0)
    phi: float = param(10.0, "How unsure is unsure: 0 updates on mistakes only.", least=0)
    exploration: float = param(0.05, "Weight of the bonus for uncertainty, the ε above.", least=0)

    precision: str = precision_param()

    def start(self, problem: Problem) -> PerClass:
        """Every A_k = b I, all class models zero."""
        refuse_small_ridge(self.name, self.b, problem)
        return PerClass.start(problem, self.b, self.precision)

    def predict(self, state: PerClass, instance: Instance) -> Prediction:
        """The class with the largest score and bonus."""
        x = instance.x.astype(DTYPE[self.precision], copy=False)
        r = state.leverages(x)
        refuse_leverage(self.name, self.b, float(r.max()), x)
        h = (state.W @ x) * (1 - r)
        scores = h + self.exploration * np.sqrt(r / (2 * (1 - r)))
        return Prediction(int(np.argmax(scores)), scores)

    def update(
        self, state: PerClass, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The class that was played, if the round was wrong or unsure."""
        x = instance.x.astype(DTYPE[self.precision], copy=False)
        k, right = int(prediction.label), reveal.right(prediction)
        u = state.P[k] @ x
        r, f = float(x @ u), float(state.W[k] @ x)
        refuse_leverage(self.name, self.b, r, x)
        if right and f * (1 - r) >= self.phi * r / (2 * (1 - r)):
            return 0
        state.absorb(k, u, 1.0, (1.0 if right else -1.0) - f)
        return 1

    def grow(self, state: PerClass, n_classes: int) -> PerClass:
        """New classes start as all classes did."""
        return state.grown(n_classes, self.b)

    def stream(
        self, state: PerClass, X: Matrix, row: Integers, told: Integers,
        answered: NDArray[np.bool_], first: int, out: Played,
    ) -> None:  # fmt: skip
        """The whole stream, compiled, in look-ahead blocks."""
        from graphol.learners import _per_class

        params = np.array([self.phi, self.exploration])
        _per_class.play_molg_b(*state, X, row, told, answered, params, out.predicted, out.updates)
