"""What every embedding promises."""

from __future__ import annotations

import attrs
import numpy as np

from graphol.api import Embedding, Features, Matrix
from graphol.graph import Graph
from graphol.testing.games import blocks


def _graph(seed: int = 0) -> Graph:
    graph = blocks(30, seed=seed)
    pixels = np.random.default_rng(seed).random((30, 5))
    return attrs.evolve(graph, features=pixels)


def _gram(features: Features, n: int) -> Matrix:
    everyone = np.arange(n)
    return np.stack([features.gram(i, everyone) for i in range(n)])


def _embed(embedding: Embedding, graph: Graph, seed: int = 0) -> Features:
    return embedding.embed(graph, np.random.default_rng(seed))


def is_finite_everywhere(embedding: Embedding) -> None:
    """No silent NaN, isolated nodes and several components included."""
    graph = _graph()
    features = _embed(embedding, graph)
    assert np.isfinite(_gram(features, graph.n)).all(), "kernel entries are not finite"
    if features.rows is not None:
        assert features.rows.shape[0] == graph.n and np.isfinite(features.rows).all()


def gram_is_symmetric_and_positive(embedding: Embedding) -> None:
    """It is a kernel, which every bound in the literature assumes."""
    graph = _graph()
    G = _gram(_embed(embedding, graph), graph.n)
    scale = max(1.0, float(abs(G).max()))
    assert np.allclose(G, G.T, atol=1e-8 * scale), "not symmetric"
    lowest = float(np.linalg.eigvalsh((G + G.T) / 2)[0])
    assert lowest > -1e-8 * scale, f"eigenvalue {lowest:.3g}"


def rows_agree_with_gram(embedding: Embedding) -> None:
    """Vector learners and kernel learners see the same nodes."""
    graph = _graph()
    features = _embed(embedding, graph)
    if features.rows is not None:
        G = _gram(features, graph.n)
        assert np.allclose(features.rows @ features.rows.T, G, atol=1e-8 * max(1.0, abs(G).max()))


def rows_are_ready_for_the_kernels(embedding: Embedding) -> None:
    """Compiled learners take C-contiguous float64, and nobody may change it."""
    rows = _embed(embedding, _graph()).rows
    if rows is not None:
        assert rows.dtype == np.float64 and rows.flags.c_contiguous and not rows.flags.writeable


def relabelling_permutes_the_gram_matrix(embedding: Embedding) -> None:
    """The order in which a file lists its nodes does not matter."""
    graph = _graph()
    p = np.random.default_rng(1).permutation(graph.n)
    one = _gram(_embed(embedding, graph), graph.n)
    two = _gram(_embed(embedding, graph.subgraph(p)), graph.n)
    assert np.allclose(two, one[np.ix_(p, p)], atol=1e-6 * max(1.0, abs(one).max()))


def same_seed_same_features(embedding: Embedding) -> None:
    """Results can be repeated."""
    graph = _graph()
    one, two = (_gram(_embed(embedding, graph), graph.n) for _ in range(2))
    assert np.array_equal(one, two)


CHECKS = [
    is_finite_everywhere,
    gram_is_symmetric_and_positive,
    rows_agree_with_gram,
    rows_are_ready_for_the_kernels,
    relabelling_permutes_the_gram_matrix,
    same_seed_same_features,
]
