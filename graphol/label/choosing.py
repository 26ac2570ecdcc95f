"""Who says the labels: learners that are tried on labels held out, each prepared once."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from graphol import seeding
from graphol.api import (
    NO_VECTOR,
    Embedding,
    Fits,
    Given,
    Instance,
    Integers,
    Learner,
    Matrix,
    Problem,
    Reveal,
    State,
)
from graphol.arena import Arena
from graphol.errors import GrapholError, UsageError
from graphol.label.calibration import FEATURES, evidence
from graphol.label.scoring import Everywhere, everywhere
from graphol.matching import check_fit
from graphol.params import describe
from graphol.registry import registry
from graphol.tasks import NodeTask

GRAPH = ("poisson", "poisson-ridge", "ridge", "walk")
"""Who is tried by default, and those of ``FEATURES`` where nodes have some."""
LABELS = 2**26
"""Nodes times labels up to which smoothed regressions are tried: they make such a table."""
SIMILAR = 10_000
"""Nodes up to which similar ones are looked for: every pair is."""
FOLDS, FEWER = 5, 2
FEW, PART = 2000, 1000
"""With more labels than FEW, FEWER parts of PART labels are held out."""


def usual(task: NodeTask, labels: int) -> list[Learner]:
    """Who is tried where nobody is named, on a task with so many labels."""
    n, names = task.graph.n, [*GRAPH]
    if task.graph.features is not None and task.graph.features.nnz:
        names += [
            *(FEATURES[:1] if n <= SIMILAR and n * labels <= LABELS else ()),
            *(FEATURES[1:2] if n * labels <= LABELS else ()),
            *FEATURES[2:],
        ]
    return [registry().make("learner", name) for name in names]


def folds(labels: Integers, seed: int) -> Integers:
    """The fold in which each label is held out, -1: never, (m,).

    Every class is spread over the folds. The only label of a class is never held out.
    """
    rng = seeding.labelled(seed, len(labels))
    many = len(labels) > FEW
    count = -(-len(labels) // PART) if many else FOLDS
    fold, at = np.full(len(labels), -1), 0
    for k in np.unique(labels):
        own = rng.permutation(np.flatnonzero(labels == k))
        if len(own) > 1:
            fold[own] = (at + np.arange(len(own))) % count
            at += len(own)
    fold[fold >= (FEWER if many else FOLDS)] = -1
    return fold


@attrs.define(eq=False)
class Trial:
    """A learner with its problem, started once, to be fitted as often as is wanted."""

    learner: Learner
    problem: Problem
    start: State
    margins: bool = False
    """Has it given scores below 0?"""
    seconds: float = 0.0

    @classmethod
    def of(
        cls, learner: Learner, arena: Arena, embedding: str | Embedding | None, seed: int
    ) -> Trial:
        """Embedded, where it needs that."""
        begun = time.perf_counter()
        vectors = embedding if learner.needs in ("rows", "gram") else None
        playing = arena.task(learner, vectors).task
        problem = playing.problem(seeding.learner(seed))
        check_fit(playing.target, playing.name, problem, learner)
        if not {"label", "bit"} & {*learner.learns_from}:
            raise UsageError(
                f"{learner.name} learns from {' or '.join(learner.learns_from)}, not from labels"
            )
        made = cls(learner, problem, learner.start(problem))
        made.seconds = time.perf_counter() - begun
        return made

    @property
    def name(self) -> str:
        """As the command line writes it, with what is not usual."""
        return written(self.learner)

    def says(self, given: Given, nodes: Integers) -> Everywhere:
        """What it says of some nodes, once it has learnt these labels and no others."""
        begun = time.perf_counter()
        state = copy.deepcopy(self.start)
        self._learn(state, given)
        found = everywhere(self.learner, state, self.problem, nodes)
        self.margins |= found.scores is not None and bool((found.scores < 0).any())
        self.seconds += time.perf_counter() - begun
        return found

    def evidence(self, found: Everywhere) -> Matrix:
        """For each class."""
        K = self.problem.n_classes or 0
        return evidence(found.scores, found.label, found.known, K, margins=self.margins)

    def _learn(self, state: State, given: Given) -> None:
        """In one go, or one by one in an order that does not follow from the labels."""
        learner = self.learner
        if isinstance(learner, Fits):
            learner.fit(state, given)
            return
        rows = None if self.problem.features is None else self.problem.features.rows
        order = np.random.default_rng(len(given.nodes)).permutation(len(given.nodes))
        for t, j in enumerate(order.tolist()):
            node, label = int(given.nodes[j]), int(given.labels[j])
            instance = Instance(t, node, NO_VECTOR if rows is None else rows[node])
            said = learner.predict(state, instance)._replace(query=True)
            if "label" in learner.learns_from:
                learner.update(state, instance, said, Reveal(label=label))
            else:  # as if it had said so, and was right
                learner.update(state, instance, said._replace(label=label), Reveal(correct=True))


def written(learner: Learner) -> str:
    """Its name, with the parameters that are not the usual ones."""
    made: Any = type(learner)
    try:
        usual = describe(made())
    except Exception:  # a plugin's, that cannot do without parameters
        usual = {}
    plain = {key: value for key, value in describe(learner).items() if usual.get(key) != value}
    plain.pop("name", None)
    simple = [f"{k}={v}" for k, v in plain.items() if isinstance(v, int | float | str)]
    return f"{learner.name}:{','.join(simple)}" if simple else learner.name


def trials(
    learners: Sequence[Learner],
    task: NodeTask,
    embedding: str | Embedding | None,
    seed: int,
    watcher: Any,
    *,
    named: bool,
) -> tuple[list[Trial], list[str]]:
    """All who can be tried, and why others cannot; who was named by the user is refused aloud."""
    arena, found, notes = Arena(task, seed, watcher), [], []
    for learner in learners:
        watcher.stage(f"{learner.name}: prepare")
        try:
            found.append(Trial.of(learner, arena, embedding, seed))
        except GrapholError as reason:
            if named or len(learners) == 1:
                raise
            notes.append(f"{learner.name} is not tried: {reason}")
    if not found:
        raise UsageError(f"{task.name}: nobody can be tried here; {notes[0]}")
    return found, notes
