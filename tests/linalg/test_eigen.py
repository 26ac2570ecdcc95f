"""Smallest eigenpairs, component by component, against dense eigendecompositions."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array, eye_array
from scipy.sparse.linalg import eigsh

from graphol import Graph, InputError
from graphol.linalg import connected, eigen
from graphol.linalg.eigen import ResidualWarning, smallest_eigenpairs

KINDS = ["normalized", "combinatorial"]
kinds = pytest.mark.parametrize("kind", KINDS)


def wild(seed, n=14, decades=3):
    """A random graph with several components, isolated nodes and weights over decades."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, n + 1))
    W = np.triu(rng.random((n, n)) < rng.choice([0.1, 0.3]), 1)
    W[0, 1] = True  # a graph has an edge
    W = W * 10.0 ** rng.uniform(-decades, decades, (n, n))
    return Graph(csr_array(W + W.T))


def path(n):
    return Graph.from_edges(range(n - 1), range(1, n))


def grid(k):
    node = np.arange(k * k).reshape(k, k)
    right, down = (node[:, :-1], node[:, 1:]), (node[:-1], node[1:])
    source, target = (
        np.concatenate([a.ravel(), b.ravel()]) for a, b in zip(right, down, strict=True)
    )
    return Graph.from_edges(source.tolist(), target.tolist())


def star(n):
    return Graph.from_edges([0] * (n - 1), range(1, n))


def rng():
    return np.random.default_rng(0)


def check(graph, kind, d, pairs, zero=True, atol=1e-8):
    """Values equal those of dense eigh; so do the projectors onto every separated cluster."""
    L = graph.laplacian(kind).toarray()
    scale = max(1.0, np.abs(L).max())
    values, vectors = np.linalg.eigh(L)
    if not zero:
        values, vectors = values[graph.n_components :], vectors[:, graph.n_components :]
    d = min(d, len(values))
    assert pairs.vectors.shape == (graph.n, d)
    np.testing.assert_allclose(pairs.values, values[:d], atol=atol * scale)
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(d), atol=1e-8)
    error = np.linalg.norm(L @ pairs.vectors - pairs.vectors * pairs.values, axis=0)
    assert error.max() < 10 * atol * scale
    gaps = np.diff(values, append=np.inf)
    ends = np.flatnonzero(gaps[:d] > 1e-3 * scale) + 1
    for end in ends[:: 1 + len(ends) // 20]:  # some twenty of them
        ours = pairs.vectors[:, :end] @ pairs.vectors[:, :end].T
        dense = vectors[:, :end] @ vectors[:, :end].T
        angle = 10 * atol * scale / gaps[end - 1]  # Davis and Kahan: residual / gap
        np.testing.assert_allclose(ours, dense, atol=angle + 1e-9)


@settings(deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 14), kind=st.sampled_from(KINDS))
def test_agrees_with_dense_eigh(seed, d, kind):
    graph = wild(seed)
    for zero in (True, False):
        check(graph, kind, d, smallest_eigenpairs(graph, kind, d, rng(), zero=zero), zero)


@pytest.fixture(params=["shift-invert", "lanczos"])
def sparse(request, monkeypatch):
    """Take the sparse path on small graphs too, by one method or the other."""
    monkeypatch.setattr(connected, "DENSE", 20)
    monkeypatch.setattr(connected, "CHEAP_FILL", 1e9 if request.param == "shift-invert" else 0)
    return request.param


@kinds
@pytest.mark.parametrize(
    "graph",
    [grid(13), star(90), path(100), wild(7, n=400, decades=1)],
    ids=["grid", "star", "path", "wild"],
)
def test_sparse_methods_agree_with_dense_eigh(graph, kind, sparse):
    """Repeated eigenvalues (grid: pairs, star: 88 equal ones) and several components included."""
    pairs = smallest_eigenpairs(graph, kind, 20, rng())
    check(graph, kind, 20, pairs, atol=1e-9 if sparse == "shift-invert" else 2e-4)
    assert pairs.residuals.max() < 1e-3


def test_missed_copies_are_found(monkeypatch):
    """A Lanczos that returns one copy of each eigenvalue only is made to look again."""
    L = np.diag(np.repeat([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [1, 2, 3, 1, 1, 40]))
    honest = connected._lanczos

    def forgetful(apply, found, k, generator, tol):
        values, vectors = honest(apply, found, k + 6, generator, tol)
        order = np.argsort(-values)
        values, vectors = values[order], vectors[:, order]
        first = np.append(True, np.abs(np.diff(values)) > 1e-6)
        return values[first][:k], vectors[:, first][:, :k]

    monkeypatch.setattr(connected, "_lanczos", forgetful)
    found = connected._search(lambda x: 10 * x - L @ x, np.eye(len(L))[0], 6, rng(), 1e-10)
    values = np.sort(np.diag(found.T @ L @ found))[:6]
    np.testing.assert_allclose(values, [1, 1, 2, 2, 2, 3], atol=1e-8)


@kinds
def test_many_components_where_plain_lanczos_fails(kind):
    """One big component and 60 small ones: eigsh on the whole loses zeros, silently."""
    blocks = [grid(26).adjacency] + [path(3 + i % 5).adjacency for i in range(60)]
    graph = Graph(block_diag(blocks, format="csr"))
    pairs = smallest_eigenpairs(graph, kind, 80, rng())
    assert pairs.n_zero == 61
    check(graph, kind, 80, pairs)
    L = graph.laplacian(kind)
    top = 2.0 if kind == "normalized" else 8.0
    plain = eigsh(top * eye_array(graph.n) - L, k=80, which="LA", v0=rng().standard_normal(graph.n))
    assert np.count_nonzero(top - plain[0] < 1e-6) < 61


def test_zero_vectors_are_written_down_larger_components_first():
    graph = Graph.from_edges(["a", "c", "d", "x"], ["b", "d", "e", "y"], ids="abcdexyz")
    normalized = smallest_eigenpairs(graph, "normalized", 3, rng())
    assert normalized.n_zero == 3
    assert not normalized.values.any()
    np.testing.assert_allclose(
        normalized.vectors[:, 0], np.sqrt([0, 0, 0.25, 0.5, 0.25, 0, 0, 0]), atol=1e-15
    )
    every = smallest_eigenpairs(graph, "combinatorial", 4, rng())
    np.testing.assert_allclose(every.vectors[:, 3], np.eye(8)[7], atol=0)  # the isolated node


@kinds
def test_a_component_that_nearly_falls_apart(kind):
    """Two cliques tied by 1e-13: the tie's eigenvalue is positive and its vector the cut."""
    W = np.kron(np.eye(2), np.ones((4, 4)) - np.eye(4))
    W[0, 4] = W[4, 0] = 1e-13
    graph = Graph(csr_array(W))
    pairs = smallest_eigenpairs(graph, kind, 2, rng())
    assert pairs.n_zero == 1
    assert 0 < pairs.values[1] < 1e-12
    assert abs(pairs.vectors[:, 1] @ pairs.vectors[:, 0]) < 1e-12
    np.testing.assert_allclose(np.abs(pairs.vectors[:, 1]), 1 / np.sqrt(8), atol=1e-6)


@kinds
def test_same_seed_same_bits_and_signs_do_not_depend_on_it(kind, sparse):
    graph = path(120)  # simple eigenvalues: vectors are determined up to sign
    one, two = (smallest_eigenpairs(graph, kind, 8, rng()) for _ in range(2))
    assert np.array_equal(one.vectors, two.vectors)
    other = smallest_eigenpairs(graph, kind, 8, np.random.default_rng(99))
    np.testing.assert_allclose(one.vectors, other.vectors, atol=1e-3)
    largest = np.abs(one.vectors).max(axis=0)
    assert np.all(one.vectors.max(axis=0) > 0.98 * largest)


@kinds
def test_scaling_the_weights_scales_the_answer(kind, sparse):
    """Tolerances are relative: a graph in other units has the same eigenvectors."""
    graph = path(120)
    scaled = Graph(graph.adjacency * 1e-6)
    one, two = (smallest_eigenpairs(g, kind, 8, rng()) for g in (graph, scaled))
    factor = 1e-6 if kind == "combinatorial" else 1.0
    np.testing.assert_allclose(two.values, one.values * factor, atol=1e-4 * factor)
    np.testing.assert_allclose(two.vectors, one.vectors, atol=1e-3)


def test_inaccurate_vectors_are_warned_about(monkeypatch):
    monkeypatch.setattr(eigen, "TOLERANCE", 1e-20)
    with pytest.warns(ResidualWarning, match="use fewer dimensions"):
        smallest_eigenpairs(path(10), "normalized", 3, rng())


def test_no_convergence_falls_back_on_shift_invert(monkeypatch):
    """One restart is not enough for plain Lanczos on a path, where a factor costs nothing."""
    monkeypatch.setattr(connected, "CHEAP_FILL", 0)
    graph, calls, honest = path(3000), [], connected._lanczos

    def impatient(apply, found, k, generator, tol):
        calls.append(tol)
        if tol != 1e-8:
            raise InputError("eigenvectors: Lanczos did not converge")
        return honest(apply, found, k, generator, tol)

    monkeypatch.setattr(connected, "_lanczos", impatient)
    pairs = smallest_eigenpairs(graph, "combinatorial", 10, rng())
    np.testing.assert_allclose(
        pairs.values, 2 - 2 * np.cos(np.pi * np.arange(10) / 3000), atol=1e-12
    )
    assert len(calls) > 1


def test_no_convergence_is_one_line():
    L, ones = path(3000).laplacian("combinatorial"), np.ones((3000, 1)) / 3000**0.5
    with pytest.raises(InputError, match=r"Lanczos did not converge .* 3000 nodes; use a smaller"):
        connected._lanczos(lambda x: 4 * x - L @ x, ones, 20, rng(), 1e-10)


@pytest.mark.data
@kinds
def test_full_cora_has_78_zeros_and_agrees_with_dense_eigh(kind, data_dir):
    with np.load(data_dir / "cora.npz") as cora:
        n = int(cora["n"])
        graph = Graph(csr_array((cora["data"], cora["indices"], cora["indptr"]), shape=(n, n)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pairs = smallest_eigenpairs(graph, kind, 150, rng())
    assert pairs.n_zero == 78
    check(graph, kind, 150, pairs)
