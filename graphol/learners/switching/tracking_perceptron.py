"""The perceptron that is kept in a ball, so that it can follow a target that moves."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import (
    Appendable,
    BoundProjection,
    Derived,
    Finished,
    Instance,
    MistakeBound,
    Needs,
    Prediction,
    Problem,
    Reveal,
    Target,
    Vector,
)
from graphol.bases.expansion import GameKernel, added, check_support, nodes, row_of
from graphol.bases.usual import UsualLearner
from graphol.bounds.switching import tracking_perceptron
from graphol.params import param
from graphol.projections.ball import Ball


class Dual(NamedTuple):
    """The nodes it erred at with their coefficients, and the squared norm of the function."""

    support: Appendable  # (m,)
    coefficients: Appendable  # (m, 1)
    norm: Vector  # |f|², (1,)
    kernel: GameKernel


@attrs.frozen(eq=False)
class GameBall(Derived):
    """The ball, bound to this game's vectors; None: all of space."""

    project: BoundProjection | None


class Primal(NamedTuple):
    """The weights themselves, where nodes have vectors."""

    w: Vector  # (d,)
    ball: GameBall


State = Dual | Primal


@attrs.frozen
class TrackingPerceptron(UsualLearner):
    r"""Perceptron that is scaled back into a ball after every update, to follow what changes.

    The kernel perceptron f, with one thing more: a mistake at node i adds :math:`y K(i, \cdot)`,
    and if then :math:`\|f\|^2 > \phi`, f is multiplied by :math:`\sqrt{\phi} / \|f\|`. Old mistakes
    lose weight, and a function that is no longer right cannot be too far from the one that is. It
    predicts the sign of f(i), that of 0 being +1.

    With a kernel the norm is carried along,
    :math:`\|f\|^2 \leftarrow \|f\|^2 + 2 y f(i) + K_{ii}`, and one factor shortens all
    coefficients: O(m) a round with m nodes it erred at, and the state grows by two numbers a node.
    Where the embedding has vectors it keeps w itself and projects it with ``ball``: O(d) a round.

    Parameters
    ----------
    phi
        The squared radius :math:`\phi` > 0, in the units of the kernel as it is given; none: no
        ball, which is ``kernel-perceptron``.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import switch_game
    >>> games = {"dataset": switch_game(300), "embedding": "kernel", "repeats": 3}
    >>> names = ["kernel-perceptron", "tracking-perceptron:phi=1e6", "tracking-perceptron:phi=1"]
    >>> plain, wide, narrow = (graphol.simulate(name, **games).error_rate_mean for name in names)
    >>> plain == wide != narrow
    True

    References
    ----------
    Herbster, Warmuth. Tracking the best regressor. COLT 1998, and Tracking the best linear
    predictor. JMLR, 2001.
    """

    name: ClassVar[str] = "tracking-perceptron"
    targets: ClassVar[tuple[Target, ...]] = ("signs",)
    needs: ClassVar[Needs] = "gram"
    phi: float | None = param(None, above=0, type=float)

    def start(self, problem: Problem) -> State:
        """The zero function: a vector where nodes have them, else a sum of no columns."""
        kernel = GameKernel.of(problem)
        if kernel.features.rows is None:
            return Dual(nodes(), Appendable(np.zeros((0, 1))), np.zeros(1), kernel)
        project = None
        if self.phi is not None:
            project = Ball(radius=math.sqrt(self.phi)).bind(None, problem.dim)
        return Primal(np.zeros(problem.dim), GameBall(project))

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The sign of f."""
        f = _value(state, instance)
        return Prediction(1 if f >= 0 else -1, np.array([f]))

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The model, on a mistake."""
        assert reveal.label is not None
        y = int(reveal.label)
        if prediction.label == y:
            return 0
        if isinstance(state, Primal):
            state.w[:] += y * instance.x
            if state.ball.project is not None:
                state.w[:] = state.ball.project(state.w)[0]
        else:
            self._absorb(state, instance, y)
        return 1

    def mistake_bound(self, game: Finished) -> MistakeBound | None:
        """By how far the labelings are from one to the next, where the ball holds them."""
        return None if self.phi is None else tracking_perceptron(game, self.phi)

    def _absorb(self, state: Dual, instance: Instance, y: int) -> None:
        i, norm = instance.node, state.norm
        norm += 2 * y * _value(state, instance) + state.kernel.features.gram(i, np.array([i]))
        norm[0] = max(norm[0], 0.0)  # rounded below
        row_of(i, state.support, state.coefficients)[0] += y
        if self.phi is not None and norm[0] > self.phi:
            state.coefficients.values[:] *= math.sqrt(self.phi / norm[0])
            norm[0] = self.phi

    def check_state(self, state: State, nodes: int) -> None:
        """The support are nodes, each once, and the norm is one."""
        if isinstance(state, Primal):
            return
        check_support(nodes, state.support.values, state.coefficients.values)
        if state.norm[0] < 0:
            raise ValueError("the squared norm is negative")


def _value(state: Any, instance: Instance) -> float:
    """f at the node that is asked."""
    if isinstance(state, Primal):
        return float(state.w @ instance.x)
    entries = state.kernel.features.gram(instance.node, state.support.values)
    return float(added(entries, state.coefficients.values)[0])
