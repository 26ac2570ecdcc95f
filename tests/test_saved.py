"""What a saved predictor's record and state must be, learner by learner."""

from __future__ import annotations

import numpy as np
import pytest

import graphol
from graphol import npz
from graphol.testing.games import blocks

GRAPH = blocks(40)
NAMES = ["red", "green", "blue"]


@pytest.fixture
def damaged(tmp_path):
    """Save, change arrays or record, and load: what is said."""

    def call(learner, arrays=None, record=None):
        predictor = graphol.Predictor(learner, GRAPH, classes=NAMES)
        for k in range(9):
            ticket = predictor.ask(f"node {k}")
            full = "label" in predictor.learner.learns_from
            predictor.tell(ticket, **({"label": NAMES[k % 3]} if full else {"correct": False}))
        predictor.save(tmp_path / "p.npz", force=True)
        graphol.Predictor.load(tmp_path / "p.npz")
        stored, meta = npz.read(tmp_path / "p.npz", "saved predictor", (3,))
        for name, change in (arrays or {}).items():
            stored[name] = change(stored[name].copy())
        npz.write(tmp_path / "p.npz", stored, meta | (record or {}), force=True)
        with pytest.raises(graphol.GrapholError) as refusal:
            graphol.Predictor.load(tmp_path / "p.npz")
        assert str(tmp_path / "p.npz") in str(refusal.value)
        return str(refusal.value)

    return call


def put(at, value):
    def change(array):
        array[at] = value
        return array

    return change


@pytest.mark.parametrize(
    ("learner", "name", "change", "said"),
    [
        ("kernel-perceptron", "support", put(0, 40), "not distinct nodes"),
        ("kernel-perceptron", "support", put(0, -1), "not distinct nodes"),
        ("kernel-perceptron", "support", lambda a: a[:-1], "not of one length"),
        ("label-propagation", "label", put(0, 3), "labels are not classes"),
        ("label-propagation", "first", put(0, 10**9), "first labels"),
        ("label-propagation", "used", put(0, 10**6), "1000000 changes in room"),
        ("molg-f", "P", put((0, 1), 0.05), "not symmetric"),
        ("molg-b", "P", put((0, 0, 0), 1e6), "above"),
        ("soba", "P", put((0, 0), -1e6), "above"),
        ("gpa", "W", put((0, 0), np.inf), "no numbers"),
    ],
)
def test_states(damaged, learner, name, change, said):
    assert said in damaged(learner, {f"state_{name}": change})


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"classes": ["a", "a", "b"]}, "at least 2 distinct classes"),
        ({"classes": ["a", 1, "b"]}, "neither texts nor whole numbers"),
        ({"classes": [f"{i}" for i in range(5000)]}, "5000 classes, but nothing in the state"),
        ({"seed": -1}, "the seed is negative"),
        ({"seed": True}, "seed is bool"),
        ({"name": 7}, "name is int"),
        ({"learner": "gpa"}, "learner is str"),
        ({"scalars": {"seed": "x"}}, "seed is str, not int"),
        ({"scalars": {"seed": 10**30}}, "seed is 1000"),
    ],
)
def test_records(damaged, record, said):
    assert said in damaged("banditron", record=record)
