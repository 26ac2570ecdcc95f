"""Batches: greedy, and nobody twice in other clothes."""

import numpy as np
from scipy.sparse import block_diag

from graphol import Graph
from graphol.label.batches import Neighbourhoods, batch
from graphol.testing.games import blocks


def cliques(*sizes):
    return Graph(block_diag([1.0 - np.eye(k) for k in sizes]))


def taken(values, count, around=None, weight=None, open_=None, seed=0):
    values = np.asarray(values, dtype=float)
    n = len(values)
    found = batch(
        values, np.ones(n, bool) if open_ is None else open_,
        np.zeros(n) if weight is None else weight, np.random.default_rng(seed), count, around,
    )  # fmt: skip
    return [*found]


def test_without_spreading_the_order_is_that_of_the_values():
    found = taken([1, 5, 4, 2, 3, 0], 9)
    assert found == [(1, 5.0), (2, 4.0), (4, 3.0), (3, 2.0), (0, 1.0), (5, 0.0)]


def test_greedy_discount_against_a_slow_twin():
    graph = blocks(25)
    values = np.random.default_rng(1).normal(size=25)
    A = graph.adjacency.toarray()
    own = np.where(A.max(axis=1) > 0, A.max(axis=1), 1)
    closed = A + np.diag(own)
    closed /= np.linalg.norm(closed, axis=1)[:, None]
    common = np.minimum(closed @ closed.T, 1)
    around = Neighbourhoods(graph)
    np.testing.assert_allclose([around.common(i) for i in range(25)], common, atol=1e-12)
    worth, order = values - values.min(), []
    for _ in range(10):
        best = max((i for i in range(25) if i not in order), key=lambda i: worth[i])
        order.append(best)
        worth = worth * (1 - common[best])
    assert [row for row, _ in taken(values, 10, around)] == order


def test_equals_are_chosen_by_weight_and_then_by_lot():
    heavy = np.array([0.0, 2, 2, 1])
    firsts = {taken([7, 7, 7, 7], 1, weight=heavy, seed=seed)[0][0] for seed in range(20)}
    assert firsts == {1, 2}


def test_a_clique_is_asked_about_once():
    around = Neighbourhoods(cliques(5, 5, 5))
    for seed in range(10):
        rows = [row for row, _ in taken(np.ones(15), 3, around, np.ones(15), seed=seed)]
        assert sorted(row // 5 for row in rows) == [0, 1, 2]


def test_nothing_is_open():
    assert taken([1, 2], 3, open_=np.zeros(2, bool)) == []
