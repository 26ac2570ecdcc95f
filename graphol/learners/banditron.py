"""Banditron: the perceptron that is told only right or wrong."""

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
from graphol.learners.draws import explore, seed_from, uniform
from graphol.params import param


class State(NamedTuple):
    """One weight vector per class, and a seed for exploration."""

    W: Matrix  # (K, d)
    seed: int


@attrs.frozen
class Banditron:
    r"""First-order bandit: plays the best class, or now and then any, and learns from the bit.

    With :math:`\hat y = \arg\max_k w_k^\top x` (ties: the lowest k) it plays :math:`\tilde y`
    drawn from :math:`p_k = (1 - \gamma) 1[k = \hat y] + \gamma / K`, and in every round

    .. math:: w_k \leftarrow w_k + x \left( \frac{1[\tilde y = y]\, 1[k = \tilde y]}{p_k}
              - 1[k = \hat y] \right),

    whose mean over the draw is the perceptron's update. One round costs O(Kd); the state is Kd
    floats. It counts the class models that change: one, or two when exploring was right.

    Parameters
    ----------
    gamma
        Probability of exploring.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("banditron", dataset="sbm", repeats=2).error_rate_mean < 0.7
    True

    References
    ----------
    Kakade, Shalev-Shwartz, Tewari. Efficient bandit algorithms for online multiclass prediction.
    ICML 2008.

    Deviation: draws are a hash of a seed and the round, see graphol.learners.draws.
    """

    name: ClassVar[str] = "banditron"
    feedback: ClassVar[str] = "bandit"
    learns_from: ClassVar[tuple[Shown, ...]] = ("bit", "label")
    targets: ClassVar[tuple[Target, ...]] = ("classes",)
    needs: ClassVar[Needs] = "rows"

    gamma: float = param(0.05, "Probability of exploring.", above=0, most=1)

    def start(self, problem: Problem) -> State:
        """All weights zero."""
        K = problem.n_classes or 1
        return State(np.zeros((K, problem.dim)), seed_from(problem.rng))

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The best class, or now and then any."""
        scores = state.W @ instance.x
        best, draw = int(np.argmax(scores)), uniform(state.seed, instance.t)
        return Prediction(explore(best, len(scores), self.gamma, draw), scores)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The best class, and the played one if it was right."""
        played, best = int(prediction.label), int(np.argmax(state.W @ instance.x))
        state.W[best] -= instance.x
        if not reveal.right(prediction):
            return 1
        p = self.gamma / len(state.W) + (1 - self.gamma if played == best else 0)
        state.W[played] += instance.x / p
        return 1 if played == best else 2

    def grow(self, state: State, n_classes: int) -> State:
        """New classes start at zero."""
        return state._replace(W=np.pad(state.W, ((0, n_classes - len(state.W)), (0, 0))))

    def stream(
        self, state: State, X: Matrix, row: Integers, told: Integers,
        answered: NDArray[np.bool_], first: int, out: Played,
    ) -> None:  # fmt: skip
        """The whole stream, compiled."""
        from graphol.learners import _first_order

        _first_order.banditron(
            *state[:1], X, row, told, answered, first, state.seed, self.gamma,
            out.predicted, out.updates,
        )  # fmt: skip
