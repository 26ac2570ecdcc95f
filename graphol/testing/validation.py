"""Labels that may choose, and nothing else."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from graphol.api import Fits, Given, Instance, Integers, Learner, Matrix
from graphol.testing.games import blocks, node_game

SEEDS, HELD = 18, 12
"""Nodes whose labels are learnt, and nodes whose labels may choose."""


def validation_labels_only_choose(learner: Learner) -> None:
    """A validation label is never learnt: it decides between settings, or it does nothing.

    One label after the other is made wrong. A learner whose parameters are all given says the same
    as without validation labels, score by score. One that chooses (a parameter is ``auto``, or
    another word in place of a number) chooses among few, so that some label makes no difference;
    to whoever learns from them, each does. And wrong as they all may be, it does not repeat them.
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
    K = graph.n_classes

    def said(nodes: Integers, labels: Integers) -> Matrix:
        return _said(learner, Given(seeds, label[seeds], nodes, labels), graph.n)

    truth = label[held]
    first, same = said(held, truth), 0
    for i in range(HELD):
        wrong = truth.copy()
        wrong[i] = (wrong[i] + 1) % K
        same += np.array_equal(said(held, wrong), first)
    turned = said(held, (truth + 1) % K)
    if not chooses(learner):
        assert same == HELD, f"{HELD - same} of {HELD} validation labels were learnt from"
        assert np.array_equal(turned, first), "validation labels were learnt from"
        assert np.array_equal(said(held[:0], truth[:0]), first), "validation labels were learnt"
    assert same, f"each of {HELD} validation labels made a difference: they were learnt from"
    repeated = np.mean(turned[held, 0] == (truth + 1) % K)
    right = np.mean(turned[held, 0] == truth)
    assert repeated < max(right, 0.5), (
        f"{repeated:.0%} of validation labels are repeated where they are wrong"
    )


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
