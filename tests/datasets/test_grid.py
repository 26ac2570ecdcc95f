"""Grids against those of networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from graphol.datasets.grid import Grid
from graphol.errors import UsageError


def rng(seed=0):
    return np.random.default_rng(seed)


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
