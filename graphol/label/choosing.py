"""Which learners say the labels, and how much each counts: by the given labels alone."""

from __future__ import annotations

import copy

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
    Problem,
    Reveal,
    State,
)
from graphol.arena import Arena
from graphol.label.scoring import Everywhere, everywhere
from graphol.matching import check_fit

GRAPH = ("label-propagation", "poisson-ridge", "ridge", "walk")
FEATURES = ("knn-logistic", "smoothed-logistic", "smoothed-ridge")
"""Learners that are tried, those of the second row where the nodes have features."""
FOLDS = 5
FEW = 400
"""Labels up to which every one of them is held out once."""


@attrs.define(eq=False)
class Trial:
    """A learner with its problem, ready to be fitted as often as is wanted."""

    learner: Learner
    problem: Problem
    start: State

    @classmethod
    def of(
        cls, learner: Learner, arena: Arena, embedding: str | Embedding | None, seed: int
    ) -> Trial:
        """Embedded where it needs that; the start is made once."""
        playing = arena.task(learner, embedding if learner.needs in ("rows", "gram") else None).task
        problem = playing.problem(seeding.learner(seed))
        check_fit(playing.target, playing.name, problem, learner)
        return cls(learner, problem, learner.start(problem))

    def fitted(self, given: Given) -> State:
        """A state that has learnt these labels and nothing else."""
        state = copy.deepcopy(self.start)
        if isinstance(self.learner, Fits):
            self.learner.fit(state, given)
            return state
        features = self.problem.features
        rows = None if features is None else features.rows
        order = np.random.default_rng([len(given.nodes), 1]).permutation(len(given.nodes))
        for t, j in enumerate(order.tolist()):
            node, label = int(given.nodes[j]), int(given.labels[j])
            instance = Instance(t, node, NO_VECTOR if rows is None else rows[node])
            said = self.learner.predict(state, instance)._replace(query=True)
            if "label" in self.learner.learns_from:
                self.learner.update(state, instance, said, Reveal(label=label))
            else:  # as if it had said so, and was right
                self.learner.update(
                    state, instance, said._replace(label=label), Reveal(correct=True)
                )
        return state

    def says(self, state: State, nodes: Integers | None = None) -> Everywhere:
        """Of all nodes, or these."""
        return everywhere(self.learner, state, self.problem, nodes)


def folds(labels: Integers, seed: int) -> Integers:
    """The fold in which each label is held out, -1: never, (m,).

    Every class is spread over the folds. The only label of a class is never held out.
    """
    rng = np.random.default_rng([seed, 7])
    m = len(labels)
    count = FOLDS if m <= FEW else max(FOLDS, -(-m // FEW))
    fold = np.full(m, -1)
    at = 0
    for k in np.unique(labels):
        own = rng.permutation(np.flatnonzero(labels == k))
        if len(own) > 1:
            fold[own] = (at + np.arange(len(own))) % count
            at += len(own)
    fold[fold >= FOLDS] = -1  # of many labels, a few are held out
    return fold
