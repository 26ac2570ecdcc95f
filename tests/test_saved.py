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
        stored, meta = npz.read(tmp_path / "p.npz", "saved predictor", (4,))
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
        ({"target": "real"}, "the target is 'real'"),
        ({"target": 5}, "target is int"),
        ({"target": "signs"}, "exactly 2 distinct names"),
        ({"latent": []}, "latent is list"),
        ({"latent": {}}, "KeyError: 'kind'"),
        ({"latent": {"kind": "clique", "count": "5"}}, "latent is 'clique' of '5'"),
        ({"latent": {"kind": "clique", "count": 1}}, "at least 2 of them, got 1"),
        ({"latent": {"kind": "graph", "name": 5}}, "the name of the latent graph is no text"),
        ({"latent": {"kind": "graph", "name": "x"}}, "latent graph has no indptr"),
    ],
)
def test_records(damaged, record, said):
    assert said in damaged("banditron", record=record)


DAYS = graphol.Graph.from_edges(["mon", "tue", "wed"], ["tue", "wed", "thu"], name="days")


@pytest.fixture
def over_days(tmp_path):
    """A file of signs, with a latent graph and an open ticket; save it changed, and load."""
    predictor = graphol.Predictor(
        "kernel-perceptron", GRAPH, target="signs", latent=DAYS, embedding="spectral:dim=3"
    )
    predictor.tell(predictor.ask("node 1", "tue"), label=-1)
    predictor.ask("node 2", "wed")
    predictor.save(tmp_path / "p.npz")

    def call(change):
        stored, meta = npz.read(tmp_path / "p.npz", "saved predictor", (4,))
        change(stored, meta)
        npz.write(tmp_path / "q.npz", stored, meta, force=True)
        return graphol.Predictor.load(tmp_path / "q.npz")

    return call


def test_a_latent_graph_is_read_as_it_was(over_days):
    again = over_days(lambda stored, meta: None)
    assert again.contexts.graph.hash == DAYS.hash and again.waiting[1].context == 2
    assert again.contexts.graph.name == "days" and again.classes == [-1, 1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda a, m: a.update(latent_indices=a["latent_indices"] + 1000), "latent graph: indices"),
        (
            lambda a, m: a.update(latent_indptr=a["latent_indptr"][::-1]),
            "latent graph: indptr must",
        ),
        (lambda a, m: a.update(latent_ids=a["latent_ids"][:-1]), "latent graph: indptr must"),
        (lambda a, m: a.update(latent_rows=a["latent_rows"][:-1]), "latent graph: rows must"),
        (lambda a, m: a.update(latent_rows=a["latent_rows"] * np.nan), "latent graph: rows holds"),
        (lambda a, m: a.pop("latent_data"), "latent graph has no data"),
        (lambda a, m: a.update(ticket_context=np.array([4])), "ticket 1 is about context 4"),
        (lambda a, m: a.update(ticket_context=np.array([-2])), "ticket 1 is about context -2"),
        (lambda a, m: a.update(ticket_label=np.array([0])), "about node 2 and class 0"),
        (lambda a, m: a.pop("ticket_context"), "ticket_context"),
        (lambda a, m: m.pop("latent"), "latent"),
        (lambda a, m: m.pop("target"), "target"),
        (lambda a, m: m.update(target="classes"), "damaged"),
        (lambda a, m: m["latent"].update(kind="clique"), "count"),
    ],
)
def test_what_is_wrong_with_a_latent_graph_is_one_line(over_days, change, said):
    with pytest.raises(graphol.InputError, match=said) as error:
        over_days(change)
    assert "\n" not in str(error.value) and "q.npz" in str(error.value)
