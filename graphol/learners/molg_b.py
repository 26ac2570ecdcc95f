"""MOLG-B: adaptive second-order learning from one bit."""

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
from graphol.learners.ridge import refuse_leverage, refuse_small_ridge
from graphol.params import param


class State(NamedTuple):
    """One inverse correlation matrix and one model per class."""

    P: NDArray[np.float64]  # A_k⁻¹, (K, d, d)
    W: Matrix  # rows w_k = A_k⁻¹ b_k, (K, d)


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

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("molg-b", dataset="sbm", repeats=2).error_rate_mean < 0.1
    True

    References
    ----------
    "Bandit Online Learning on Graphs via Adaptive Optimization", IJCAI 2019.

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

    def start(self, problem: Problem) -> State:
        """Every A_k = b I, all class models zero."""
        refuse_small_ridge(self.name, self.b, problem)
        K, d = problem.n_classes or 0, problem.dim
        return State(P=np.tile(np.eye(d) / self.b, (K, 1, 1)), W=np.zeros((K, d)))

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest score and bonus."""
        x = instance.x
        r = np.einsum("kd,d->k", state.P @ x, x)  # row by row: `@` would break exact ties
        refuse_leverage(self.name, self.b, float(r.max()), x)
        h = (state.W @ x) * (1 - r)
        scores = h + self.exploration * np.sqrt(r / (2 * (1 - r)))
        return Prediction(int(np.argmax(scores)), scores)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The class that was played, if the round was wrong or unsure."""
        x = instance.x
        k = int(prediction.label)
        right = reveal.right(prediction)
        u = state.P[k] @ x
        r, f = float(x @ u), float(state.W[k] @ x)
        refuse_leverage(self.name, self.b, r, x)
        if right and f * (1 - r) >= self.phi * r / (2 * (1 - r)):
            return 0
        state.P[k] -= np.outer(u, u)
        state.W[k] += ((1.0 if right else -1.0) - f) * u
        return 1

    def grow(self, state: State, n_classes: int) -> State:
        """New classes start as all classes did."""
        K, d = state.W.shape
        new = np.tile(np.eye(d) / self.b, (n_classes - K, 1, 1))
        return State(np.concatenate([state.P, new]), np.pad(state.W, ((0, n_classes - K), (0, 0))))

    def stream(
        self, state: State, X: Matrix, row: Integers, told: Integers, answered: NDArray[np.bool_],
        out: Played,
    ) -> None:  # fmt: skip
        """The whole stream, compiled, in look-ahead blocks."""
        from graphol.learners import _molg_b

        _molg_b.play(
            state.P, state.W, X, row, told, answered, self.phi, self.exploration,
            out.predicted, out.updates,
        )  # fmt: skip
