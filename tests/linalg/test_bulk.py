"""The edge of a random graph's eigenvalues, against random graphs."""

import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array

from graphol import Graph
from graphol.linalg.bulk import bulk_edges


def drawn(n, degree, seed, weighted=False):
    """A random graph without any structure, dense eigenvalues and all."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) < degree / n, 1).astype(float)
    W *= np.where(rng.random((n, n)) < 0.5, 1.0, 3.0) if weighted else 1.0
    return Graph(csr_array(W + W.T))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("degree", [20, 60])
def test_a_random_graph_has_nothing_far_below(degree, weighted):
    graph = drawn(600, degree, 0, weighted)
    values = np.linalg.eigvalsh(graph.laplacian("normalized").toarray())
    edge = float(bulk_edges(graph)[0])
    assert values[1] == pytest.approx(edge, rel=0.12)
    assert np.count_nonzero(values < edge) < 10


def test_parts_have_their_own():
    one, two = drawn(80, 10, 1), drawn(50, 20, 2, weighted=True)
    both = Graph(block_diag([one.adjacency, two.adjacency], format="csr"))
    parts = np.repeat([0, 1], [80, 50])
    separate = [float(bulk_edges(graph)[0]) for graph in (one, two)]
    np.testing.assert_allclose(bulk_edges(both, parts), separate)


def test_weights_are_compared_with_each_other_only():
    graph = drawn(60, 9, 3, weighted=True)
    np.testing.assert_allclose(bulk_edges(Graph(7 * graph.adjacency)), bulk_edges(graph))


def test_trees_and_isolated_nodes_have_none():
    tree = Graph.from_edges([0, 0, 1, 1], [1, 2, 3, 4], ids=range(7))
    np.testing.assert_array_equal(bulk_edges(tree, tree.components), [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(bulk_edges(tree, least=0.1), [0.1])
