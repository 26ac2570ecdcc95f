import itertools

import numpy as np
import pytest

from graphol import SupportTree, UsageError
from graphol.graph import Graph


def tree_graph(height):
    """Vertices as in a heap; leaf j is vertex 2^h - 1 + j."""
    p = 2 ** (height + 1) - 1
    children = np.arange(1, p)
    return Graph.from_edges(children, (children - 1) // 2)


@pytest.mark.parametrize("height", [1, 2, 3, 5, 6])
def test_equals_the_pseudo_inverse(height):
    graph, leaves = tree_graph(height), 2**height
    order = [graph.index(v) for v in range(graph.n)]
    P = np.linalg.pinv(graph.laplacian("combinatorial").toarray())[np.ix_(order, order)]
    between = P[leaves - 1 :, leaves - 1 :]
    tree = SupportTree(leaves=leaves)
    K = np.array([tree.gram(j, np.arange(leaves)) for j in range(leaves)])
    np.testing.assert_allclose(K, between + P.diagonal().max(), atol=1e-12)
    assert tree.rho == pytest.approx(2 * P.diagonal().max())
    assert tree.vertices == graph.n


@pytest.mark.parametrize(("height", "kappa"), [(1, 5 / 9), (5, 4.0446), (7, 6.0115), (10, 9.0015)])
def test_known_resistances(height, kappa):
    assert SupportTree(leaves=2**height).resistance == pytest.approx(kappa, abs=5e-5)


def test_least_cut_equals_brute_force_over_inner_vertices():
    rng, height, K = np.random.default_rng(0), 2, 3
    leaves = 2**height
    edges = [(v, (v - 1) // 2) for v in range(1, 2 * leaves - 1)]
    for _ in range(40):
        labels = rng.integers(-1, K, size=leaves)
        least = min(
            sum(full[a] != full[b] for a, b in edges)
            for full in itertools.product(range(K), repeat=2 * leaves - 1)
            if all(want in (-1, got) for want, got in zip(labels, full[leaves - 1 :], strict=True))
        )
        assert SupportTree(leaves=leaves).least_cut(labels, K) == least


def test_a_line_of_switches_is_cut_at_most_once_a_level_and_switch():
    rng, T = np.random.default_rng(1), 1000
    for switches in (0, 1, 5, 30):
        times = np.sort(rng.choice(T - 1, switches, replace=False))
        labels = np.full(1024, -1)
        labels[:T] = np.searchsorted(times, np.arange(T), side="right") % 3
        cut = SupportTree(leaves=T).least_cut(labels, 3)
        assert bool(switches) <= cut <= switches * 10


def test_one_leaf_and_far_leaves():
    alone = SupportTree(leaves=1)
    assert alone.gram(0, np.array([0])).tolist() == [1.0] == [alone.rho]
    far = SupportTree(leaves=2**40)
    levels = far.rho - far.gram(0, np.array([2**39 - 1, 2**39]))
    np.testing.assert_allclose(levels, [39, 40], rtol=1e-12)


@pytest.mark.parametrize("leaves", [0, -3, 2**41])
def test_impossible_trees(leaves):
    with pytest.raises(UsageError, match="has 1 to"):
        SupportTree(leaves=leaves)
