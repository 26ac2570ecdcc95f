"""Component by component, against the whole matrix."""

import numpy as np
import pytest

from graphol import Graph
from graphol.linalg.blocks import Blocks, gathered

GRAPH = Graph.from_edges(
    ["a", "b", "c", "p", "q", "x"], ["b", "c", "d", "q", "r", "y"], ids="axbpcqdryz"
)


@pytest.mark.parametrize("kind", ["normalized", "combinatorial"])
def test_blocks_have_the_eigenpairs_of_the_whole(kind):
    blocks = Blocks(GRAPH, kind)
    assert blocks.sizes.tolist() == [4, 3, 2, 1]
    columns = [blocks.zero(j) for j in range(4)]
    for j, size in enumerate(blocks.sizes[:3]):
        columns += blocks.nonzero(j, int(size) - 1, np.random.default_rng(0), None)
    pairs = gathered(blocks, columns, 4)
    V, L = pairs.vectors, GRAPH.laplacian(kind).toarray()
    np.testing.assert_allclose(V.T @ V, np.eye(10), atol=1e-10)
    np.testing.assert_allclose(V @ np.diag(pairs.values) @ V.T, L, atol=1e-10)
    assert pairs.method == "dense"


@pytest.mark.parametrize("kind", ["normalized", "combinatorial"])
def test_components_may_have_a_zero_in_common(kind):
    blocks = Blocks(GRAPH, kind)
    V = blocks.dense([blocks.zero(1, 3)])[:, 0]
    np.testing.assert_allclose(GRAPH.laplacian(kind) @ V, 0, atol=1e-12)
    np.testing.assert_array_equal(V > 0, np.isin(list(GRAPH.ids), list("pqrxyz")))
    assert np.linalg.norm(V) == pytest.approx(1)
