"""What a session counts event by event, against the project's own counts of the whole log."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from graphol.errors import UsageError
from graphol.label import votes
from graphol.label.session.ledger import Ledger

WHO = ("ann", "bob", "cyd")


def play(project, rng, steps):
    """Events of all kinds, at random."""
    classes = [each.name for each in project.classes]
    for _ in range(steps):
        who, row = str(rng.choice(WHO)), project.graph.ids[int(rng.integers(project.graph.n))]
        kind = str(rng.choice(["label", "label", "bit", "skip", "unsure", "undo", "redo"]))
        guess = {"predicted": str(rng.choice(classes)), "confidence": float(rng.random())}
        if kind in ("undo", "redo"):
            with contextlib.suppress(UsageError):  # there may be nothing to take back
                getattr(project, kind)(who)
        elif kind == "label":
            project.answer(row, kind, str(rng.choice(classes)), annotator=who, **guess)
        elif kind == "bit":
            value = (str(rng.choice(classes)), bool(rng.random() < 0.5))
            project.answer(row, kind, value, annotator=who, **guess)
        else:
            project.answer(row, kind, annotator=who, **guess)


def assert_same(ledger, project):
    """As if the log had been read in one go, and as the project itself counts."""
    found = project.labels()
    np.testing.assert_array_equal(ledger.label, found.label)
    assert set(ledger.disputed) >= {r for r in found.disagreements if len(found.counts(r)) > 1}
    for row in range(project.graph.n):
        assert {w: ledger.classes[k].number for w, k in ledger.votes(row).items()} == dict(
            found.votes.get(row, {})
        )
        assert ledger.voted[row] == len(found.votes.get(row, {}))
    assert ledger.guesses == votes.guesses(ledger.replay)
    once = Ledger(project.first_nodes)
    once.take(project.events())
    assert once.lessons == ledger.lessons and once.answers == ledger.answers
    assert once.done == ledger.done and once.unsure == ledger.unsure


@pytest.mark.parametrize("seed", range(3))
def test_event_by_event_is_as_the_whole_log(project, seed):
    rng = np.random.default_rng(seed)
    project.add_class("water")
    ledger = Ledger(project.first_nodes)
    for _ in range(8):
        play(project, rng, int(rng.integers(1, 12)))
        ledger.take(project.events(ledger.last))
        assert_same(ledger, project)
    project.merge_class("water", "tea")
    project.rename_class("coffee", "mocha")
    project.add_class("cocoa")
    ledger.take(project.events(ledger.last))
    play(project, rng, 20)
    ledger.take(project.events(ledger.last))
    assert_same(ledger, project)


def test_what_was_passed_can_be_asked_again(project):
    ledger = Ledger(project.first_nodes)
    project.answer("n0", "skip", annotator="ann")
    project.answer("n1", "bit", ("tea", False), annotator="ann")
    project.answer("n2", "unsure", annotator="ann")
    ledger.take(project.events())
    assert ledger.passed["ann"] == {0, 1} and ledger.done["ann"] == {2}
    ledger.again("ann")
    project.answer("n3", "label", "tea", annotator="ann")
    project.undo("ann")
    ledger.take(project.events(ledger.last))
    assert not ledger.passed.get("ann") and ledger.done["ann"] == {2}


def test_nodes_that_join_are_counted(project):
    ledger = Ledger(project.first_nodes)
    project.add_nodes({"new": {"title": "New"}}, [("new", "n0")])
    project.answer("new", "label", "tea", annotator="ann")
    ledger.take(project.events())
    assert len(ledger.label) == project.graph.n and ledger.label[-1] == 0
