"""Dimensions shared among components, against dense eigenvectors and against counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array

from graphol import Graph
from graphol.linalg import shares
from graphol.linalg.shares import apportion, shared_eigenpairs


def rng():
    return np.random.default_rng(0)


def block_model(sizes, seed=0, inside=0.5, across=0.02):
    """Dense inside, a few ties between."""
    draw = np.random.default_rng(seed)
    label = np.repeat(np.arange(len(sizes)), sizes)
    W = np.triu(
        draw.random((len(label),) * 2) < np.where(label[:, None] == label, inside, across), 1
    )
    return csr_array(W + W.T, dtype=float)


def path(n):
    line = np.diag(np.ones(n - 1), 1)
    return csr_array(line + line.T)


def joined(*parts):
    return Graph(block_diag(parts, format="csr"))


def projector(V):
    return V @ V.T


counts = st.lists(st.integers(1, 40), min_size=1, max_size=8).map(lambda s: np.sort(s)[::-1])


@given(sizes=counts, seats=st.integers(0, 60))
def test_seats_go_to_the_worthiest(sizes, seats):
    given = apportion(sizes, sizes, seats)
    assert given.sum() == min(seats, sizes.sum())
    worths = sorted((s / i**2 for s in sizes for i in range(1, s + 1)), reverse=True)
    pairs = zip(sizes, given, strict=True)
    taken = sorted((s / i**2 for s, k in pairs for i in range(1, k + 1)), reverse=True)
    np.testing.assert_allclose(taken, worths[: len(taken)])
    assert not given[np.count_nonzero(given) :].any(), "those without are the smallest"


@given(seed=st.integers(0, 10**6), dim=st.integers(1, 20))
def test_they_are_eigenpairs_of_the_whole(seed, dim):
    draw = np.random.default_rng(seed)
    W = np.triu(draw.random((18, 18)) < 0.1, 1) * draw.uniform(0.1, 10, (18, 18))
    W[0, 1] = 1.0
    graph = Graph(csr_array(W + W.T))
    for kind in ("normalized", "combinatorial"):
        found = shared_eigenpairs(graph, kind, dim, rng())
        V, values = found.pairs.vectors, found.pairs.values
        assert V.shape == (18, min(dim, 18))
        np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-8)
        np.testing.assert_allclose(
            graph.laplacian(kind) @ V, V * values, atol=1e-8 * (1 + values.max())
        )
        assert not values[: found.pairs.n_zero].any()
        assert (found.stand_in > 0).all()
        assert found.blank == np.count_nonzero(~V.any(axis=1))


def test_pieces_take_nothing_from_a_large_component():
    """Its share is what it would have had alone, and the pieces are told to be left out."""
    large = block_model([60, 60, 60])
    graph = joined(large, *[path(2)] * 6, *[csr_array((1, 1))] * 5)
    found = shared_eigenpairs(graph, "normalized", 3, rng())
    exact = np.linalg.eigh(Graph(large).laplacian("normalized").toarray())[1][:, :3]
    V = found.pairs.vectors
    np.testing.assert_allclose(projector(V[:180]), projector(exact), atol=1e-8)
    assert (found.loose, found.blank, found.crowded) == (0, 17, 12)


def test_small_components_have_one_dimension_in_common_if_it_is_worth_it():
    graph = joined(block_model([20, 20]), *[path(3)] * 10)
    found = shared_eigenpairs(graph, "combinatorial", 4, rng())
    last = found.pairs.vectors[:, found.pairs.n_zero - 1]
    np.testing.assert_allclose(last, np.repeat([0, 30**-0.5], [40, 30]))
    assert (found.loose, found.blank, found.crowded) == (30, 0, 30)


@pytest.mark.parametrize(("kind", "most"), [("normalized", 9 + 4), ("combinatorial", 40)])
def test_auto_finds_the_blocks(kind, most):
    """One vector per block, the constant among them, and log2(540 / 32) more for safety."""
    graph = Graph(block_model([60] * 9, inside=0.3, across=0.01))
    found = shared_eigenpairs(graph, kind, None, rng())
    assert 9 <= len(found.pairs.values) <= most
    exact = np.linalg.eigh(graph.laplacian(kind).toarray())[1]
    P = projector(found.pairs.vectors)
    np.testing.assert_allclose(P, projector(exact[:, : len(found.pairs.values)]), atol=1e-8)


def test_auto_gives_every_component_what_it_needs():
    one, two = block_model([50] * 4, 1, 0.3, 0.01), block_model([50] * 3, 2, 0.3, 0.01)
    graph = joined(one, two, path(5), path(2), csr_array((1, 1)), csr_array((1, 1)))
    found = shared_eigenpairs(graph, "normalized", None, rng())
    P = projector(found.pairs.vectors)
    alone = shared_eigenpairs(Graph(one), "normalized", 4 + 2, rng()).pairs.vectors  # 200 / 32
    np.testing.assert_allclose(P[:200, :200], projector(alone), atol=1e-8)
    assert np.trace(P[200:350, 200:350]).round(6) in (4, 5)  # 3 blocks, log2(150 / 32)
    assert np.trace(P[350:355, 350:355]).round(6) == 2  # it bends once
    np.testing.assert_allclose(P[355:, 355:], block_diag([np.full((2, 2), 0.5)] * 2).toarray())
    assert (found.loose, found.blank, found.crowded) == (2, 0, 0)


def test_small_graphs_are_used_up():
    for n in (2, 5, 8):
        assert shared_eigenpairs(Graph(path(n)), "normalized", None, rng()).pairs.values.shape == (
            n,
        )


def test_smooth_graphs_have_more_to_tell_than_fits():
    assert len(shared_eigenpairs(Graph(path(1500)), "normalized", None, rng()).pairs.values) == 100


def test_a_large_component_gets_a_glance_first(monkeypatch):
    """Where its first vectors are enough nothing else is computed, and nothing changes."""
    graph, asked = Graph(block_model([60] * 3)), []
    slow = shared_eigenpairs(graph, "normalized", None, rng())
    honest = shares.Blocks.nonzero

    def counting(self, j, k, *others):
        asked.append(k)
        return honest(self, j, k, *others)

    monkeypatch.setattr(shares.Blocks, "nonzero", counting)
    monkeypatch.setattr(shares, "LARGE", 100)
    fast = shared_eigenpairs(graph, "normalized", None, rng())
    np.testing.assert_allclose(fast.pairs.values, slow.pairs.values)
    shared_eigenpairs(Graph(path(1500)), "normalized", None, rng())
    assert asked == [20, 20, 99]


def test_what_is_too_much_is_shared(monkeypatch):
    monkeypatch.setattr(shares, "DIM", 12)
    monkeypatch.setattr(shares, "MOST_NUMBERS", 0)
    graph = joined(path(800), *[path(4)] * 30, *[path(2)] * 4)
    found = shared_eigenpairs(graph, "normalized", None, rng())
    assert len(found.pairs.values) == 12
    assert (found.loose, found.crowded) == (128, 128)
    assert found.pairs.n_zero == 2


def test_the_constant_of_a_small_component_weighs_more():
    graph = joined(block_model([40, 40]), block_model([40, 40]), path(3))
    whole, _, small = shared_eigenpairs(graph, "normalized", 20, rng()).stand_in
    alone = shared_eigenpairs(Graph(block_model([40, 40])), "normalized", 9, rng())
    values = alone.pairs.values[1:]
    assert alone.stand_in == pytest.approx(np.sqrt(values[0] * np.median(values)))
    assert whole < alone.stand_in[0]
    assert small == pytest.approx((3 / 163) ** 0.25)
