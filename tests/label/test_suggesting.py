"""Batches: the best first, no near-duplicates, a reason for each."""

import attrs
import numpy as np
import pytest
from scipy.sparse import block_diag

import graphol
from graphol import Graph
from graphol.label.predicting import predict
from graphol.label.suggesting import rank, suggest
from graphol.testing.games import blocks

LP = "label-propagation"


def cliques(*sizes):
    return Graph(block_diag([1.0 - np.eye(k) for k in sizes]))


@attrs.frozen
class Table:
    """Values that are written down."""

    name = "table"
    spreads = True
    of: tuple = ()

    def values(self, situation, rng):
        return np.array(self.of, dtype=float)


def ranked(graph, strategy, count, labels=None, p=None, **more):
    n = graph.n
    labels = np.full(n, -1) if labels is None else np.asarray(labels)
    p = np.full((n, 2), 0.5) if p is None else np.asarray(p)
    known = np.full(n, bool((labels >= 0).any()))
    rng = np.random.default_rng(more.pop("seed", 0))
    return rank(graph, labels, p, known, strategy, rng, count, **more)


def test_two_copies_of_a_clique_give_one_each():
    """All of a clique are duplicates of one another, so the second comes from the other copy."""
    graph = cliques(6, 6)
    unsure = [0.5, 0.5]
    for strategy in ("uncertainty", "uncertainty:by=entropy"):
        made = graphol.make("strategy", strategy)
        for seed in range(20):
            pair = [s.row for s in ranked(graph, made, 2, p=[unsure] * 12, seed=seed)]
            assert {row // 6 for row in pair} == {0, 1}


def test_a_copy_that_is_worth_more_comes_after_another_clique():
    graph = cliques(4, 4, 4)
    made = Table((9.0, 8.9, 8.8, 8.7, 3, 3, 3, 3, 2, 2, 2, 1))
    rows = [s.row for s in ranked(graph, made, 3)]
    assert [row // 4 for row in rows] == [0, 1, 2]


def test_only_nodes_without_a_label_and_not_left_out():
    graph = cliques(5, 5)
    labels = np.array([0, -1, -1, -1, -1, 1, -1, -1, -1, -1])
    out = np.zeros(10, bool)
    out[[1, 6]] = True
    for name in ("uncertainty", "random"):
        found = ranked(graph, graphol.make("strategy", name), 99, labels, leave_out=out)
        assert sorted(s.row for s in found) == [2, 3, 4, 7, 8, 9]
    assert ranked(graph, graphol.make("strategy", "random"), 5, labels=np.zeros(10, int)) == []


def test_with_nothing_known_hubs_come_first_and_apart():
    graph = Graph.from_edges([0] * 5 + [6] * 4 + [0], [1, 2, 3, 4, 5, 7, 8, 9, 10, 6])
    found = ranked(graph, graphol.make("strategy", "uncertainty"), 2)
    assert [graph.ids[s.row] for s in found] == [0, 6]


def test_reasons():
    graph = cliques(4, 3)
    labels = np.array([0, -1, -1, 1, -1, -1, -1])
    p = [[1, 0], [0.6, 0.4], [0.9, 0.1], [0, 1], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]
    known = np.array([True] * 4 + [False] * 3)
    made = graphol.make("strategy", "uncertainty")
    rng = np.random.default_rng(0)
    found = rank(graph, labels, np.array(p), known, made, rng, 9, classes=("tea", "cup"))
    said = {s.row: s.reason for s in found}
    assert said[1] == "unsure between tea and cup"
    assert said[2] == "most likely tea, 90%"
    assert said[4].startswith("no label reaches it")
    drawn = ranked(graph, graphol.make("strategy", "random"), 1)
    assert drawn[0].reason == "drawn at random"


@pytest.mark.parametrize("of", [(1.0, 2.0), (np.nan,) * 6])
def test_odd_values_are_refused_with_a_name(of):
    with pytest.raises(graphol.GrapholError, match="table: its values must be 6 finite numbers"):
        ranked(cliques(3, 3), Table(of), 1)


def path_of(*letters):
    return Graph.from_edges(letters[:-1], letters[1:])


def test_suggest_asks_where_predict_is_least_sure():
    given = dict.fromkeys("abcd", "tea") | dict.fromkeys("ijkl", "cup")
    path = path_of(*"abcdefghijkl")
    found = suggest(path, given, learner=LP, count=1)
    said = predict(path, given, learner=LP)
    two = np.sort(said.probabilities, axis=1)[:, -2:]
    gap = np.where(said.given < 0, two[:, 1] - two[:, 0], 2)
    (row,) = found.rows()
    assert gap[path.index(row["node"])] == gap.min()
    assert row["reason"].startswith("unsure between ")
    assert (found.labels, found.strategy, found.classes) == (8, "uncertainty", ("cup", "tea"))


@pytest.mark.parametrize("given", [None, {}, {"a": "tea"}])
def test_with_fewer_than_two_classes_there_is_no_guess(given):
    found = suggest(path_of(*"abcdefg"), given, count=3)
    rows = found.rows()
    assert len(rows) == 3 and found.learner is None
    assert {row["guess"] for row in rows} == {None}
    assert rows[0]["reason"].startswith("nothing tells classes apart yet")
    assert "a" not in [row["node"] for row in rows] or given != {"a": "tea"}


def test_the_page_and_the_command_give_the_same_order():
    """What the page calls with what was predicted is what `suggest` has found."""
    graph = blocks(40)
    given = np.full(40, -1)
    given[[0, 1, 2, 10, 14]] = graph.labels[[0, 1, 2, 10, 14]]
    for name in ("uncertainty", "variance", "expected-change", "random"):
        found = suggest(graph, given, count=8, strategy=name, learner=LP, seed=4)
        said = predict(graph, given, learner=LP, seed=4)
        again = rank(
            graph, given, said.probabilities, said.known, graphol.make("strategy", name),
            np.random.default_rng(4), 8, classes=found.classes,
        )  # fmt: skip
        assert [*found.suggestions] == again


def test_nodes_left_out_and_several_layers():
    one, two = path_of(*"abcdefg"), Graph.from_edges("ab", "gf", ids="abcdefg")
    found = suggest([one, two], {"a": "tea", "d": "cup"}, learner=LP, count=9, leave_out="bc")
    assert sorted(row["node"] for row in found.rows()) == ["e", "f", "g"]
    assert found.graph.n_edges == 8


@pytest.mark.parametrize(("more", "said"), [
    ({"count": 0}, "count must be a whole number >= 1, got 0"),
    ({"strategy": "uncertain"}, "did you mean 'uncertainty'"),
    ({"leave_out": ["x"]}, "has no node 'x'"),
    ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
])  # fmt: skip
def test_suggest_refuses_in_one_line(more, said):
    with pytest.raises(graphol.GrapholError, match=said) as caught:
        suggest(path_of(*"abc"), **more)
    assert "\n" not in str(caught.value)
