"""Learners whose classes share one inverse."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from graphol.api import (
    Instance,
    Matrix,
    NotCompiled,
    Played,
    Prediction,
    Problem,
    Reveal,
    Steps,
    Stretch,
)
from graphol.bases import draws
from graphol.bases.inverse import DTYPE, SecondOrder, check_inverse, padded, scores
from graphol.bases.rules import Rule, play, required, settings
from graphol.errors import UsageError


class State(NamedTuple):
    """One inverse for all classes, the class models, and a seed for draws."""

    P: Matrix  # A⁻¹, (d, d)
    W: Matrix  # rows w_k = A⁻¹ b_k, (K, d)
    seed: int


def always(f, r, best, t, draw):
    """Every label is wanted."""
    return True


def as_they_are(f):
    """Scores that need no change to be shown."""
    return f


class SharedInverse(SecondOrder):
    """Base of learners with one inverse for all classes; see :mod:`graphol.bases.inverse`.

    With u = P x, r = x'u and scores f_k = w_k'x it predicts the class with the largest score (ties:
    the lowest). Subclasses are frozen attrs classes with a parameter ``b``, where A = b I starts,
    and these rules, each followed by hyper-parameters by name.

    ``decide(f, r, best, y, tau)``
        Told y, the gain (0: no update) and how many class models that counts as. It fills ``tau``
        (K,), the targets of all classes, which are 0 before.
    ``ask(f, r, best, t, draw)``
        Is the label wanted? ``draw`` is a number in [0, 1), drawn anew. By default it always is.
    ``show(f)``
        What predictions show of the scores (K,); by default all of them. It has no hyper-parameter.
    """

    ask: ClassVar[Rule] = staticmethod(always)
    show: ClassVar[Rule] = staticmethod(as_they_are)
    decide: ClassVar[Rule] = required()

    @property
    def keeps_scores(self) -> bool:
        """Not where a subclass predicts in another way."""
        return type(self).predict is SharedInverse.predict

    def start(self, problem: Problem) -> State:
        """A = b I, all class models zero."""
        K, d, dtype = problem.n_classes or 1, problem.dim, DTYPE[self.precision]
        P, W = (np.eye(d) / self.b).astype(dtype), np.zeros((K, d), dtype)
        return State(P, W, draws.seed_from(problem.rng))

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest score."""
        x = instance.x.astype(state.W.dtype, copy=False)
        f = scores(state.W, x)
        best = int(f.argmax())
        if type(self).ask is SharedInverse.ask:
            return Prediction(best, self.show(f))
        r = float(x.dot(state.P).dot(x))
        draw = draws.uniform(state.seed, instance.t)
        asked = self.ask(f, r, best, instance.t, draw, *settings(self, self.ask, 5))
        return Prediction(best, self.show(f), bool(asked))

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """A and the class models, if it asked and the rule gives a gain."""
        assert reveal.label is not None
        if not prediction.query:
            return 0
        x, y = instance.x.astype(state.W.dtype, copy=False), int(reveal.label)
        u = state.P.dot(x)
        r, f, tau = float(x.dot(u)), scores(state.W, x), np.zeros(len(state.W))
        best = int(prediction.label)
        said = self.decide(f, r, best, y, tau, *settings(self, self.decide, 5))
        if not (isinstance(said, tuple) and len(said) == 2):
            raise UsageError(
                f"{type(self).__name__}.decide must return two numbers, the gain and how many "
                f"class models that counts as; got {said!r}"
            )
        gain, models = said
        if gain == 0.0:
            return 0
        if not 0.0 < gain < np.inf:
            raise self.broken(instance.t, x)
        state.P[...] -= gain * np.outer(u, u)
        state.W[...] += gain * np.outer(tau - f, u)
        return int(models)

    def check_state(self, state: State, nodes: int) -> None:
        """The inverse is symmetric, and no larger than at the start."""
        check_inverse(state.P, 1 / self.b)

    def grow(self, state: State, n_classes: int) -> State:
        """New classes start at zero."""
        return state._replace(W=padded(state.W, n_classes))

    def stream(self, state: State, stretch: Stretch, out: Played) -> None:
        """The whole stretch, compiled, in look-ahead blocks."""
        from graphol.compiled import shared

        rules: dict[str, Any] = {"ask": self.ask, "decide": self.decide, "show": self.show}
        bad = play(
            self.name, shared.play, rules, stretch,
            state.P, state.W, stretch, *self._drawn(state, stretch), out,
        )  # fmt: skip
        self.unless_broken(stretch, bad)

    def along(self, state: State, stretch: Stretch) -> Steps:
        """In the loop of another; not where a subclass predicts in another way."""
        if not self.keeps_scores:
            raise NotCompiled
        from graphol.compiled import bind, shared

        P, W, _ = state
        x, u, r = (np.empty(size, W.dtype) for size in (W.shape[1], W.shape[1], 1))
        f, best, tau = np.empty(len(W), W.dtype), np.zeros(1, np.int64), np.zeros(len(W))
        foresee = bind(shared.foresee, ask=self.ask, show=self.show)
        hear = bind(shared.hear, decide=self.decide)
        drawn = self._drawn(state, stretch)
        own = shared.Along(stretch.rows, stretch.row, P, W, x, u, r, f, best, tau, *drawn)
        return Steps(foresee, hear, own)

    def _drawn(self, state: State, stretch: Stretch) -> tuple[Any, ...]:
        """A number per round, if they are wanted, and what the rules to ask and to decide name."""
        numbers = np.zeros(len(stretch.row))
        if type(self).ask is not SharedInverse.ask:
            numbers = draws.stretch_of(state.seed, stretch.first, len(stretch.row))
        return numbers, settings(self, self.ask, 5), settings(self, self.decide, 5)
