"""One ridge model per class, each playing its class against the rest."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from graphol.api import Instance, Played, Prediction, Reveal, Stretch, Target
from graphol.bases.inverse import scores
from graphol.bases.per_class import PerClass, State
from graphol.bases.rules import Rule, play, required, settings


def always(r, t):
    """Every label is wanted."""
    return True


class OneAgainstRest(PerClass):
    """Base of learners with one model per class, or for signs one model, that all see the label.

    Every model has its own inverse, see :mod:`graphol.bases.inverse`, and learns y = +1 for its
    class and -1 for the rest with weight a = 1. The class with the highest score f = w'x is
    predicted; for signs, that of f, and that of 0 is +1. Subclasses are frozen attrs classes with a
    parameter ``mu``, where A = mu I starts, and these rules, each followed by hyper-parameters
    by name.

    ``decide(f, y)``
        Does a model that said f learn y, now that it was told?
    ``ask(r, t)``
        Does a model with r = x'A⁻¹x want the label of round t = 0, 1, ...? By default it
        always does.
    """

    targets: ClassVar[tuple[Target, ...]] = ("classes", "signs")
    mu: float = required()

    ask: ClassVar[Rule] = staticmethod(always)
    decide: ClassVar[Rule] = required()

    @property
    def ridge(self) -> float:
        """Where A starts, as a multiple of I."""
        return self.mu

    @property
    def keeps_scores(self) -> bool:
        """Not where a subclass predicts in another way."""
        return type(self).predict is OneAgainstRest.predict

    @property
    def _always(self) -> bool:
        return type(self).ask is OneAgainstRest.ask

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class whose model scores highest, or the sign of the only model."""
        f, query = scores(state.W, instance.x), bool(self._asking(state, instance).any())
        if len(f) == 1:
            return Prediction(1 if f[0] >= 0 else -1, f, query)
        return Prediction(int(f.argmax()), f, query)

    def _asking(self, state: State, instance: Instance) -> NDArray[np.bool_]:
        """Which models want the label, (M,)."""
        if self._always:
            return np.ones(len(state.W), dtype=bool)
        asking = settings(self, self.ask, 2)
        r = scores(state.P @ instance.x, instance.x)
        return np.array([self.ask(r_k, instance.t, *asking) for r_k in r], dtype=bool)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The models that asked and whose rule says so."""
        assert reveal.label is not None
        x, told = instance.x, int(reveal.label)
        f, deciding = scores(state.W, x), settings(self, self.decide, 2)
        changed = 0
        for k in np.flatnonzero(self._asking(state, instance)):
            y = 1.0 if told == (1 if len(f) == 1 else k) else -1.0
            if not self.decide(f[k], y, *deciding):
                continue
            u = state.P[k].dot(x)
            gain = 1 / (1 + float(x.dot(u)))
            state.P[k] -= gain * np.outer(u, u)
            state.W[k] += gain * float(y - f[k]) * u
            changed += 1
        return changed

    def stream(self, state: State, stretch: Stretch, out: Played) -> None:
        """The whole stretch, compiled, in look-ahead blocks."""
        from graphol.compiled import one_vs_rest

        rules: dict[str, Any] = {"ask": self.ask, "decide": self.decide}
        asking, deciding = (settings(self, rule, 2) for rule in rules.values())
        play(
            self.name, one_vs_rest.play, rules, stretch,
            state.P, state.W, stretch, self._always, asking, deciding, out,
        )  # fmt: skip
