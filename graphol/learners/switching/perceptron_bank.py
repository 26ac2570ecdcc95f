"""Several kernel perceptrons that take turns: each comes to stand for some of the labelings."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import (
    Appendable,
    Instance,
    Needs,
    Prediction,
    Problem,
    Reveal,
    Target,
    Vector,
)
from graphol.bases.expansion import GameKernel, added, check_support, nodes, row_of
from graphol.bases.fixed_share import charge, check_weights, even
from graphol.bases.memo import Memo
from graphol.bases.usual import UsualLearner
from graphol.params import param


class State(NamedTuple):
    """The nodes that any of them erred at, with a coefficient for each, and who is trusted."""

    support: Appendable  # (m,)
    coefficients: Appendable  # (m, K)
    weights: Vector  # (K,)
    kernel: GameKernel
    memo: Memo


@attrs.frozen
class PerceptronBank(UsualLearner):
    r"""A bank of kernel perceptrons with weights; the heaviest predicts, and it alone learns.

    K kernel perceptrons :math:`f_1, \ldots, f_K`, with weights :math:`w_k = 1/K` at first. The
    heaviest (ties: the lowest k) predicts the sign of its :math:`f_k(i_t)`, that of 0 being +1;
    if it erred, it alone learns. Then every k whose sign is not the label is charged,

    .. math:: w_k \leftarrow w_k e^{-\beta}, \qquad
              w \leftarrow (1 - \alpha) \frac{w}{\sum_k w_k} + \frac{\alpha}{K} .

    Where labelings come back, the perceptron that learnt one of them becomes the heaviest again.

    All have one support: with m nodes that any of them erred at, a round costs O(m K), and one read
    of m kernel entries. The state grows: m numbers and mK coefficients. The weights count as one
    more model that an answer changes.

    Parameters
    ----------
    K
        How many perceptrons, at least 2.
    beta
        How much an error costs, >= 0.
    share
        What is shared out evenly after every answer, :math:`\alpha`, from 0 to 1.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import switch_game
    >>> games = {"dataset": switch_game(300), "embedding": "kernel", "repeats": 3}
    >>> one, bank = (graphol.simulate(name, **games).error_rate_mean
    ...     for name in ("kernel-perceptron", "perceptron-bank"))
    >>> bank < one
    True

    References
    ----------
    The weights are those of Herbster, Warmuth. Tracking the best expert. Machine Learning, 1998.

    Deviation: what each of them says is looked at when the answer comes; if it comes late, that may
    be another sign than at the time of the prediction.
    """

    name: ClassVar[str] = "perceptron-bank"
    targets: ClassVar[tuple[Target, ...]] = ("signs",)
    needs: ClassVar[Needs] = "gram"
    K: int = param(5, least=2, most=10_000)
    beta: float = param(1.0, least=0)
    share: float = param(0.02, least=0, most=1)

    def start(self, problem: Problem) -> State:
        """No node erred at yet, all trusted alike."""
        none = Appendable(np.zeros((0, self.K)))
        return State(nodes(), none, even(self.K), GameKernel.of(problem), Memo())

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The sign of the heaviest."""
        f = self._values(state, instance)[int(np.argmax(state.weights))]
        return Prediction(1 if f >= 0 else -1, np.array([f]))

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The heaviest if it errs, and the weights if any of them moves."""
        assert reveal.label is not None
        y, heaviest = int(reveal.label), int(np.argmax(state.weights))
        wrong = np.where(self._values(state, instance) >= 0, 1, -1) != y
        state.memo.drop()
        if wrong[heaviest]:
            row_of(instance.node, state.support, state.coefficients)[heaviest] += y
        factors = np.where(wrong, math.exp(-self.beta), 1.0)
        moved = charge(state.weights, factors, self.share)
        return int(wrong[heaviest]) + moved

    def check_state(self, state: State, nodes: int) -> None:
        """The support are nodes, each once, and the weights shares of 1."""
        check_support(nodes, state.support.values, state.coefficients.values)
        check_weights(state.weights)

    def _values(self, state: State, instance: Instance) -> Vector:
        """What the functions say, (K,)."""
        known = state.memo.recall(state.weights, instance)
        if known is not None:
            return np.asarray(known)
        entries = state.kernel.features.gram(instance.node, state.support.values)
        f = added(entries, state.coefficients.values)
        state.memo.keep(state.weights, instance, f)
        return f
