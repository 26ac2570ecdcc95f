"""A learner that starts anew is told again what another state of it was told."""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    NO_VECTOR,
    Compiled,
    Derived,
    Growing,
    Instance,
    Integers,
    Learner,
    Matrix,
    NotCompiled,
    Played,
    Problem,
    State,
    Stretch,
)
from graphol.errors import GrapholError
from graphol.states import parts, plain
from graphol.told import LABEL, Told

WORTH = 2000
"""Labels from which a replay is compiled: to read what was compiled once takes a while, too."""
LEAST = 16
"""Labels that a compiled stretch has on the mean; with fewer of them the plain loop is as fast."""
SLICE = 8192
"""Labels that a compiled stretch has at the most."""
GAP = 16
"""Rounds without an answer that a compiled stretch leaps over."""


@attrs.define(eq=False)
class Replay:
    """A state that is told again what was told, from the first answer on.

    A label meets a prediction that is made anew, so that whoever learns from his mistakes learns
    from those of now. A bit, or an answer of another kind, was about what was said: the prediction
    is made anew and says what was said then. What was asked for then is answered. A class joins
    where it joined then. Round numbers are those of the tickets.
    """

    learner: Learner
    state: State
    rows: Matrix | None
    told: Told
    done: int = 0
    """Answers so far."""
    classes: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.classes = self.told.begun

    def upto(self, end: int) -> None:
        """All answers before this one."""
        counts = self.told.entries["classes"][self.done : end]
        joins = self.done + np.flatnonzero(np.diff(counts, prepend=self.classes))
        for lo, hi in pairwise([self.done, *joins.tolist(), end]):
            if lo == hi:
                continue
            first = lo + (lo in joins)
            for t in range(lo, first):  # predicted without the class that joins
                self._one(t, int(self.told.entries["classes"][t]))
            if not self._compiled(first, hi):
                for t in range(first, hi):
                    self._one(t, self.classes)
            self.done = hi

    def grow(self, classes: int) -> None:
        """More classes, that nobody was told to be of, or not yet."""
        while self.classes < classes:
            if not isinstance(self.learner, Growing):
                raise GrapholError(f"{self.learner.name} cannot learn a new class")
            self.classes += 1
            self.state = self.learner.grow(self.state, self.classes)

    def _one(self, t: int, classes: int) -> None:
        number, context, row, said, _, _, kind, query = self.told.entries[t].tolist()
        x = NO_VECTOR if self.rows is None else self.rows[row]
        instance = Instance(number, row, x, context)
        prediction = self.learner.predict(self.state, instance)
        label = prediction.label if kind == LABEL else said
        self.grow(classes)
        self.learner.update(
            self.state, instance, prediction._replace(label=label, query=query),
            self.told.reveal(t),
        )  # fmt: skip

    def _compiled(self, lo: int, hi: int) -> bool:
        """The labels of these answers in compiled stretches, if that is to be had and worth it."""
        entries = self.told.entries[lo:hi]
        learner = self.learner
        if hi - lo < WORTH or not isinstance(learner, Compiled):
            return False
        if not ((entries["kind"] == LABEL).all() and entries["query"].all()):
            return False
        number = entries["number"]
        leaps = np.diff(number)
        breaks = np.flatnonzero((leaps < 1) | (leaps > GAP)) + 1
        if len(entries) < LEAST * (len(breaks) + 1):
            return False
        state = copy.deepcopy(self.state)
        try:
            learner.stream(state, *_stretch(entries[:0], self.rows, self.classes))
        except NotCompiled:
            return False
        for a, b in pairwise(sorted({*range(0, len(entries), SLICE), *breaks.tolist(), hi - lo})):
            stretch, out = _stretch(entries[a:b], self.rows, self.classes)
            learner.stream(state, stretch, out)
            if not out.query[stretch.answered].all():
                return False  # it would not have asked, and yet it was told
        self.state = state
        return True


def _stretch(entries: NDArray[Any], rows: Matrix | None, classes: int) -> tuple[Stretch, Played]:
    """Labels with rising numbers as one stretch; there are rounds without an answer in between."""
    first = int(entries["number"][0]) if len(entries) else 0
    length = int(entries["number"][-1]) - first + 1 if len(entries) else 0
    at = entries["number"] - first
    answered = np.zeros(length, dtype=np.bool_)
    answered[at] = True
    of = np.maximum.accumulate(np.where(answered, np.arange(length), 0))
    place = np.zeros(length, dtype=np.int64)
    place[at] = np.arange(len(entries))
    chosen = entries[place[of]]

    def column(name: str) -> Integers:
        return np.ascontiguousarray(chosen[name], dtype=np.int64)

    most = int(column("row").max(initial=-1)) + 1
    stretch = Stretch(
        rows=np.zeros((most, 0)) if rows is None else rows,
        row=column("row"), node=column("row"), context=column("context"), told=column("told"),
        answered=answered, first=first,
    )  # fmt: skip
    out = Played(
        np.zeros(length, np.int32), np.zeros(length, np.int32),
        np.ones(length, np.bool_), np.ones(length, np.bool_),
    )  # fmt: skip
    return stretch, out


def knows_rows_alone(learner: Learner, problem: Problem, state: State) -> bool:
    """Does the learner tell nodes apart by their vectors, and by nothing else of the graph?

    Then a node may join it at any time. It says so by starting without a graph as it does with one,
    and by holding nothing that it derived.
    """
    if _derives(state):
        return False
    rng = copy.deepcopy(problem.rng)
    blind = attrs.evolve(problem, graph=None, graphs=(), features=None, rng=rng)
    try:
        other = learner.start(blind)
    except Exception:  # a plugin may say in any way that it needs the graph
        return False
    shapes = [{k: np.shape(plain(v)) for k, v in parts(each).items()} for each in (state, other)]
    return shapes[0] == shapes[1] and not _derives(other)


def _derives(value: Any) -> bool:
    if isinstance(value, Derived):
        return True
    return isinstance(value, tuple) and any(map(_derives, value))
