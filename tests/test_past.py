"""Probabilities of a live predictor, by its own past answers."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import graphol
from graphol.errors import InputError
from graphol.past import MOST
from graphol.testing.games import blocks, node_game


def told(learner="label-propagation", rounds=30, **more):
    graph = blocks()
    predictor = graphol.Predictor(learner, graph.unlabelled, classes=["a", "b", "c"], **more)
    for node in np.random.default_rng(0).permutation(graph.n)[:rounds].tolist():
        label = ["a", "b", "c"][node_game().graph.labels[node]]
        predictor.tell(predictor.ask(f"node {node}"), label=label)
    return predictor


@pytest.mark.parametrize("learner", ["label-propagation", "molg-f", "ridge", "oslg"])
def test_rows_are_probabilities_of_each_node(learner):
    predictor = told(learner)
    p = predictor.predict_proba()
    assert p.shape == (40, 3) and (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_allclose(predictor.predict_proba(["node 7", "node 3"]), p[[7, 3]])
    for node in range(40):
        ticket = predictor.ask(f"node {node}")
        if ticket.known:
            assert p[node].max() - p[node][predictor.classes.index(ticket.label)] < 1e-9


def test_it_is_tempered_by_what_came_out():
    """Told the opposite of what it is sure of, it is sure of nothing."""
    right, wrong = told(rounds=20), told(rounds=20)
    for predictor, lie in ((right, False), (wrong, True)):
        for node in range(40):
            ticket = predictor.ask(f"node {node}")
            said = predictor.classes.index(ticket.label)
            label = (said + 1) % 3 if lie else said
            predictor.past.add(graphol.Prediction(said, ticket.scores, known=True), label, range(3))
    assert right.predict_proba().max(axis=1).mean() > wrong.predict_proba().max(axis=1).mean() + 0.2


def test_by_a_slow_search():
    """The temperature is the one a fine grid finds."""
    predictor = told(rounds=35)
    from graphol.tempering import FLOOR

    rows = np.array([row for row, _ in predictor.past._kept])
    y = np.array([label for _, label in predictor.past._kept])
    shares = rows / rows.sum(axis=1, keepdims=True)
    z = np.log((shares + FLOOR / 3) / (1 + FLOOR))

    def cost(w):
        e = np.exp(w * z)
        p = e / e.sum(axis=1, keepdims=True)
        return -np.log(p[np.arange(len(y)), y]).sum() + 1.5 * (w - 1) ** 2

    best = min(np.arange(0, 5, 0.001), key=cost)
    q = predictor.ask("node 11").scores
    e = ((q / q.sum() + FLOOR / 3) / (1 + FLOOR)) ** best
    np.testing.assert_allclose(predictor.predict_proba(["node 11"])[0], e / e.sum(), atol=2e-3)


def test_saved_and_loaded(tmp_path):
    predictor = told()
    predictor.save(tmp_path / "p.npz")
    again = graphol.Predictor.load(tmp_path / "p.npz")
    np.testing.assert_array_equal(again.predict_proba(), predictor.predict_proba())
    assert len(again.past) == len(predictor.past) > 0


def test_a_damaged_past_is_refused(tmp_path):
    predictor = told()
    predictor.past._kept[0] = (np.array([0.2, 0.8]), 2)
    predictor.save(tmp_path / "p.npz")
    with pytest.raises(InputError, match="what was said in the past"):
        graphol.Predictor.load(tmp_path / "p.npz")


def test_without_a_label_and_out_of_reach():
    graph = graphol.Graph.from_edges(["a", "b", "x"], ["b", "c", "y"])
    predictor = graphol.Predictor("label-propagation", graph, classes=["p", "q"])
    np.testing.assert_allclose(predictor.predict_proba(), 0.5)
    predictor.tell(predictor.ask("a"), label="q")
    predictor.tell(predictor.ask("b"), label="q")
    p = predictor.predict_proba(["c", "x"])
    assert p[0, 1] > 0.5 and p[1, 1] > 0.5 and p[0, 1] != p[1, 1]


def test_signs_and_a_class_that_comes_late():
    graph = graphol.Graph.from_edges("abcd", "bcda")
    signs = graphol.Predictor("gpa", graph, target="signs", classes=["no", "yes"])
    for node, label in zip("abcd", ["yes", "no", "yes", "no"], strict=True):
        signs.tell(signs.ask(node), label=label)
    np.testing.assert_allclose(signs.predict_proba().sum(axis=1), 1.0)
    grows = graphol.Predictor("molg-f", graph, classes=["x", "y"])
    for node, label in zip("abcd", ["x", "y", "z", "x"], strict=True):
        grows.tell(grows.ask(node), label=label)
    assert grows.predict_proba().shape == (4, 3)


def test_many_threads_and_no_more_than_the_latest():
    predictor = told("ridge")
    failures = []

    def work(first):
        try:
            for node in range(first, first + 8):
                for _ in range(3):
                    predictor.tell(predictor.ask(f"node {node}"), label="a")
                    p = predictor.predict_proba([f"node {node}", "node 0"])
                    assert abs(p.sum() - 2) < 1e-9
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(8 * i,)) for i in range(2)]
    [each.start() for each in threads], [each.join() for each in threads]
    assert not failures and len(predictor.past) == 30 + 2 * 8 * 3
    for _ in range(2 * MOST):
        predictor.past.add(graphol.Prediction(0, np.ones(3)), 1, range(3))
    assert len(predictor.past) == MOST
