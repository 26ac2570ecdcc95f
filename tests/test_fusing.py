"""Layers added up by the weights that a learner gives them, and games on the sum."""

from __future__ import annotations

import shlex
from typing import Any

import attrs
import numpy as np
import pytest

import graphol
from graphol import Graph
from graphol.api import Given, Prediction
from graphol.arena import Arena
from graphol.cli import main
from graphol.comparing import compare
from graphol.datasets.files import Files
from graphol.fusing import fuse
from graphol.layers.vertices import is_feature
from graphol.plan import Plan
from graphol.tasks import NodeTask

SEEN: list[Given] = []


@attrs.frozen
class Stub:
    """Gives every layer a weight that was said before."""

    name = "stub"
    feedback = "full"
    learns_from = ("label",)
    targets = ("classes",)
    needs = "graph"
    weights: Any = attrs.field(factory=dict, hash=False)

    def start(self, problem):
        return problem

    def predict(self, state, instance):
        return Prediction(0)

    def update(self, state, instance, prediction, reveal):
        return 0

    def fit(self, state, given):
        SEEN.append(given)
        return 1

    def layer_weights(self, state):
        return self.weights


@pytest.fixture
def task():
    rng = np.random.default_rng(0)
    n, ids = 14, [f"n{i}" for i in range(14)]
    graphs = []
    for name in ("a", "b"):
        A = np.triu(rng.random((n, n)) < 0.4, 1) * rng.random((n, n))
        graphs.append(Graph(A + A.T, ids=ids, name=name))
    labels = np.arange(n) % 3
    labels[5] = -1
    X = (rng.random((n, 3)) < 0.5) * rng.random((n, 3))
    first = graphs[0].labelled(labels, ["x", "y", "z"]).featured(X, ["tea", "ice", "milk"])
    return NodeTask((first, graphs[1]), "toy")


def given(task, count=9):
    labels = task.graph.labels
    nodes = np.flatnonzero(labels >= 0)[:count]
    return Given(nodes, labels[nodes])


def dense(task, weights):
    n, X = task.graph.n, task.graph.features.toarray()
    A = sum(weights.get(g.name, 0) * g.adjacency.toarray() for g in task.graphs)
    columns = [j for j, name in enumerate(("tea", "ice", "milk")) if weights.get(name)]
    B = X[:, columns] * [weights[("tea", "ice", "milk")[j]] for j in columns]
    return np.block([[A, B], [B.T, np.zeros((len(columns), len(columns)))]]), n, columns


def test_the_weighted_sum_with_vertices_for_features(task):
    weights = {"a": 0.5, "b": 2.0, "milk": 3.0, "tea": 0.25}
    fused = fuse(task, Stub(weights), given(task), np.random.default_rng(0), cap=np.inf)
    wanted, n, _ = dense(task, weights)
    order = [*range(n), n + 1, n]  # milk was said first
    np.testing.assert_allclose(fused.graph.adjacency.toarray(), wanted[np.ix_(order, order)])
    assert fused.graph.ids[n:] == (("feature", "milk"), ("feature", "tea"))
    assert fused.graph.labels[:n].tolist() == task.graph.labels.tolist()
    assert fused.graph.labels[n:].tolist() == [-1, -1]
    assert fused.weights == weights and fused.spent == 9
    total = wanted.sum() / 2
    for row in fused.rows:
        if row["kind"] == "graph":
            layer = task.graphs["ab".index(row["layer"])]
            assert row["share"] == pytest.approx(row["weight"] * layer.degrees.sum() / 2 / total)
    assert sum(row["share"] for row in fused.rows) == pytest.approx(1)


def test_eliminated_features_leave_the_schur_complement(task):
    weights = {"a": 1.0, "b": 1.0, "ice": 2.0}
    fused = fuse(
        task, Stub(weights), given(task), np.random.default_rng(0), eliminate=True, cap=np.inf
    )
    A, n, _ = dense(task, weights)
    L = np.diag(A.sum(axis=1)) - A
    wanted = L[:n, :n] - L[:n, n:] @ np.linalg.inv(L[n:, n:]) @ L[n:, :n]
    np.testing.assert_allclose(fused.graph.laplacian().toarray(), wanted, atol=1e-12)
    assert not is_feature(fused.graph).any()


def test_what_weighs_next_to_nothing_is_left_out_and_listed(task):
    fused = fuse(task, Stub({"a": 1.0, "b": 1e-13, "tea": 1e-12}), given(task),
                 np.random.default_rng(0))  # fmt: skip
    np.testing.assert_allclose(fused.graph.adjacency.toarray(), task.graphs[0].adjacency.toarray())
    assert [(row["layer"], row["share"]) for row in fused.rows[1:]] == [("b", 0), ("tea", 0)]


def test_a_feature_weighs_no_more_than_the_heaviest_graph(task):
    stub, rng = Stub({"a": 0.5, "b": 2.0, "tea": 1e5, "ice": 1.0}), np.random.default_rng(0)
    fused = fuse(task, stub, given(task), rng)
    X = task.graph.features.toarray()
    mean = [w * g.adjacency.data.mean() for g, w in zip(task.graphs, (0.5, 2.0), strict=True)]
    wanted = max(mean) / X[X[:, 0] > 0, 0].mean()
    assert fused.weights == {"a": 0.5, "b": 2.0, "tea": pytest.approx(wanted), "ice": 1.0}
    assert {row["layer"]: row["learned"] for row in fused.rows} == stub.weights
    note = "1 feature(s) are held at 1 times the edges of the heaviest graph"
    assert note in fused.graph.notes
    assert fuse(task, stub, given(task), rng, cap=3).weights["tea"] == pytest.approx(3 * wanted)
    alone = fuse(task, Stub({"tea": 7.0}), given(task), rng)  # no graph to be held against
    assert alone.weights["tea"] == 7.0
    with pytest.raises(graphol.UsageError, match="cap must be > 0, got 0"):
        fuse(task, stub, given(task), rng, cap=0)


def test_labels_that_are_missing(task):
    rng, stub = np.random.default_rng(0), Stub({"a": 1.0})
    two = Given(np.array([0, 1]), np.array([0, 1]))
    assert (
        "no label of class z is given, so it has no say" in fuse(task, stub, two, rng).graph.notes
    )
    one = Given(np.array([0, 3]), np.array([0, 0]))
    with pytest.raises(graphol.InputError, match=r"2 label.s. of 1 class.es. are given"):
        fuse(task, stub, one, rng)


@pytest.mark.parametrize(
    ("weights", "kind", "said"),
    [
        ({"a": 0.0}, graphol.InputError, "gives no layer any weight"),
        ({"a": -1.0}, graphol.GrapholError, "layer 'a' weighs -1.0, and not >= 0"),
        ({"a": np.nan}, graphol.GrapholError, "layer 'a' weighs nan, and not >= 0"),
        (
            {"c": 1.0},
            graphol.GrapholError,
            "stub weighs 'c', which is no layer and no feature",
        ),
    ],
)
def test_weights_that_cannot_be(task, weights, kind, said):
    with pytest.raises(kind, match=said):
        fuse(task, Stub(weights), given(task), np.random.default_rng(0))


def test_who_cannot_weigh_is_refused(task):
    with pytest.raises(graphol.UsageError, match="gpa gives layers no weights of their own"):
        graphol.simulate("molg-f", task, fuse=5, fuser="gpa")
    with pytest.raises(graphol.UsageError, match="a fuser needs labels to weigh layers by"):
        graphol.simulate("molg-f", task, fuser="gpa")
    with pytest.raises(graphol.UsageError, match="is no graph with classes of nodes"):
        graphol.simulate("kernel-perceptron", "switching-sbm", fuse=5, fuser=Stub({"a": 1.0}))


def test_only_the_first_labels_of_a_repeat_are_spent_and_none_is_scored(task):
    """The learner that weighs sees what is played first, and nothing else."""
    SEEN.clear()
    result = graphol.simulate("molg-f", task, fuse=6, fuser=Stub({"a": 1.0, "ice": 0.5}), repeats=3)
    assert len(result.traces) == 3
    seen = {tuple(given.nodes.tolist()): given for given in SEEN}
    for trace in result.traces:
        spent = seen[tuple(trace.node[:6].tolist())]
        assert np.array_equal(spent.labels, trace.label[:6])
        assert not len(spent.validation_nodes)
        assert trace.scored.tolist() == [False] * 6 + [True] * 7
        assert trace.meta["fused"] == {"a": 1.0, "b": 0.0, "ice": 0.5}
    assert len({tuple(trace.node[:6].tolist()) for trace in result.traces}) == 3
    note = "the first 6 label(s) of every repeat weigh the layers, and are not scored"
    assert note in result.notes


def test_the_game_is_that_on_the_fused_graph(task):
    """As if the fused graph had been written down and played."""
    stub = Stub({"a": 1.0, "b": 0.5, "ice": 2.0})
    fused = fuse(task, stub, given(task), np.random.default_rng(0)).graph
    plain = graphol.simulate("molg-f", NodeTask((fused,), "toy"), repeats=2)
    result = graphol.simulate("molg-f", task, fuse=6, fuser=stub, repeats=2)
    for one, other in zip(plain.traces, result.traces, strict=True):
        assert np.array_equal(one.node, other.node)
        assert np.array_equal(one.predicted, other.predicted)


def test_the_recipe_states_it_and_its_command_plays_it_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("source,target\na,b\nb,c\nc,d\nd,e\ne,f\nf,a\n")
    (tmp_path / "b.csv").write_text("source,target\na,c\nb,d\nc,e\nd,f\n")
    (tmp_path / "l.csv").write_text("node,label\na,x\nb,y\nc,x\nd,y\ne,x\nf,y\n")
    data = "files:graph=a.csv,more=b.csv,labels=l.csv"
    result = graphol.simulate("molg-f", data, fuse=4, fuser="multi-mrf:weights=1+2", repeats=2)
    assert result.recipe["engine"]["fuse"] == 4
    assert result.recipe["fuser"]["weights"] == "1+2"
    assert [layer["name"] for layer in result.recipe["layers"]] == ["a.csv", "b.csv"]
    command = result.row()["command"]
    assert "--graph a.csv --graph b.csv" in command and "--fuse 4 --fuser" in command
    assert main([*shlex.split(command)[1:], "--out", "again", "--quiet"]) == 0
    again = graphol.Simulation.load("again")
    for one, other in zip(result.traces, again.traces, strict=True):
        assert np.array_equal(one.predicted, other.predicted)
        assert np.array_equal(one.scored, other.scored)


def test_learners_of_one_embedding_share_the_fusion(task):
    SEEN.clear()
    arena = Arena(task)
    stub = Stub({"a": 1.0, "b": 1.0})
    compare(["molg-f", "oslg"], arena, fuse=6, fuser=stub,
                    repeats=2)  # fmt: skip
    orders = [tuple(given.nodes.tolist()) for given in SEEN]
    assert len(set(orders)) == 2 and len(orders) <= 4


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({"fuse": 0}, "fuse must be >= 1, got 0"),
        ({"fuse": 5, "noise": 0.1}, "leave noise out"),
        ({"fuse": 5, "fresh_data": True}, "leave fresh_data out"),
        ({"fuse": 5, "rounds": 5}, "none of 5 rounds would count"),
    ],
)
def test_plans_that_cannot_be(plan, said):
    with pytest.raises(graphol.UsageError, match=said):
        Plan(**plan)


def test_directed_and_weighted_files_are_fused_as_they_are_read(tmp_path):
    (tmp_path / "a.csv").write_text("source,target,weight\na,b,2\nb,a,2\nb,c,1\nc,d,4\nd,a,1\n")
    (tmp_path / "b.csv").write_text("source,target,weight\nb,a,3\nd,c,1\n")
    (tmp_path / "l.csv").write_text("node,label\na,x\nb,y\nc,x\nd,y\n")
    data = Files(
        graph=str(tmp_path / "a.csv"), more=[str(tmp_path / "b.csv")],
        labels=str(tmp_path / "l.csv"),
    )  # fmt: skip
    task = data.load(np.random.default_rng(0))
    fused = fuse(task, Stub({"a.csv": 1.0, "b.csv": 10.0}), given(task), np.random.default_rng(0))
    A = fused.graph.adjacency.toarray()
    assert A[0].tolist() == [0, 32, 0, 1] and A[2].tolist() == [0, 1, 0, 14]


@pytest.mark.parametrize("fuser", ["multi-mrf", "robust-lp"])
def test_features_that_are_called_like_a_layer_are_told_from_it(task, fuser):
    def weights(names):
        first = task.graphs[0].featured(task.graph.features, names)
        game = attrs.evolve(task, graphs=(first, task.graphs[1]))
        fused = fuse(game, graphol.make("learner", fuser), given(game), np.random.default_rng(0))
        return [(each.layer, each.kind) for each in fused.layers], [*fused.weights.values()]

    plain, expected = weights(["tea", "ice", "milk"])
    odd, found = weights(["a", "feature a", "milk"])
    assert found == expected and len(plain) == 5
    assert [name for name, _ in odd] == ["a", "b", "feature feature a", "feature a", "milk"]
    assert [kind for _, kind in odd] == [kind for _, kind in plain]


@pytest.mark.parametrize("feedback", ["seeds:count=8", "seeds:per_class=2,validation=2"])
def test_no_more_labels_are_spent_than_the_protocol_gives_away(task, feedback):
    with pytest.raises(graphol.UsageError, match=r"spends 9 labels and seeds gives [68] away"):
        graphol.simulate("molg-f", dataset=task, feedback=feedback, fuse=9, repeats=1)
