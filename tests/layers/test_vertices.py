"""Feature vertices: what a graph says of its nodes with them and without them."""

from __future__ import annotations

import numpy as np
import pytest

from graphol import Graph, InputError, UsageError
from graphol.layers.vertices import eliminated, is_feature, stars, with_vertices


def with_stars(rng, n=12, m=4):
    ring = Graph.from_edges(range(n), [(i + 1) % n for i in range(n)], rng.random(n) + 0.1,
                            labels=np.arange(n) % 2)  # fmt: skip
    X = (rng.random((n, m)) < 0.5) * rng.random((n, m))
    names = [f"f{j}" for j in range(m)]
    whole = with_vertices(ring, names)
    A = whole.adjacency + stars(X, names, "toy")
    return Graph(A, labels=whole.labels, ids=whole.ids), X


def test_eliminating_is_the_schur_complement():
    graph, X = with_stars(np.random.default_rng(0))
    L, gone = graph.laplacian().toarray(), is_feature(graph)
    wanted = (
        L[~gone][:, ~gone] - L[~gone][:, gone] @ np.linalg.inv(L[gone][:, gone]) @ L[gone][:, ~gone]
    )
    found = eliminated(graph, gone)
    np.testing.assert_allclose(found.laplacian().toarray(), wanted, atol=1e-12)
    assert found.ids == tuple(range(12)) and found.labels.tolist() == [0, 1] * 6
    w = X[:, 0]  # one star alone: diag(w) - w w' / sum w
    star = Graph(stars(w[:, None], ["f"], "toy"), ids=(*range(12), ("feature", "f")))
    np.testing.assert_allclose(
        eliminated(star, is_feature(star)).laplacian().toarray(),
        np.diag(w) - np.outer(w, w) / w.sum(), atol=1e-12,
    )  # fmt: skip


def test_new_vertices_have_neither_label_nor_edge():
    graph = Graph.from_edges("ab", "bc", labels=[0, 1, 0], features=[[1], [2], [3]])
    more = with_vertices(graph, ["x", "y"])
    assert more.ids[3:] == (("feature", "x"), ("feature", "y"))
    assert more.labels.tolist() == [0, 1, 0, -1, -1] and more.degrees.tolist() == [1, 2, 1, 0, 0]
    assert more.features.toarray().ravel().tolist() == [1, 2, 3, 0, 0]
    assert is_feature(more).tolist() == [False] * 3 + [True] * 2
    assert with_vertices(graph, []) is graph


def test_refused():
    graph, _ = with_stars(np.random.default_rng(1))
    with pytest.raises(UsageError, match=r"up to .* edges, at most 20 are made; leave --eliminate"):
        eliminated(graph, is_feature(graph), most=20)
    with pytest.raises(UsageError, match="edges to each other cannot be eliminated"):
        eliminated(graph, np.arange(graph.n) < 2)
    with pytest.raises(InputError, match="toy: feature b has a value -1, and 1 value"):
        stars([[1.0, 0.0], [0.0, -1.0]], ["a", "b"], "toy")
    with pytest.raises(InputError, match="toy: no node has a feature"):
        stars(np.zeros((2, 2)), ["a", "b"], "toy")


def test_a_feature_has_one_vertex():
    once = with_vertices(Graph.from_edges("ab", "bc"), ["tea", "ice"])
    with pytest.raises(InputError, match=r"has a vertex \('feature', 'ice'\) already"):
        with_vertices(once, ["ice", "milk"])
