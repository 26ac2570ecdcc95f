"""Labels that may choose, and nothing else."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from graphol.api import Fits, Given, Instance, Integers, Learner, Matrix
from graphol.testing.games import blocks, node_game

SEEDS, HELD = 18, 18
"""Nodes whose labels are learnt, and nodes whose labels may choose."""


def validation_labels_only_choose(learner: Learner) -> None:
    """A validation label is never learnt: it decides between settings, or it does nothing.

    A learner whose parameters are all given says the same with true, with wrong and without
    validation labels, score by score. One that chooses (a parameter is ``auto``, or another word in
    place of a number) chooses among few: when one label after the other is made wrong, it soon says
    what it said before. To whoever learns from them, each makes a difference of its own. And wrong
    as they all may be, they are not what it says.
    """
    if not isinstance(learner, Fits) or "classes" not in learner.targets:
        return
    if "label" not in learner.learns_from:
        return
    graph = blocks(isolated=False)
    label = graph.labels
    assert label is not None
    order = np.random.default_rng(8).permutation(graph.n)
    seeds, held = order[:SEEDS], order[SEEDS : SEEDS + HELD]
    truth, wrong = label[held], (label[held] + 1) % graph.n_classes

    def said(nodes: Integers, labels: Integers) -> Matrix:
        return _said(learner, Given(seeds, label[seeds], nodes, labels), graph.n)

    turned = said(held, wrong)
    repeated, right = (np.mean(turned[held, 0] == each) for each in (wrong, truth))
    assert repeated < max(right, 0.5), (
        f"{repeated:.0%} of validation labels are repeated where they are wrong"
    )
    if not chooses(learner):
        assert np.array_equal(said(held, truth), turned), "validation labels were learnt"
        assert np.array_equal(said(held[:0], truth[:0]), turned), "validation labels were learnt"
        return
    before = [turned]
    for i in range(HELD):
        now = said(held, np.where(np.arange(HELD) == i, wrong, truth))
        if any(np.array_equal(now, each) for each in before):
            return
        before.append(now)
    raise AssertionError(f"each of {HELD} validation labels makes a difference: they were learnt")


def chooses(learner: Learner) -> bool:
    """Is one of its parameters a word that leaves the choice to it?"""
    kind: Any = type(learner)
    fields = attrs.fields(kind)
    values = {field.name: getattr(learner, field.name) for field in fields}
    words = {field.name: field.metadata.get("word") for field in fields}
    return any(
        isinstance(value, str) and (value in ("auto", "validation") or value == words[name])
        for name, value in values.items()
    )


def _said(learner: Any, given: Given, n: int) -> Matrix:
    """Label and scores of every node, fitted to what is given, (n, 1 + K)."""
    task = node_game(graph=blocks(isolated=False))
    state = learner.start(task.problem(np.random.default_rng(0)))
    learner.fit(state, given)
    said = [learner.predict(state, Instance(0, node)) for node in range(n)]
    return np.array([[p.label, *(() if p.scores is None else p.scores)] for p in said])
