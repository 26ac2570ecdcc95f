"""Digits, block models and grids against independent constructions."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from sklearn.datasets import load_digits

from graphol.datasets.digits import Digits
from graphol.datasets.files import Files
from graphol.datasets.grid import Grid
from graphol.datasets.named import NAMED
from graphol.datasets.sbm import StochasticBlockModel, _triangle
from graphol.errors import UsageError
from graphol.params import describe
from graphol.registry import misfit


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("cls", [Digits, Files, Grid, StochasticBlockModel, *NAMED])
def test_every_data_set_is_a_component(cls):
    assert misfit("dataset", cls) == ""
    assert describe(cls())["name"] == cls.name
    assert cls() == cls()
    assert (cls.__doc__ or "").strip()


@pytest.mark.parametrize("k", [1, 10])
def test_digits_match_brute_force_neighbours(k):
    task = Digits(k=k).load(rng())
    pixels, labels = load_digits(return_X_y=True)
    squares = (pixels**2).sum(axis=1)
    distance = squares[:, None] + squares - 2 * pixels @ pixels.T  # whole numbers: exact
    np.fill_diagonal(distance, np.inf)
    kth = np.sort(distance, axis=1)[:, k - 1]
    closer, as_close = distance < kth[:, None], distance <= kth[:, None]
    joined = task.graph.adjacency.toarray() > 0
    assert joined[closer | closer.T].all()
    assert not joined[~(as_close | as_close.T)].any()  # ties may go either way
    assert (joined.sum(axis=1) >= k).all()
    np.testing.assert_array_equal(task.graph.labels, labels)
    np.testing.assert_array_equal(task.graph.features.toarray(), pixels)
    assert task.name == "digits"
    assert Digits(k=k).load(rng(1)).graph.hash == task.graph.hash


def test_a_grid_is_networkx_grid():
    graph = Grid(rows=3, cols=5, classes=2).load(rng()).graph
    expected = nx.to_numpy_array(nx.grid_2d_graph(3, 5), nodelist=None)
    np.testing.assert_array_equal(graph.adjacency.toarray(), expected)
    np.testing.assert_array_equal(graph.labels.reshape(3, 5)[1], [0, 0, 0, 1, 1])
    assert graph.ids == tuple(range(15))


def test_grid_stripes_are_equally_wide():
    for cols, classes in ((20, 2), (20, 3), (7, 7)):
        labels = Grid(rows=1, cols=cols, classes=classes).load(rng()).graph.labels
        sizes = np.bincount(labels)
        assert len(sizes) == classes
        assert sizes.max() - sizes.min() <= 1
    with pytest.raises(UsageError, match="grid: classes must be <= cols = 20, got 21"):
        Grid(classes=21)


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


def test_block_model_of_100_000_nodes():
    """All pairs of them would not fit into memory."""
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
