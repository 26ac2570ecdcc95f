"""A data set and a layer of its features."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

import graphol
from graphol import Graph
from graphol.api import Split
from graphol.datasets.layered import Layered
from graphol.tasks import NodeTask


@attrs.frozen
class Toy:
    """Six nodes."""

    name = "toy"
    features: bool = True

    def load(self, rng):
        graph = Graph.from_edges(
            "abcde", "bcdef", labels=[0, 1, 0, 1, 0, -1],
            features=[[1, 0], [2, 0], [0, 3], [0, 1], [1, 1], [0, 0]] if self.features else None,
            feature_names=["tea", "ice"] if self.features else (), name="toy",
        )  # fmt: skip
        return NodeTask((graph,), "toy", split=Split(*map(np.array, ([0, 1], [2], [3, 4]))))


def test_neighbours_are_one_layer_more():
    task = Layered(of=Toy(), k=1).load(np.random.default_rng(0))
    first, knn = task.graphs
    assert (task.name, first.name, knn.name) == ("toy+knn", "toy", "knn")
    wanted = np.zeros((6, 6))
    for i, j, w in ((0, 1, 1), (2, 3, 1), (0, 4, np.sqrt(0.5))):  # e's best are all equal
        wanted[i, j] = wanted[j, i] = w
    np.testing.assert_allclose(knn.adjacency.toarray(), wanted, atol=1e-12)
    assert knn.ids == first.ids and knn.labels is None
    assert task.split.train.tolist() == [0, 1]  # kept


def test_stars_have_a_vertex_for_every_feature():
    task = Layered(of=Toy(), add="stars").load(np.random.default_rng(0))
    first, added = task.graphs
    assert first.ids == added.ids == (*"abcdef", ("feature", "tea"), ("feature", "ice"))
    X = added.adjacency.toarray()
    assert X[:6, 6:].tolist() == [[1, 0], [2, 0], [0, 3], [0, 1], [1, 1], [0, 0]]
    assert not X[:6, :6].any() and not X[6:, 6:].any()
    assert task.graph.labels.tolist() == [0, 1, 0, 1, 0, -1, -1, -1]
    assert sorted(task.stream(np.random.default_rng(0)).node) == [0, 1, 2, 3, 4]
    assert task.split.test.tolist() == [3, 4]


def test_layers_upon_layers_and_splits_are_played():
    made = Layered(of=Layered(of=Toy(), k=1), k=2)
    task = made.load(np.random.default_rng(0))
    assert [graph.name for graph in task.graphs] == ["toy", "knn", "knn2"]
    result = graphol.simulate("label-propagation", task, feedback="seeds:split=fixed", repeats=1)
    assert sorted(result.traces[0].node[2:]) == [3, 4]


def test_it_is_read_back_as_it_is_written():
    made = graphol.make("dataset", "layered:of=(digits:k=7),add=stars,k=3")
    assert graphol.make("dataset", graphol.command.spelled(graphol.describe(made))) == made


def test_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(graphol.InputError, match="toy has no node features to make a layer of"):
        Layered(of=Toy(features=False)).load(rng)
    with pytest.raises(graphol.UsageError, match="is no graph with classes of nodes"):
        Layered(of="graphda-grid").load(rng)
