"""What the learners of a sparse linear model over signals share: loss, intercept and average."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

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
    Vector,
)
from graphol.errors import Overflow
from graphol.learners.losses import LOSSES
from graphol.tasks.scores import CALMER

NONE: Integers = np.zeros(0, dtype=np.int64)
TOO_LARGE = 1e300
"""A score beyond this is on its way out of the range of floats."""


class State(NamedTuple):
    """A linear model; the last of the p + 1 weights is the intercept, never projected."""

    w: Vector  # (p + 1,)
    average: Vector  # mean of w over the rounds so far, (p + 1,)
    dual: Vector  # mean gradient, or the first moment, (p + 1,)
    second: Vector  # sum or mean of squared gradients, (p + 1,) or (0,)
    rounds: Integers  # answered so far, (1,)
    missed: Integers  # wrong signs: by w, by the average, (2,)
    memory: Vector  # where the searches of head and tail ended, (2,)
    group: Integers  # group of every entry, (p,) or (0,)
    indptr: NDArray[Any]  # the graph, read-only; of length 0 where it is not needed
    indices: NDArray[Any]
    weights: Vector
    target: str


class SignalLearner:
    """A linear model learnt from the gradient of every round; subclasses say how it moves.

    They say it twice: :meth:`step` for the eye and for one round, :meth:`kernel` for a stream.
    """

    name: ClassVar[str]
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[Shown, ...]] = ("label",)
    targets: ClassVar[tuple[Target, ...]] = ("signs", "real")
    needs: ClassVar[Needs] = "rows"

    def start(self, problem: Problem) -> State:
        """All zero."""
        p = problem.dim
        return State(
            w=np.zeros(p + 1),
            average=np.zeros(p + 1),
            dual=np.zeros(p + 1),
            second=np.zeros(0),
            rounds=np.zeros(1, dtype=np.int64),
            missed=np.zeros(2, dtype=np.int64),
            memory=np.zeros(2),
            group=NONE.copy(),
            indptr=NONE.copy(),
            indices=NONE.copy(),
            weights=np.zeros(0),
            target=problem.target,
        )

    def step(self, state: State, gradient: Vector, t: int) -> Vector:
        """The weights after round t, from 0, whose gradient this was."""
        raise NotImplementedError

    def kernel(self, state: State) -> tuple[Any, Any]:
        """The compiled stream from graphol.learners._signal, and the setting that it takes."""
        raise NotImplementedError

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The sign of the score, +1 for 0; or the score."""
        score = _score(state.w, instance.x)
        if not abs(score) < TOO_LARGE:
            raise self._overflow(instance.t)
        label = score if state.target == "real" else 1 if score >= 0 else -1
        return Prediction(label, np.array([score]))

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """One step; the model changes in every round that is answered."""
        assert reveal.label is not None
        x, y, t = instance.x, reveal.label, int(state.rounds[0])
        score = _score(state.w, x)
        if state.target == "signs":
            state.missed[0] += (score >= 0) != (y > 0)
            state.missed[1] += (_score(state.average, x) >= 0) != (y > 0)
        gradient = np.append(x, 1.0) * LOSSES[state.target].slope(score, y)
        try:
            state.w[:] = self.step(state, gradient, t)
        except Overflow:
            raise self._overflow(instance.t) from None
        state.average[:] = t / (t + 1.0) * state.average + state.w / (t + 1.0)
        state.rounds[0] = t + 1
        return 1

    def stream(
        self, state: State, X: Matrix, row: Integers, told: NDArray[Any],
        answered: NDArray[np.bool_], first: int, out: Played,
    ) -> None:  # fmt: skip
        """The whole stream, compiled."""
        play, setting = self.kernel(state)
        from graphol.learners._signal import Model

        model = Model(
            state.w, state.average, state.dual, state.second, state.rounds, state.missed,
            state.memory,
        )  # fmt: skip
        X = np.ascontiguousarray(X, dtype=np.float64)
        real = state.target == "real"
        bad = play(model, setting, real, X, row, told, answered, out.predicted, out.updates)
        if bad >= 0:
            raise self._overflow(first + bad)

    def _overflow(self, t: int) -> Overflow:
        return Overflow(f"{self.name}: its weights overflowed in round {t}; {CALMER}")

    def weights(self, state: State) -> Mapping[str, Vector]:
        """The last weights and their average, the intercept at the end."""
        return {"last": state.w, "average": state.average}


def _score(w: Vector, x: Vector) -> float:
    return float(w[:-1] @ x + w[-1])


def dual_average(state: State, gradient: Vector, t: int) -> Vector:
    """The mean of all gradients so far, kept in the state."""
    state.dual[:] = t / (t + 1.0) * state.dual + gradient / (t + 1.0)
    return state.dual
