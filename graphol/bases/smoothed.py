"""Learners that regress classes on rows of nodes, smoothed over the graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    Appendable,
    Given,
    Instance,
    Integers,
    Matrix,
    Needs,
    Prediction,
    Problem,
    Vector,
)
from graphol.bases.choosing import best
from graphol.bases.logistic import Model, fit_logistic
from graphol.bases.relearning import Relearner
from graphol.bases.smoothing import Smoothing, span


class Setting(NamedTuple):
    """What may be chosen by validation labels."""

    similar: float
    """Weight of the second layer, beside 1 of the first; 0 where there is none."""
    tau: float
    C: float


BLOCK = 256
"""Labels whose products are in memory at a time."""


class Regression(NamedTuple):
    """One setting, and what follows from the labels by it."""

    setting: Vector  # (3,), 0 if it is not used
    rows: Appendable  # (r, n), coordinates of the smoothed rows
    W: Appendable  # (r, K)
    b: Vector  # (K,), 0 for a class without a label


class State(NamedTuple):
    """What is known, and the regressions on it."""

    label: Integers  # (n,), -1 where not known
    P: Matrix  # (n, K), mean class probabilities; 0 as long as no label is known
    known: NDArray[np.bool_]  # (n,), does a label bear on the node?
    regressions: tuple[Regression, ...]
    smoothing: Smoothing


class SmoothedLearner(Relearner):
    """Start, predict, update and fit of logistic regressions on smoothed rows.

    Who inherits has ``smoothing(problem)``, ``settings(ground)`` to choose from, and how many of
    the best are averaged.
    """

    needs: ClassVar[Needs] = "graph"

    @property
    def averaged(self) -> int:
        """How many settings are averaged where validation labels choose."""
        return 1

    def smoothing(self, problem: Problem) -> Smoothing:
        """The rows and the layers that they are smoothed over."""
        raise NotImplementedError

    def settings(self, smoothing: Smoothing) -> tuple[Setting, ...]:
        """All that validation labels choose from; the first is taken where there are none."""
        raise NotImplementedError

    def start(self, problem: Problem) -> State:
        """No label known."""
        assert problem.graph is not None and problem.n_classes is not None
        n, K = problem.graph.n, problem.n_classes
        smoothing = self.smoothing(problem)
        return State(
            label=np.full(n, -1),
            P=np.zeros((n, K)),
            known=np.zeros(n, dtype=bool),
            regressions=tuple(
                Regression(np.zeros(3), _empty(n), _empty(K), np.zeros(K))
                for _ in range(self.averaged)
            ),
            smoothing=smoothing,
        )

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The likeliest class."""
        scores = state.P[instance.node].copy()
        return Prediction(int(np.argmax(scores)), scores, known=bool(state.known[instance.node]))

    def n_classes(self, state: State) -> int:
        """K."""
        return int(state.P.shape[1])

    def grow(self, state: State, n_classes: int) -> State:
        """New classes have no label yet."""
        more = n_classes - state.P.shape[1]
        wider = [
            each._replace(
                W=Appendable(np.pad(each.W.values, ((0, 0), (0, more)))),
                b=np.pad(each.b, (0, more)),
            )
            for each in state.regressions
        ]
        return state._replace(P=np.pad(state.P, ((0, 0), (0, more))), regressions=tuple(wider))

    def check_state(self, state: State, nodes: int) -> None:
        """Labels are classes, and the coordinates fit the models."""
        if state.label.min() < -1 or state.label.max() >= state.P.shape[1]:
            raise ValueError("labels are not classes")
        for setting, rows, W, _ in state.regressions:
            if len(rows.values) != len(W.values):
                raise ValueError("a regression has other coordinates than the nodes")
            similar, tau, C = setting.tolist()
            if setting.any() and not (similar >= 0 and tau > 0 and C > 0):
                raise ValueError(f"no regression has the setting {similar}, {tau}, {C}")
            if similar and state.smoothing.similar is None:
                raise ValueError(f"a second layer of weight {similar}, and there is none")
        if (state.label >= 0).any() and not state.regressions[0].setting.any():
            raise ValueError("there are labels and no regression")

    def relearn(self, state: State, given: Given, before: Integers) -> int:
        """Learn the labels anew."""
        new = np.flatnonzero((before < 0) & (state.label >= 0))
        if not state.regressions[0].setting.any():
            self._choose(state, given)
        used = [each for each in state.regressions if each.setting.any()]
        if len(new):
            state.known[:] = state.smoothing.reached(np.flatnonzero(state.label >= 0))
        state.P[:] = 0.0
        for setting, rows, W, b in used:
            if len(before[before >= 0]):  # else they are spanned
                _span(state.smoothing, setting, rows, new)
            while len(W.values) < len(rows.values):
                W.append(0.0)
            found = _regression(rows, state.label, len(b), setting, Model(W.values, b))
            W.values[:] = found.W
            b[:] = np.where(np.isfinite(found.b), found.b, 0.0)
            state.P[:] += found.probabilities(rows.values.T) / len(used)
        return int(state.P.shape[1])

    def _choose(self, state: State, given: Given) -> None:
        """Settle for the settings that validation labels prefer, and span their coordinates."""
        settings, V = self.settings(state.smoothing), given.validation_nodes
        found: list[tuple[Setting, Appendable | None]] = [(settings[0], None)]
        if len(settings) > 1 and len(V):
            tried = (
                ((setting, rows), model.probabilities(rows.values[:, V].T))
                for setting, rows, model in self._tried(state, settings)
            )
            found = [*best(tried, given.validation_labels, self.averaged)]
        for each, (setting, rows) in zip(state.regressions, found, strict=False):
            each.setting[:] = setting
            if rows is None:
                _span(state.smoothing, each.setting, each.rows, np.flatnonzero(state.label >= 0))
            else:
                each.rows.extend(rows.values)

    def _tried(
        self, state: State, settings: tuple[Setting, ...]
    ) -> Iterator[tuple[Setting, Appendable, Model]]:
        """Every setting with its regression; the coordinates do not depend on C."""
        labelled, (n, K) = np.flatnonzero(state.label >= 0), state.P.shape
        for smooth in dict.fromkeys(setting[:2] for setting in settings):
            rows = _empty(n)
            _span(state.smoothing, np.array([*smooth, 0.0]), rows, labelled)
            for setting in (each for each in settings if each[:2] == smooth):
                yield setting, rows, _regression(rows, state.label, K, np.array(setting))


def _empty(width: int) -> Appendable:
    return Appendable(np.zeros((0, width)))


def _span(smoothing: Smoothing, setting: Vector, rows: Appendable, nodes: Integers) -> None:
    similar, tau, _ = setting.tolist()
    for start in range(0, len(nodes), BLOCK):
        block = nodes[start : start + BLOCK]
        span(rows, smoothing.products(similar, tau, block), block)


def _regression(
    rows: Appendable, label: Integers, K: int, setting: Vector, start: Model | None = None
) -> Model:
    labelled = np.flatnonzero(label >= 0)
    X = rows.values[:, labelled].T  # (|S|, r)
    return fit_logistic(X, label[labelled], K, float(setting[2]), start=start)
