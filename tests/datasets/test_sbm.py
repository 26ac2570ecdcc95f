"""Block models: every pair once, and the degrees that were promised."""

from __future__ import annotations

import numpy as np
import pytest

from graphol.datasets.sbm import StochasticBlockModel, _triangle
from graphol.errors import UsageError


def rng(seed=0):
    return np.random.default_rng(seed)


def test_triangle_numbers_every_pair_once():
    n = 60
    low, high = _triangle(np.arange(n * (n - 1) // 2))
    assert set(zip(low.tolist(), high.tolist(), strict=True)) == {
        (i, j) for j in range(n) for i in range(j)
    }
    for top in (10**5, 10**6):  # still exact at the corners of large triangles
        last = top * (top - 1) // 2
        low, high = _triangle(np.array([last - 1, last]))
        assert low.tolist() == [top - 2, 0]
        assert high.tolist() == [top - 1, top]


def test_block_model_has_the_degrees_it_promises():
    model = StochasticBlockModel(nodes=301, classes=3, degree_in=12, degree_out=5)
    own, other = [], []
    for seed in range(20):
        graph = model.load(rng(seed)).graph
        S = graph.adjacency.toarray()
        same = graph.labels[:, None] == graph.labels
        own.append((S * same).sum() / 301)
        other.append((S * ~same).sum() / 301)
        assert set(graph.adjacency.data) == {1.0}
    assert abs(np.mean(own) - 12) < 0.3
    assert abs(np.mean(other) - 5) < 0.2
    assert np.bincount(graph.labels).tolist() == [101, 100, 100]


def test_block_model_can_be_complete():
    graph = StochasticBlockModel(nodes=6, classes=2, degree_in=2, degree_out=3).load(rng()).graph
    np.testing.assert_array_equal(graph.adjacency.toarray(), np.ones((6, 6)) - np.eye(6))


def test_block_model_is_a_function_of_the_seed():
    model = StochasticBlockModel()
    assert model.load(rng(5)).graph.hash == model.load(rng(5)).graph.hash
    assert model.load(rng(5)).graph.hash != model.load(rng(6)).graph.hash


def test_block_model_of_100_000_nodes_never_lists_its_pairs():
    graph = StochasticBlockModel(nodes=100_000, classes=10).load(rng()).graph
    assert abs(graph.n_edges - 750_000) < 5_000


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"nodes": 10, "classes": 6}, "classes must be <= nodes / 2, got 6"),
        ({"nodes": 10, "classes": 2, "degree_in": 5}, "degree_in must be <= 4, got 5"),
        ({"nodes": 10, "classes": 2, "degree_in": 1, "degree_out": 6}, "degree_out must be <= 5"),
        ({"nodes": 3}, "nodes must be >= 4 and <= "),
        ({"degree_in": float("nan")}, "degree_in must be >= 0, got nan"),
    ],
)
def test_block_models_that_cannot_be(params, words):
    with pytest.raises(UsageError, match=words):
        StochasticBlockModel(**params)
