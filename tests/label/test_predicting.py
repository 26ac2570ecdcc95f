"""Labels for all nodes, by a few."""

from __future__ import annotations

import csv
import io
import random

import attrs
import numpy as np
import pytest

import graphol
from graphol.api import Given
from graphol.errors import GrapholError, InputError, UsageError
from graphol.label.choosing import folds, usual
from graphol.label.predicting import labelled_task, predict, prepared
from graphol.label.rows import as_csv, formulas, write_rows
from graphol.testing.games import blocks

LEARNERS = ["poisson", "label-propagation", "ridge"]


def some(per_class=6, seed=0, graph=None):
    """A block graph, and labels of some of its nodes."""
    graph = graph or blocks()
    rng, labels = np.random.default_rng(seed), np.full(graph.n, -1)
    for k in range(graph.n_classes):
        nodes = rng.permutation(np.flatnonzero(graph.labels == k))[:per_class]
        labels[nodes] = k
    return graph, labels


def test_right_and_probable():
    graph, labels = some()
    found = predict(graph, labels, classes=graph.label_names, learner=LEARNERS)
    rest = labels < 0
    assert (found.predicted[rest] == graph.labels[rest]).mean() > 0.7
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0)
    assert (found.predicted[~rest] == labels[~rest]).all()
    assert (found.probabilities[~rest].max(axis=1) == 1).all()
    assert found.known.sum() == 39  # one is isolated
    assert [each["learner"] for each in found.candidates] and found.accuracy.answers == 18
    assert found.calibration.answers == 18


def test_the_truth_is_not_looked_at():
    """Other labels than those given change nothing."""
    graph, labels = some()
    one = predict(graph, labels, classes=graph.label_names, learner=LEARNERS)
    other = predict(graph.unlabelled, labels, classes=graph.label_names, learner=LEARNERS)
    np.testing.assert_array_equal(one.probabilities, other.probabilities)


def test_a_held_out_label_does_not_decide_about_itself():
    """What is said of one part of the labels does not change with these labels."""
    graph, labels = some()
    nodes = np.flatnonzero(labels >= 0)
    y = labels[nodes]
    part = folds(y, 0)
    task = labelled_task(graph, labels, graph.label_names)
    learners = [graphol.make("learner", name) for name in LEARNERS]
    tried, _ = prepared(task, learners, None, 0, _Nobody(), named=True)
    lied = y.copy()
    lied[part == 0] = (lied[part == 0] + 1) % 3
    for trial in tried:
        shown = part != 0
        first = trial.says(Given(nodes[shown], y[shown]), nodes[part == 0])
        trial.says(Given(nodes, lied), nodes)  # whatever it learns meanwhile is forgotten
        again = trial.says(Given(nodes[shown], lied[shown]), nodes[part == 0])
        np.testing.assert_array_equal(first.scores, again.scores)


class _Nobody:
    def stage(self, text):
        pass

    def rounds(self, done):
        pass


def test_another_order_of_nodes_gives_the_same():
    graph, labels = some()
    order = np.random.default_rng(1).permutation(graph.n)
    turned = graph.unlabelled.subgraph(order)
    given = {graph.ids[i]: str(labels[i]) for i in np.flatnonzero(labels >= 0)}
    one = predict(graph.unlabelled, given, learner="poisson", seed=0)
    other = predict(turned, given, learner="poisson", seed=0)
    # folds differ, so the sharpness does a little; who is said does not
    np.testing.assert_array_equal(one.predicted[order], other.predicted)
    np.testing.assert_allclose(one.probabilities[order], other.probabilities, atol=0.1)


def test_every_part_has_every_class():
    y = np.repeat([0, 1, 2], [20, 7, 1])
    part = folds(y, 0)
    assert part[-1] == -1  # the only label of its class
    for k, most in ((0, 4), (1, 2)):
        assert np.bincount(part[y == k], minlength=5).max() == most
    many = folds(np.arange(9000) % 3, 0)
    assert set(many) == {-1, 0, 1} and (many >= 0).sum() == 2000


def test_a_component_without_a_label():
    graph = graphol.Graph.from_edges(
        ["a", "b", "c", "x"], ["b", "c", "d", "y"], ids=["a", "b", "c", "d", "x", "y", "alone"]
    )
    found = predict(graph, {"a": "red", "b": "red", "d": "blue"})
    assert found.known.tolist() == [True] * 4 + [False] * 3
    np.testing.assert_allclose(found.probabilities[4:], np.tile(found.shares, (3, 1)))
    assert any("3 node(s) that no label reaches" in note for note in found.notes)
    assert any("one label only of class 'blue'" in note for note in found.notes)


def test_features_lead_to_a_component_without_a_label():
    graph = graphol.Graph.from_edges("abcx", "bcdy", ids=[*"abcdxyz"])
    X = np.zeros((7, 2))
    X[[0, 4], 0] = X[[3, 5], 1] = 1  # x is like a, y like d; z has neither edges nor features
    given = {"a": "red", "b": "red", "c": "blue", "d": "blue"}
    found = predict(graph.featured(X), given)
    assert found.known.tolist() == [True] * 6 + [False]
    assert not predict(graph.featured(X), given, learner="poisson").known[4:].any()


def test_everything_is_given():
    graph, _ = some()
    found = predict(graph, learner=LEARNERS)
    np.testing.assert_array_equal(found.predicted, graph.labels)
    assert found.accuracy.answers == 40


def test_one_label_of_each_class():
    graph, labels = some(per_class=1)
    found = predict(graph, labels, learner=LEARNERS)
    assert found.accuracy.mean is None and "nothing tells" in found.told()[1]
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0)


@pytest.mark.parametrize("learner", [None, "walk", "poisson", "ridge"])
def test_the_nearer_end_of_a_path_decides(learner):
    """One label of each class: none can be held out, and yet the nearer one counts for more."""
    path = graphol.Graph.from_edges(range(7), range(1, 8))
    found = predict(path, {0: "l", 7: "r"}, learner=learner)
    assert [found.classes[k] for k in found.predicted] == ["l"] * 4 + ["r"] * 4
    assert found.probabilities[1, 0] > 0.6 and found.probabilities[3, 0] > 0.5
    np.testing.assert_allclose(found.probabilities, found.probabilities[::-1, ::-1], atol=1e-6)


def test_a_class_without_a_label_is_nobodys():
    graph, labels = some()
    found = predict(graph, labels, classes=["p", "q", "r", "none"], learner=LEARNERS)
    assert found.classes == ("p", "q", "r", "none") and (found.probabilities[:, 3] == 0).all()
    assert any("no label is of class 'none'" in note for note in found.notes)


@pytest.mark.parametrize(
    ("given", "more", "said"),
    [
        ({}, {}, "no label is given"),
        (None, {}, "no label is given"),
        ({"node 0": "a"}, {}, "the only label is 'a'; give some of another"),
        ({"node 0": "a", "node 1": "a"}, {}, "all 2 labels are 'a'"),
        ({"node 99": "a"}, {}, "given: node 'node 99' is not in blocks"),
        ({"node 0": "a", "node 1": "b"}, {"classes": ["a"]}, "classes name those of an array"),
        (np.zeros(3, dtype=int), {}, "given: blocks: labels must be 40 whole numbers"),
        ({"node 0": "a", "node 1": "b"}, {"learner": "graphda"}, "predicts signs"),
        ({"node 0": "a", "node 1": "b"}, {"learner": []}, "no learner is named"),
    ],
)
def test_refused_in_one_line(given, more, said):
    with pytest.raises(GrapholError, match=said):
        predict(blocks().unlabelled, given, **more)


def test_too_many_classes_are_refused_kindly():
    n = 1500
    graph = graphol.Graph.from_edges(range(n - 1), range(1, n))
    with pytest.raises(InputError, match="1500 classes among 1500 labels, at most 1000"):
        predict(graph, np.arange(n))
    with pytest.raises(UsageError, match=r"needs a graphol.Graph, or several, got int"):
        predict([3])


def test_a_path_with_weights_and_layers():
    path = graphol.Graph.from_edges(range(9), range(1, 10), [3.0] * 4 + [0.1] + [3.0] * 4)
    other = graphol.Graph.from_edges([0, 9], [4, 5], ids=range(10), name="other")
    given = {0: "l", 1: "l", 8: "r", 9: "r"}
    for graphs in (path, [path, other]):
        found = predict(graphs, given, learner=LEARNERS)
        assert [found.classes[k] for k in found.predicted] == ["l"] * 5 + ["r"] * 5


@attrs.frozen
class Stranger:
    """Says what it was told of a node, and else the last label; no scores, no fit."""

    name = "stranger"
    feedback = "bandit"
    learns_from = ("bit",)
    targets = ("classes",)
    needs = "nothing"

    def start(self, problem):
        return np.full(problem.graph.n + 1, -1)

    def predict(self, state, instance):
        own = state[instance.node]
        return graphol.Prediction(own if own >= 0 else max(state[-1], 0))

    def update(self, state, instance, prediction, reveal):
        if reveal.correct:
            state[instance.node] = state[-1] = prediction.label
        return 1


def test_any_learner_of_anybody():
    graph, labels = some()
    found = predict(graph, labels, learner=Stranger())
    assert found.learner == "stranger"
    assert found.probabilities[labels < 0].max() < 0.9  # it is mostly wrong, and that is noticed
    molg = predict(graph, labels, learner="molg-b")
    assert molg.probabilities.shape == (40, 3)


def test_who_is_tried():
    graph, labels = some()
    task = labelled_task(graph, labels)
    bare = task.graphs[0].bare.labelled(labels)
    names = [each.name for each in usual(labelled_task(bare, None), 18)]
    assert names == ["poisson", "poisson-ridge", "ridge", "walk"]
    rich = bare.featured(np.eye(40))
    assert "knn-logistic" in [each.name for each in usual(labelled_task(rich, None), 18)]
    many = [each.name for each in usual(labelled_task(rich, None), 10**8)]
    assert "knn-logistic" not in many and "smoothed-ridge" in many


def test_rows_survive_a_round_trip(tmp_path):
    rng = random.Random(0)
    letters = ['"', ",", "\n", "=", "'", ";", "\t", "é", "a", "\r", " "]
    ids = list(dict.fromkeys("".join(rng.choices(letters, k=5)) for _ in range(20)))
    graph = graphol.Graph.from_edges(ids[:-1], ids[1:])
    names = ['=cmd,"x"', "two\nlines"]
    found = predict(graph, {ids[0]: names[0], ids[1]: names[0], ids[-1]: names[1]})
    write_rows(found, tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_bytes().decode()
    assert text == as_csv(found)
    heading, *rows = csv.reader(io.StringIO(text, newline=""))
    assert heading == ["node", "predicted", "given", "known", *(f"p_{n}" for n in found.classes)]
    assert [row[0] for row in rows] == list(graph.ids)
    assert [row[1] for row in rows] == [found.classes[k] for k in found.predicted]
    np.testing.assert_allclose(
        np.array([row[4:] for row in rows], float), found.probabilities, atol=1e-6
    )
    assert "are formulas to a spreadsheet" in formulas(found)[0]
    with pytest.raises(UsageError, match="exists"):
        write_rows(found, tmp_path / "out.csv")
    with pytest.raises(UsageError, match=r"labels go to .csv, .tsv or .parquet"):
        write_rows(found, tmp_path / "out.xlsx")


def test_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    graph, labels = some()
    found = predict(graph, labels, learner="poisson")
    write_rows(found, tmp_path / "out.parquet")
    table = parquet.read_table(tmp_path / "out.parquet").to_pydict()
    assert table["node"] == list(graph.ids) and table["p_1"] == found.probabilities[:, 1].tolist()


def test_parquet_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    graph, labels = some()
    found = predict(graph, labels, learner="poisson")
    with pytest.raises(UsageError, match=r"graphol\[parquet\]"):
        write_rows(found, tmp_path / "out.parquet")


@attrs.frozen
class Fails(Stranger):
    """Cannot learn."""

    name = "fails"

    def update(self, state, instance, prediction, reveal):
        raise InputError("fails: the weights span too many decades")


def test_who_cannot_learn_is_left_out():
    graph, labels = some()
    found = predict(graph, labels, learner=[Fails(), "poisson"])
    assert found.learner == "poisson"
    assert "fails is left out: fails: the weights span too many decades" in found.notes
    with pytest.raises(InputError, match="the weights span"):
        predict(graph, labels, learner=Fails())
