"""One edge list for all layers, against every Laplacian on its own."""

import numpy as np
import pytest

import graphol
from graphol.errors import InputError, UsageError
from graphol.layers.edges import Layers
from graphol.testing.layers_reference import laplacians, random_graph, some_layers


def test_the_sum_of_the_laplacians():
    layers, graphs, X = some_layers()
    rng = np.random.default_rng(0)
    for alpha in (rng.random(len(layers)), np.ones(len(layers)), rng.integers(0, 2, len(layers))):
        added = rng.random(layers.vertices)
        L = np.tensordot(alpha, laplacians(layers), 1)
        found = layers.laplacian(alpha.astype(float), added)
        np.testing.assert_allclose(found.toarray(), L + np.diag(added), atol=1e-13)
        assert alpha.all() or (found.data != 0).all()
    one = layers.laplacian(np.eye(len(layers))[0]).toarray()[: layers.n, : layers.n]
    np.testing.assert_allclose(one, graphs[0].laplacian().toarray(), atol=1e-13)
    assert layers.names == ("one", "two", *(f"feature {j}" for j in range(X.shape[1])))


def test_energies_in_blocks_of_any_size(monkeypatch):
    layers, _, _ = some_layers()
    rng = np.random.default_rng(0)
    Z, G = rng.standard_normal((2, layers.vertices, 5))
    wanted = [np.sum(Z * (L @ G)) for L in laplacians(layers)]
    np.testing.assert_allclose(layers.energies(Z, G), wanted, rtol=1e-12)
    monkeypatch.setattr("graphol.layers.edges.ENTRIES", 35)
    np.testing.assert_allclose(layers.energies(Z, G), wanted, rtol=1e-12)
    np.testing.assert_allclose(
        layers.energies(Z, Z), [np.sum(Z * (L @ Z)) for L in laplacians(layers)]
    )


def test_a_star_is_what_its_elimination_leaves():
    layers, _, X = some_layers(stars=1)
    star = layers.laplacian(np.array([0.0, 0.0, 1.0])).toarray()
    w, n = X[:, 0], layers.n
    schur = star[:n, :n] - np.outer(star[:n, n], star[n, :n]) / star[n, n]
    np.testing.assert_allclose(schur, np.diag(w) - np.outer(w, w) / w.sum(), atol=1e-13)


def test_a_feature_without_nodes_is_left_out_and_columns_are_chosen():
    graph = random_graph(6, 0.5, 0)
    X = np.zeros((6, 4))
    X[2, 1], X[3, 3], X[4, 3] = 1.0, 2.0, 1.0
    assert Layers.of([graph], X).feature.tolist() == [-1, 1, 3]
    layers = Layers.of([graph], X, columns=[3, 0], feature_names=list("abcd"))
    assert layers.names == ("graph", "d") and layers.vertices == 7


def test_some_of_the_layers():
    layers, _, _ = some_layers()
    kept = np.array([False, True, True, False, False, True])
    part = layers.only(kept)
    assert part.names == ("two", "feature 0", "feature 3")
    vertices = np.concatenate([np.arange(layers.n), layers.n + np.flatnonzero(kept[2:])])
    alpha = np.array([0.0, 2.0, 3.0, 0.0, 0.0, 5.0])
    whole = layers.laplacian(alpha).toarray()[np.ix_(vertices, vertices)]
    np.testing.assert_allclose(part.laplacian(alpha[kept]).toarray(), whole)


def test_components_without_layers_of_weight_0():
    a, b = graphol.Graph.from_edges("ac", "bd"), graphol.Graph.from_edges("b", "c", ids="abcd")
    layers = Layers.of([a, b.subgraph(np.array([0, 1, 2, 3]))])
    assert len(set(layers.components(np.array([1.0, 1.0])))) == 1
    assert len(set(layers.components(np.array([1.0, 0.0])))) == 2


def test_what_cannot_be_layers():
    graph = random_graph(6, 0.5, 0, "six")
    with pytest.raises(InputError, match="feature 1 of node 2 is -1; a star needs"):
        Layers.of([graph], [[0, 0], [1, 0], [0, -1], [0, 0], [0, 0], [0, 0]])
    with pytest.raises(InputError, match="seven has 7 nodes and six 6"):
        Layers.of([graph, random_graph(7, 0.5, 0, "seven")])
    with pytest.raises(InputError, match="features of 2 nodes, the graphs have 6"):
        Layers.of([graph], [[1], [1]])
    with pytest.raises(UsageError, match="there must be a graph"):
        Layers.of([])
    with pytest.raises(UsageError, match="columns must be 0 to 0"):
        Layers.of([graph], np.ones((6, 1)), columns=[1])
