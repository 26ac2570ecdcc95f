"""Learners with one weight vector per class and no second order."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from graphol.api import Instance, Matrix, Played, Prediction, Problem, Reveal, Stretch
from graphol.bases import draws
from graphol.bases.inverse import padded
from graphol.bases.rules import Rule, play, required, settings
from graphol.bases.usual import UsualLearner


class State(NamedTuple):
    """One weight vector per class, and a seed for draws."""

    W: Matrix  # (K, d)
    seed: int


def the_best(best, K, draw):
    """No exploring."""
    return best


class FirstOrder(UsualLearner):
    """Base of learners with one weight vector per class, or one for signs, O(Kd) a round.

    With scores f_k = w_k'x, ``best`` is the class with the largest (ties: the lowest), or the sign
    of the only one (that of 0 is +1). Subclasses are frozen attrs classes with these rules, each
    followed by hyper-parameters by name.

    ``move(W, x, f, best, said, heard)``
        Change W (K, d) in place; how many class models changed. ``heard`` is the label, or for a
        learner of bits 1 if what it said was right and else 0.
    ``choose(best, K, draw)``
        The class to play, by default the best; ``draw`` is a number in [0, 1), drawn anew.
    """

    hears_flips: ClassVar[bool] = True

    choose: ClassVar[Rule] = staticmethod(the_best)
    move: ClassVar[Rule] = required()

    @property
    def keeps_scores(self) -> bool:
        """Not where a subclass predicts in another way."""
        return type(self).predict is FirstOrder.predict

    @property
    def _bits(self) -> bool:
        return "bit" in self.learns_from

    def start(self, problem: Problem) -> State:
        """All weights zero."""
        W = np.zeros((problem.n_classes or 1, problem.dim))
        return State(W, draws.seed_from(problem.rng))

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class that is chosen, or the sign of the only score."""
        f = state.W.dot(instance.x)
        if len(f) == 1:
            return Prediction(1 if f[0] >= 0 else -1, f)
        draw = draws.uniform(state.seed, instance.t)
        best = int(f.argmax())
        return Prediction(self.choose(best, len(f), draw, *settings(self, self.choose, 3)), f)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The classes that the rule moves."""
        f, said = state.W.dot(instance.x), int(prediction.label)
        heard = int(bool(reveal.right(prediction)) if self._bits else reveal.label or 0)
        moving = settings(self, self.move, 6)
        return int(self.move(state.W, instance.x, f, int(f.argmax()), said, heard, *moving))

    def grow(self, state: State, n_classes: int) -> State:
        """New classes start at zero."""
        return state._replace(W=padded(state.W, n_classes))

    def stream(self, state: State, stretch: Stretch, out: Played) -> None:
        """The whole stretch, compiled."""
        from graphol.compiled import first_order

        rules: dict[str, Any] = {"choose": self.choose, "move": self.move}
        numbers = draws.stretch_of(state.seed, stretch.first, len(stretch.row))
        play(
            self.name, first_order.play, rules, stretch,
            state.W, stretch, numbers, self._bits, settings(self, self.choose, 3),
            settings(self, self.move, 6), out,
        )  # fmt: skip
