"""Projections onto connected supports, l1 balls and groups, against their definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from graphol.datasets.grid import Grid
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.projections import steiner_forest
from graphol.projections.groups import Groups, group_shares, partition
from graphol.projections.l1 import L1, soft_threshold
from graphol.projections.wgm import WgmHead, WgmTail

numbers = st.floats(-1e6, 1e6).map(lambda x: 0.0 if abs(x) < 1e-6 else x)


def grid(rows, cols):
    return Grid(rows=rows, cols=cols).load(np.random.default_rng(0)).graph


def edges_of(graph):
    from scipy.sparse import triu

    upper = triu(graph.adjacency, 1).tocoo()
    return np.stack([upper.row, upper.col], axis=1).astype(np.int64)


def pieces(graph, support):
    from scipy.sparse.csgraph import connected_components

    return connected_components(graph.adjacency[support][:, support], directed=False)[0]


@pytest.mark.parametrize("search", ["warm", "exact"])
@pytest.mark.parametrize("g", [1, 2, 3])
def test_the_support_is_connected_and_not_too_large(search, g):
    graph, rng = grid(7, 9), np.random.default_rng(g)
    for s in (g, 5, 12, 40, 63) if search == "warm" else (12, 40):
        project = WgmTail(s=s, g=g, search=search).bind(graph, 63)
        for _ in range(8):
            v = rng.standard_cauchy(size=63) if search == "warm" else rng.normal(size=63)
            w, support = project(v)
            assert 1 <= len(support) <= int(1.1 * s)
            assert pieces(graph, support) <= g
            assert np.array_equal(w[support], v[support])
            assert not np.delete(w, support).any()


def published_search(prizes, edges, low, high):
    """The published search, line by line, with one forest per call of the public function."""
    ones = np.ones(len(edges))

    def forest(price):
        return steiner_forest(prizes, edges, price * ones).nodes

    descending = np.sort(prizes)[::-1]
    n = len(prizes)
    price = 2 * descending[n - high] or 2 * descending[n - low] or 2 * descending[0]
    calls, nodes = 1, forest(price)
    while len(nodes) > high and calls < 20:
        price *= 2
        calls, nodes = calls + 1, forest(price)
    if len(nodes) >= low:
        return nodes
    below = 0.0
    while calls < 20:
        middle = (below + price) / 2
        calls, nodes = calls + 1, forest(middle)
        if low <= len(nodes) <= high:
            return nodes
        if len(nodes) > high:
            below = middle
        else:
            price = middle
    return forest(price)


def test_exact_is_the_published_search():
    graph, rng = grid(8, 8), np.random.default_rng(0)
    tail = WgmTail(s=10, search="exact").bind(graph, 64)
    head = WgmHead(search="exact").bind(graph, 64)
    assert (tail.low, tail.high, head.low, head.high) == (10, 11, 32, 35)
    for _ in range(15):
        v = rng.normal(size=64)
        u, support = head(v)
        assert np.array_equal(support, published_search(v * v, edges_of(graph), 32, 35))
        _, support = tail(u)
        assert np.array_equal(support, published_search(u * u, edges_of(graph), 10, 11))


def test_bands_of_the_paper():
    graph = grid(33, 33)
    head, tail = WgmHead().bind(graph, 1089), WgmTail(s=26).bind(graph, 1089)
    assert (head.low, head.high) == (544, 598)
    assert (tail.low, tail.high) == (26, 28)


def test_warm_finds_what_exact_finds_with_fewer_forests():
    """A slowly turning vector, as a dual average is one: energy within 4 %, on pure noise."""
    graph, rng = grid(20, 20), np.random.default_rng(1)
    warm, exact = (WgmTail(s=30, search=s).bind(graph, 400) for s in ("warm", "exact"))
    v = rng.normal(size=400)
    memory = np.zeros(1)
    energy, forests = np.zeros(2), np.zeros(2)
    for _ in range(60):
        v = v + 0.05 * rng.normal(size=400)
        for i, w in enumerate((warm.warm(v, memory)[0], exact(v)[0])):
            energy[i] += w @ w
        forests += warm.forests, exact.forests
    assert memory[0] > 0
    assert energy[0] > 0.96 * energy[1]
    assert forests[0] < 0.5 * forests[1]


@pytest.mark.parametrize("calls", [1, 2, 6])
def test_a_vector_with_too_few_entries_is_forgotten(calls):
    """No price gives two far nodes a forest of twenty; the next search starts afresh."""
    graph, rng = grid(20, 20), np.random.default_rng(0)
    tail, memory = WgmTail(s=20).bind(graph, 400), np.zeros(1)
    few = np.zeros(400)
    few[[45, 348]] = 1.0
    for _ in range(calls):
        tail.warm(few, memory)
    v = rng.normal(size=400)
    _, support = tail.warm(v, memory)
    assert np.array_equal(support, tail(v)[1])
    assert 1 <= len(support) <= tail.high


@pytest.mark.parametrize("search", ["warm", "exact"])
@pytest.mark.parametrize("spread", [2, 5, 20])
def test_uneven_prizes_do_not_make_the_support_too_large(search, spread):
    graph, rng = grid(20, 20), np.random.default_rng(spread)
    tail = WgmTail(s=20, search=search).bind(graph, 400)
    for _ in range(20):
        _, support = tail(rng.normal(size=400) * np.exp(spread * rng.normal(size=400)))
        assert 1 <= len(support) <= tail.high


@pytest.mark.parametrize(
    ("v", "radius", "nearest"),
    [
        ([1e17, 1e17, -1e17], 1.0, [1 / 3, 1 / 3, -1 / 3]),
        ([1.0, -0.5, 0.2], 1e-17, [1e-17, 0.0, 0.0]),
        ([1e300, 1e283, 0.0], 2.0, [2.0, 0.0, 0.0]),
    ],
)
def test_l1_balls_much_smaller_than_the_vector(v, radius, nearest):
    found, _ = L1(radius=radius).bind(None, 3)(np.array(v))
    np.testing.assert_allclose(found, nearest, rtol=1e-12)


def test_memory_is_all_that_is_remembered():
    """One bound projection may serve two games in turn."""
    graph, rng = grid(10, 10), np.random.default_rng(2)
    shared, one, two = (WgmTail(s=8).bind(graph, 100) for _ in range(3))
    notes = [np.zeros(1) for _ in range(4)]
    for _ in range(10):
        v, w = rng.normal(size=(2, 100))
        assert np.array_equal(shared.warm(v, notes[0])[0], one.warm(v, notes[1])[0])
        assert np.array_equal(shared.warm(w, notes[2])[0], two.warm(w, notes[3])[0])


def test_near_the_best_connected_support():
    """Against every connected set of the same size on a small graph."""
    graph, rng = grid(3, 3), np.random.default_rng(3)
    tail = WgmTail(s=4, slack=0).bind(graph, 9)
    sets = [
        np.array(c) for k in range(1, 5) for c in itertools.combinations(range(9), k)
        if pieces(graph, np.array(c)) == 1
    ]  # fmt: skip
    for _ in range(40):
        v = rng.normal(size=9)
        best = min(np.linalg.norm(np.delete(v, c)) for c in sets)
        assert np.linalg.norm(v - tail(v)[0]) <= 3 * best
        assert np.array_equal(*(tail(x)[0] for x in (tail(v)[0], tail(v)[0])))


def test_inverse_costs_prefer_strong_ties():
    graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [9.0, 1.0, 9.0, 1.0])
    v = np.array([3.0, 1.0, 1.0, 3.0])
    assert WgmTail(s=3, slack=0, costs="inverse").bind(graph, 4)(v)[1].tolist() == [0, 1, 3]


@pytest.mark.parametrize("unit", [1e-200, 1e-80, 1e80, 1e200])
def test_units_do_not_matter(unit):
    graph, rng = grid(6, 6), np.random.default_rng(4)
    for search in ("warm", "exact"):
        project = WgmTail(s=6, search=search).bind(graph, 36)
        v = rng.normal(size=36)
        assert np.array_equal(project(v)[1], project(v * unit)[1])


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: WgmTail(s=10).bind(grid(3, 3), 9), "s must be <= 9, the number of nodes, got 10"),
        (lambda: WgmTail(s=0), "s must be >= 1, got 0"),
        (lambda: WgmTail(g=0), "g must be >= 1, got 0"),
        (lambda: WgmTail(s=2, g=10).bind(grid(3, 3), 9), "g must be <= 2"),
        (lambda: WgmTail(s=2).bind(None, 9), "needs a graph on the vectors' 9 entries, got none"),
        (lambda: WgmHead().bind(grid(3, 3), 8), "8 entries, got one on 9 nodes"),
        (lambda: WgmTail(search="exakt"), "did you mean 'exact'?"),
        (lambda: WgmTail(slack=float("nan")), "slack must be >= 0, got nan"),
        (lambda: Groups(keep=9, blocks="3").bind(grid(3, 3), 9), "keep must be <= 3"),
        (lambda: Groups(blocks="0").bind(None, 9), "blocks must be a size such as 9"),
        (lambda: Groups(blocks="2x2").bind(Graph.from_edges([0, 1, 2], [1, 2, 0]), 3), "grid"),
    ],
)
def test_what_cannot_be_bound_is_refused_in_one_line(make, says):
    with pytest.raises(UsageError) as caught:
        make()
    assert says in str(caught.value) and "\n" not in str(caught.value)


@given(v=arrays(np.float64, 6, elements=numbers), radius=st.floats(1e-3, 1e3))
def test_l1_is_the_nearest_point_of_the_ball(v, radius):
    """Variational inequality: (v - w)'(u - w) <= 0 for every corner u of the ball."""
    w, support = L1(radius=radius).bind(None, 6)(v)
    assert np.abs(w).sum() <= radius * (1 + 1e-12)
    assert np.array_equal(support, np.flatnonzero(w))
    size = np.abs(v).max() + radius
    for sign, i in itertools.product((-1, 1), range(6)):
        corner = np.zeros(6)
        corner[i] = sign * radius
        assert (v - w) @ (corner - w) <= 1e-9 * size * size


def test_thresholds_minimise_what_they_say():
    """Against a fine search along every coordinate, and along the group's direction."""
    grid_ = np.linspace(-4, 4, 80001)
    for v in (3.0, -0.4, 0.0, -2.5):
        best = grid_[np.argmin(0.5 * (grid_ - v) ** 2 + 0.7 * np.abs(grid_))]
        assert soft_threshold(np.array([v]), 0.7)[0] == pytest.approx(best, abs=1e-4)
    rng = np.random.default_rng(0)
    v, group, by = rng.normal(size=7), np.array([0, 0, 1, 1, 1, 2, 2]), np.array([0.5, 3.0, 0.1])
    u = group_shares(v, group, by)[group] * v

    def cost(x):
        return 0.5 * np.sum((x - v) ** 2) + sum(
            by[k] * np.linalg.norm(x[group == k]) for k in range(3)
        )

    assert not u[group == 1].any()
    for _ in range(300):
        assert cost(u) <= cost(u + 0.1 * rng.normal(size=7)) + 1e-12


@pytest.mark.parametrize("keep", [1, 2])
def test_groups_keeps_the_nearest(keep):
    rng = np.random.default_rng(1)
    project = Groups(keep=keep, blocks="3").bind(None, 9)
    for _ in range(20):
        v = rng.normal(size=9)
        options = [np.where(np.isin(np.arange(9) // 3, c), v, 0)
                   for c in itertools.combinations(range(3), keep)]  # fmt: skip
        best = min(np.linalg.norm(v - o) for o in options)
        assert np.linalg.norm(v - project(v)[0]) == pytest.approx(best)


def test_partitions_are_what_they_are_called():
    tiles = partition("3x3", grid(33, 33), 1089)
    assert tiles.max() == 120 and (np.bincount(tiles) == 9).all()
    assert set(np.flatnonzero(tiles == 12)) == {
        99 + r * 33 + 3 + c for r in range(3) for c in range(3)
    }
    graph = grid(7, 5)
    balls = partition("4", graph, 35)
    assert np.bincount(balls).max() == 4
    assert all(pieces(graph, np.flatnonzero(balls == k)) == 1 for k in range(balls.max() + 1))
