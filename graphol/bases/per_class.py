"""Learners with one inverse per class, and bandits among them."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    Instance,
    Matrix,
    NotCompiled,
    Played,
    Prediction,
    Problem,
    Reveal,
    Shown,
    Steps,
    Stretch,
)
from graphol.bases.inverse import DTYPE, SecondOrder, check_inverse, padded, scores
from graphol.bases.rules import Rule, play, required, settings


class State(NamedTuple):
    """One inverse per class, and the class models."""

    P: NDArray[Any]  # A_k⁻¹, (K, d, d)
    W: Matrix  # rows w_k = A_k⁻¹ b_k, (K, d)


class PerClass(SecondOrder):
    """Base of learners with one inverse per class; see :mod:`graphol.bases.inverse`."""

    @property
    def ridge(self) -> float:
        """Where A_k starts, as a multiple of I."""
        return self.b

    def start(self, problem: Problem) -> State:
        """Every A_k a multiple of I, all class models zero."""
        K, d, dtype = problem.n_classes or 1, problem.dim, DTYPE[self.precision]
        return State(self._inverses(K, d, dtype), np.zeros((K, d), dtype))

    def grow(self, state: State, n_classes: int) -> State:
        """New classes start as all classes did."""
        K, d = state.W.shape
        new = self._inverses(n_classes - K, d, state.P.dtype)
        return State(np.concatenate([state.P, new]), padded(state.W, n_classes))

    def check_state(self, state: State, nodes: int) -> None:
        """Inverses are symmetric, and no larger than at the start."""
        check_inverse(state.P, 1 / self.ridge)

    def _inverses(self, K: int, d: int, dtype: Any) -> NDArray[Any]:
        return np.tile((np.eye(d) / self.ridge).astype(dtype), (K, 1, 1))


def anything(f, most):
    """No bound on what a class may be worth."""
    return -np.inf, np.inf


class PerClassBandit(PerClass):
    """Base of bandits with one inverse per class.

    With f = w_k'x and r = x'P_k x it plays the class that is worth most (ties: the lowest); only
    that class learns +1 if it was right and -1 if not. With ``tells_all``, a right answer tells all
    others -1. Subclasses are frozen attrs classes with
    these rules, each followed by hyper-parameters by name, and a parameter ``b``, where every
    A_k = b I starts (or a property ``ridge`` in its place).

    ``value(f, r)``
        What a class is worth playing for.
    ``weigh(f, r, right)``
        The gain with which the played class learns; 0: no update.
    ``reach(f, most)``
        The least and the most a class can be worth for any r from 0 to ``most``. Narrow bounds save
        a compiled stream most of its work, since a class that cannot be the best needs no r. They
        must hold, or another class is played; the default always does.
    """

    feedback: ClassVar[str] = "bandit"
    learns_from: ClassVar[tuple[Shown, ...]] = ("bit", "label")
    hears_flips: ClassVar[bool] = True
    tells_all: ClassVar[bool] = False

    value: ClassVar[Rule] = required()
    weigh: ClassVar[Rule] = required()
    reach: ClassVar[Rule] = staticmethod(anything)

    @property
    def keeps_scores(self) -> bool:
        """Not where a subclass predicts in another way."""
        return type(self).predict is PerClassBandit.predict

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class that is worth most."""
        x = instance.x.astype(state.W.dtype, copy=False)
        f, r = scores(state.W, x), scores(state.P @ x, x)
        valuing = settings(self, self.value, 2)
        both = zip(f.tolist(), r.tolist(), strict=True)  # plain numbers are faster to reckon with
        worth = np.array([self.value(f_k, r_k, *valuing) for f_k, r_k in both])
        best = int(worth.argmax())
        if np.isnan(worth[best]):
            raise self.broken(instance.t, x)
        return Prediction(best, worth)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The class that was played, if the rule gives a gain; all that a right answer tells."""
        played, right = int(prediction.label), bool(reveal.right(prediction))
        told = range(len(state.W)) if self.tells_all and right else (played,)
        return sum(self._learn(state, instance, k, right and k == played) for k in told)

    def _learn(self, state: State, instance: Instance, k: int, right: bool) -> int:
        """Class k learns whether it is right; 1, or 0 if the rule gives no gain."""
        x = instance.x.astype(state.W.dtype, copy=False)
        u = state.P[k].dot(x)
        r, f = float(x.dot(u)), float(state.W[k].dot(x))
        gain = self.weigh(f, r, right, *settings(self, self.weigh, 3))
        if gain == 0.0:
            return 0
        if not 0.0 < gain < np.inf:
            raise self.broken(instance.t, x)
        state.P[k] -= gain * np.outer(u, u)
        state.W[k] += gain * ((1.0 if right else -1.0) - f) * u
        return 1

    def stream(self, state: State, stretch: Stretch, out: Played) -> None:
        """The whole stretch, compiled, in look-ahead blocks."""
        from graphol.compiled import per_class

        rules: dict[str, Any] = {"value": self.value, "reach": self.reach, "weigh": self.weigh}
        valuing, reaching, weighing = (
            settings(self, rule, fixed)
            for rule, fixed in zip(rules.values(), (2, 2, 3), strict=True)
        )
        bad = play(
            self.name, per_class.play, rules, stretch,
            state.P, state.W, stretch, self.tells_all, valuing, reaching, weighing, out,
        )  # fmt: skip
        self.unless_broken(stretch, bad)

    def along(self, state: State, stretch: Stretch) -> Steps:
        """In the loop of another; not where a subclass predicts in another way."""
        if not self.keeps_scores:
            raise NotCompiled
        from graphol.compiled import bind, per_class

        P, W = state
        x, U = np.empty(W.shape[1], W.dtype), np.empty_like(W)
        R, F = np.empty(len(W), W.dtype), np.empty(len(W), W.dtype)
        valuing, weighing = settings(self, self.value, 2), settings(self, self.weigh, 3)
        foresee = bind(per_class.foresee, value=self.value)
        hear = bind(per_class.hear, weigh=self.weigh)
        own = per_class.Along(
            stretch.rows, stretch.row, P, W, x, U, R, F, self.tells_all, valuing, weighing
        )
        return Steps(foresee, hear, own)
