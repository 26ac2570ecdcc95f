"""Batches: the best first, no near-duplicates, a reason for each."""

import attrs
import numpy as np
import pytest
from scipy.sparse import block_diag

import graphol
from graphol import Graph
from graphol.label.suggesting import Neighbourhoods, batch, rank
from graphol.testing.games import blocks


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


def test_without_spreading_the_order_is_that_of_the_values():
    graph = cliques(3, 3)
    values = np.array([1.0, 5.0, 4.0, 2.0, 3.0, 0.0])
    rng = np.random.default_rng(0)
    found = [*batch(values, np.ones(6, bool), np.zeros(6), rng, 9, None)]
    assert found == [(1, 5.0), (2, 4.0), (4, 3.0), (3, 2.0), (0, 1.0), (5, 0.0)]
    at_random = graphol.make("strategy", "random")
    drawn = at_random.values(None or _situation(graph), np.random.default_rng(3))
    assert [s.row for s in ranked(graph, at_random, 6, seed=3)] == [*np.argsort(-drawn)]


def _situation(graph):
    return graphol.Situation.unasked(graph, classes=2)


def test_greedy_discount_against_a_slow_twin():
    graph = blocks(25)
    rng = np.random.default_rng(1)
    values = rng.normal(size=25)
    A = graph.adjacency.toarray()
    own = np.where(A.max(axis=1) > 0, A.max(axis=1), 1)
    closed = A + np.diag(own)
    closed /= np.linalg.norm(closed, axis=1)[:, None]
    common = closed @ closed.T
    np.testing.assert_allclose(
        [Neighbourhoods(graph).common(i) for i in range(25)], np.minimum(common, 1), atol=1e-12
    )
    worth, taken = values - values.min(), []
    for _ in range(10):
        best = max((i for i in range(25) if i not in taken), key=lambda i: worth[i])
        taken.append(best)
        worth = worth * (1 - np.minimum(common[best], 1))
    assert [s.row for s in ranked(graph, Table(tuple(values)), 10)] == taken


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
    graph = cliques(3, 3)
    labels = np.array([0, -1, -1, -1, -1, -1])
    p = [[1, 0], [0.6, 0.4], [0.9, 0.1], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]
    known = np.array([True] * 3 + [False] * 3)
    made = graphol.make("strategy", "uncertainty")
    rng = np.random.default_rng(0)
    found = rank(graph, labels, np.array(p), known, made, rng, 9, classes=("tea", "cup"))
    said = {s.row: s.reason for s in found}
    assert said[1] == "unsure between tea and cup"
    assert said[2] == "most likely tea, 90%"
    assert said[3].startswith("no label reaches it")
    drawn = ranked(graph, graphol.make("strategy", "random"), 1)
    assert drawn[0].reason == "drawn at random"


@pytest.mark.parametrize("of", [(1.0, 2.0), (np.nan,) * 6])
def test_odd_values_are_refused_with_a_name(of):
    with pytest.raises(graphol.GrapholError, match="table: its values must be 6 finite numbers"):
        ranked(cliques(3, 3), Table(of), 1)
