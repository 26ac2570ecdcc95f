"""The learner behind a session: it follows the log, answer by answer, and can begin anew."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol import seeding
from graphol.api import (
    NO_VECTOR,
    Features,
    Growing,
    Instance,
    Integers,
    Learner,
    Matrix,
    Prediction,
    Problem,
    Reveal,
)
from graphol.arena import embed, embedding_for
from graphol.bases.logistic import softmax
from graphol.graph import Graph
from graphol.label.calibration import evidence
from graphol.label.scoring import everywhere
from graphol.matching import check_fit

KEEP = 100
"""Answers after which the state is kept, so that an undo does not begin at the first answer."""


class Lesson(NamedTuple):
    """What is to be learnt from one answer."""

    number: int
    """Of its event."""
    row: int
    label: int
    """Which class, as the model numbers them."""
    yes: bool = True
    """False: it is not that one."""
    bit: bool = False
    """Did it come as a yes or no?"""


class Said(NamedTuple):
    """What the model says of every node."""

    label: Integers  # (n,), which class it would say
    probabilities: Matrix  # (n, K), rows sum to 1
    known: NDArray[np.bool_]  # (n,)


class Model:
    """One learner on one graph, with the lessons that it had.

    Parameters
    ----------
    learner
        Any that plays classes.
    graph
        Its labels are not looked at.
    seed
        As of a simulation.
    embedding
        For a learner that needs vectors; by default the usual one.
    """

    def __init__(
        self, learner: Learner, graph: Graph, seed: int = 0, embedding: Any = None
    ) -> None:
        self.learner, self.graph, self.seed = learner, graph.unlabelled, seed
        made = embedding_for(learner, embedding)
        self.features: Features | None = None if made is None else embed(made, graph, seed)
        self.n_classes = 0
        self.lessons: list[Lesson] = []
        self._kept: tuple[int, Any] | None = None
        self.begin(2)

    def begin(self, n_classes: int) -> None:
        """Nothing is known, of so many classes; a learner needs two at least."""
        self.n_classes = max(n_classes, 2)
        features = self.features
        rows = self._rows = None if features is None else features.rows
        self.problem = Problem(
            target="classes", n_classes=self.n_classes, dim=0 if rows is None else rows.shape[1],
            rng=seeding.learner(self.seed), graph=self.graph, features=features,
        )  # fmt: skip
        check_fit("classes", "a page to label on", self.problem, self.learner)
        self.state = self.learner.start(self.problem)
        self.lessons, self._kept = [], None

    def grow(self, n_classes: int) -> None:
        """New classes, after those that there are."""
        if n_classes <= self.n_classes:
            return
        if not isinstance(self.learner, Growing):
            lessons = self.lessons
            self.begin(n_classes)
            self.learn(lessons)
            return
        self.state = self.learner.grow(self.state, n_classes)
        self.n_classes, self._kept = n_classes, None
        self._problem_of(n_classes)

    def _problem_of(self, n_classes: int) -> None:
        old = self.problem
        self.problem = Problem(
            target=old.target, n_classes=n_classes, dim=old.dim, rng=old.rng, graph=old.graph,
            features=old.features,
        )  # fmt: skip

    def follow(self, lessons: Sequence[Lesson], n_classes: int) -> None:
        """Be where these lessons lead, going on from as far as they are the ones that it had."""
        self.grow(n_classes)
        had = len(self.lessons)
        if self.lessons != lessons[:had]:
            alike = next(
                k for k in range(had + 1) if [*lessons[k : k + 1]] != self.lessons[k : k + 1]
            )
            count, state = self._kept or (0, None)
            if state is not None and count <= alike:
                self.lessons, self.state = self.lessons[:count], copy.deepcopy(state)
            else:
                self.begin(n_classes)
        self.learn(lessons[len(self.lessons) :])

    def learn(self, lessons: Sequence[Lesson]) -> None:
        """One after the other."""
        for lesson in lessons:
            self._learn(lesson)
            self.lessons.append(lesson)
            if len(self.lessons) % KEEP == 0:
                self._kept = len(self.lessons), copy.deepcopy(self.state)

    def _learn(self, lesson: Lesson) -> None:
        instance = self._instance(lesson.row)
        foreseen = self.learner.predict(self.state, instance)
        prediction = foreseen._replace(label=lesson.label, query=True)
        reveal = self._reveal(lesson)
        if reveal is not None:
            if reveal.label is not None:
                prediction = foreseen._replace(query=True)
            self.learner.update(self.state, instance, prediction, reveal)

    def _reveal(self, lesson: Lesson) -> Reveal | None:
        """The answer in the words of the learner; None where it has none for it."""
        hears_labels = "label" in self.learner.learns_from
        hears_bits = "bit" in self.learner.learns_from
        if lesson.bit and hears_bits:
            return Reveal(correct=lesson.yes)
        if lesson.yes:
            return Reveal(label=lesson.label) if hears_labels else Reveal(correct=True)
        if self.n_classes == 2 and hears_labels:
            return Reveal(label=1 - lesson.label)
        return None

    @property
    def rows(self) -> Matrix | None:
        """The nodes' vectors, if the learner has them."""
        return self._rows

    def _instance(self, row: int) -> Instance:
        vector = NO_VECTOR if self._rows is None else self._rows[row]
        return Instance(len(self.lessons), row, vector)

    def predict(self, row: int) -> Prediction:
        """Of one node."""
        return self.learner.predict(self.state, self._instance(row))

    def says(self) -> Said:
        """Of every node the likeliest class: a learner of bits may say another, to find out."""
        found = everywhere(self.learner, self.state, self.problem, often=True)
        told = evidence(found.scores, found.label, found.known, self.n_classes)
        best = told.argmax(axis=1)
        rows = np.arange(len(best))
        likelier = told[rows, best] > told[rows, found.label]
        return Said(np.where(likelier, best, found.label), softmax(told), found.known)
