"""Learners of a sparse linear model over signals: loss, intercept and average."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import (
    Derived,
    Instance,
    Integers,
    Played,
    Prediction,
    Problem,
    Reveal,
    Stretch,
    Target,
    Vector,
)
from graphol.bases.rules import Rule, play, required, settings
from graphol.bases.usual import UsualLearner
from graphol.errors import Overflow
from graphol.standins import entries
from graphol.tasks.scores import CALMER

TOO_LARGE = 1e300
"""A score beyond this is on its way out of the range of floats."""


class Model(NamedTuple):
    """A linear model as rules see it; the last of the p + 1 weights is the intercept."""

    w: Vector  # (p + 1,)
    average: Vector  # mean of w over the rounds so far, (p + 1,)
    dual: Vector  # mean gradient, or the first moment, (p + 1,)
    second: Vector  # sum or mean of squared gradients, (p + 1,)
    rounds: Integers  # answered so far, (1,)
    missed: Integers  # wrong signs: by w, by the average, (2,)
    memory: Vector  # where the searches of head and tail ended, (2,)


@attrs.frozen(eq=False)
class FromProblem(Derived):
    """What a signal learner makes of the problem; subclasses hold more for their rules."""

    real: bool
    """Are numbers predicted, not signs?"""


class State(NamedTuple):
    """The arrays of a :class:`Model`, and what was made of the problem."""

    w: Vector
    average: Vector
    dual: Vector
    second: Vector
    rounds: Integers
    missed: Integers
    memory: Vector
    derived: Any


def slope(real: bool, s: float, y: float) -> float:
    """The derivative of the loss by the score s = w'x + b of one sample with the truth y.

    For y in {-1, +1} the loss is log(1 + exp(-y s)) and its slope -y / (1 + exp(y s)), where no
    power overflows; for numbers they are (s - y)^2 / 2 and s - y.

    >>> slope(False, 0.0, 1.0), slope(False, -1000.0, 1.0), slope(True, 3.0, 1.0)
    (-0.5, -1.0, 2.0)
    """
    if real:
        return s - y
    z = y * s
    if z > 0:
        small = math.exp(-z)
        return -y * small / (1.0 + small)
    return -y / (1.0 + math.exp(z))


def score(w, x):
    """w'(x, 1)."""
    p = len(x)
    return np.dot(w[:p], x) + w[p]


def take_in(mean, new, t):
    """The mean of t values becomes that of t + 1, in place."""
    for j in entries(len(mean)):
        mean[j] = t / (t + 1.0) * mean[j] + new[j] / (t + 1.0)


class SignalLearner(UsualLearner):
    """Base of linear models learnt from the gradient of every round, by one rule.

    The loss is logistic for signs and squared for numbers, see :func:`slope`. The rule's last
    parameters are hyper-parameters by name, or fields of what :meth:`derive` makes of the problem.

    ``move(model, x, by, t)``
        Change ``model`` in round t = 0, 1, ..., with the gradient by * (x, 1); False if its weights
        would not be finite, else True. Its arrays ``w`` (the weights), ``dual`` and ``second`` are
        the rule's own, of p + 1 entries, the last for the intercept; all begin at 0.
    """

    targets: ClassVar[tuple[Target, ...]] = ("signs", "real")

    move: ClassVar[Rule] = required()

    @property
    def _owner(self) -> str:
        """Whose compiled streams these are."""
        return self.name

    def derive(self, problem: Problem) -> FromProblem:
        """What the rule needs besides hyper-parameters."""
        return FromProblem(problem.target == "real")

    def start(self, problem: Problem) -> State:
        """All zero."""
        w, average, dual, second = np.zeros((4, problem.dim + 1))
        rounds, missed = np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int64)
        derived = self.derive(problem)
        return State(w, average, dual, second, rounds, missed, np.zeros(2), derived)

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The sign of the score, +1 for 0; or the score."""
        s = float(score(state.w, instance.x))
        if not abs(s) < TOO_LARGE:
            raise self._overflow(instance.t)
        label = s if state.derived.real else 1 if s >= 0 else -1
        return Prediction(label, np.array([s]))

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """One step; the model changes in every round that is answered."""
        assert reveal.label is not None
        x, y, t = instance.x, reveal.label, int(state.rounds[0])
        s = float(score(state.w, x))
        if not state.derived.real:
            state.missed[0] += (s >= 0) != (y > 0)
            state.missed[1] += (score(state.average, x) >= 0) != (y > 0)
        if not self.step(state, x, slope(state.derived.real, s, y), t):
            raise self._overflow(instance.t)
        take_in(state.average, state.w, t)
        state.rounds[0] = t + 1
        return 1

    def step(self, state: State, x: Vector, by: float, t: int) -> bool:
        """The rule, played on one gradient."""
        moving = settings(self, self.move, 4, state.derived)
        return bool(self.move(Model(*state[:-1]), x, by, t, *moving))

    def rules(self, state: State) -> tuple[dict[str, Rule], tuple[Any, ...]]:
        """The rules that the template is compiled with, and what ``move`` gets at its end."""
        return {"move": self.move}, settings(self, self.move, 4, state.derived)

    def stream(self, state: State, stretch: Stretch, out: Played) -> None:
        """The whole stretch, compiled."""
        rules, moving = self.rules(state)
        from graphol.compiled import signal

        shared: dict[str, Rule] = {"score": score, "slope": slope, "take_in": take_in}
        bad = play(
            self._owner, signal.play, rules | shared, stretch,
            Model(*state[:-1]), state.derived.real, TOO_LARGE, stretch, moving, out,
        )  # fmt: skip
        if bad >= 0:
            raise self._overflow(stretch.first + bad)

    def _overflow(self, t: int) -> Overflow:
        return Overflow(f"{self.name}: its weights overflowed in round {t}; {CALMER}")

    def weights(self, state: State) -> Mapping[str, Vector]:
        """The last weights and their average, the intercept at the end."""
        return {"last": state.w, "average": state.average}

    def misses(self, state: State) -> Mapping[str, int]:
        """Wrong signs of either so far."""
        return {"last": int(state.missed[0]), "average": int(state.missed[1])}
