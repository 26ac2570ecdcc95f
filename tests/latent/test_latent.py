"""The clique and the line against dense algebra."""

import numpy as np
import pytest

from graphol import Clique, Graph, Line, UsageError

PAIRS = {
    Clique: lambda p: [(i, j) for i in range(p) for j in range(i)],
    Line: lambda p: [(i, i + 1) for i in range(p - 1)],
}


@pytest.mark.parametrize("p", [2, 3, 8, 41])
@pytest.mark.parametrize("kind", PAIRS)
def test_equals_the_pseudo_inverse(kind, p):
    graph = Graph.from_edges(*map(list, zip(*PAIRS[kind](p), strict=True)))
    order = [graph.index(v) for v in range(p)]
    P = np.linalg.pinv(graph.laplacian("combinatorial").toarray())[np.ix_(order, order)]
    latent = kind(vertices=p)
    K = np.array([latent.gram(j, np.arange(p)) for j in range(p)])
    np.testing.assert_allclose(K, P + P.diagonal().max(), atol=1e-11)
    assert latent.rho == pytest.approx(2 * P.diagonal().max())


@pytest.mark.parametrize("kind", PAIRS)
def test_one_context_is_too_few(kind):
    with pytest.raises(UsageError, match="of contexts has"):
        kind(vertices=1)
