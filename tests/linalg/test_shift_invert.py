"""Shift-invert on graphs whose eigenvalues are known in closed form."""

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array, kron

from graphol import Graph, InputError
from graphol.linalg import memory
from graphol.linalg import shift_invert as module
from graphol.linalg.shift_invert import shift_invert


def rng():
    return np.random.default_rng(0)


def line(n):
    return diags_array([1.0, 1.0], offsets=[-1, 1], shape=(n, n))


def solve(graph, kind, k):
    """Values and vectors, which are orthonormal and have small residuals."""
    L = graph.laplacian(kind)
    r = np.ones(graph.n) if kind == "combinatorial" else np.sqrt(graph.degrees)
    values, X = shift_invert(L, r, k, rng())
    np.testing.assert_allclose(X.T @ X, np.eye(k), atol=1e-10)
    assert np.abs(r @ X).max() < 1e-10 * np.linalg.norm(r)
    errors = np.linalg.norm(L @ X - X * values, axis=0)
    assert errors.max() <= 2e-6 * values[-1] + 1e-13
    return values


def test_normalised_path():
    """1 - cos(π j / (n - 1)), from 1e-8 on: a shift of 1e-3 would make them all alike."""
    n, k = 20_000, 40
    values = solve(Graph(csr_array(line(n))), "normalized", k)
    np.testing.assert_allclose(values, 2 * np.sin(np.pi * np.arange(1, k + 1) / (2 * n - 2)) ** 2,
                               rtol=1e-7)  # fmt: skip


@pytest.mark.parametrize("shape", [(40, 40), (25, 61)])
def test_combinatorial_grid(shape):
    """Sums of two paths' eigenvalues, in pairs on the square."""
    a, b = shape
    A = kron(line(a), diags_array(np.ones(b))) + kron(diags_array(np.ones(a)), line(b))
    one, other = (2 - 2 * np.cos(np.pi * np.arange(m) / m) for m in shape)
    exact = np.sort((one[:, None] + other).ravel())[1:61]
    np.testing.assert_allclose(solve(Graph(csr_array(A)), "combinatorial", 60), exact, rtol=1e-9)


def spider(arms, length):
    """Equal paths that meet in one node: every second eigenvalue arms - 1 times."""
    node = 1 + np.arange(arms * length).reshape(arms, length)
    source = np.hstack([np.zeros((arms, 1), int), node[:, :-1]])
    return Graph.from_edges(source.ravel().tolist(), node.ravel().tolist())


@pytest.mark.parametrize("kind", ["normalized", "combinatorial"])
def test_more_copies_than_a_block_is_wide(kind):
    """30 arms: the smallest eigenvalue 29 times. ARPACK returns fewer without a word."""
    graph = spider(30, 25)
    values = solve(graph, kind, 70)
    exact = np.linalg.eigvalsh(graph.laplacian(kind).toarray())[1:71]
    np.testing.assert_allclose(values, exact, rtol=1e-8)
    assert np.ptp(exact[:29]) < 1e-12


def test_balanced_binary_tree():
    """2, 4, 8 ... copies."""
    n = 2**11 - 1
    graph = Graph.from_edges(range(1, n), [(i - 1) // 2 for i in range(1, n)])
    exact = np.linalg.eigvalsh(graph.laplacian("normalized").toarray())[1:101]
    np.testing.assert_allclose(solve(graph, "normalized", 100), exact, rtol=1e-8)


def test_what_is_missing_is_counted():
    """A path of 300 has simple eigenvalues: leave some out and their number comes back."""
    L = Graph(csr_array(line(300))).laplacian("combinatorial")
    values = 2 - 2 * np.cos(np.pi * np.arange(1, 21) / 300)
    assert module._missing(L, 0.0, 1 / values) == 0
    assert module._missing(L, 0.5, 1 / (np.delete(values, [0, 5, 9]) + 0.5)) == 3


def test_weights_over_many_decades_take_a_shift(monkeypatch):
    """A tie of 1e-16: no digit of its eigenvalue is known, but all vectors are good."""
    monkeypatch.setattr(module, "ENOUGH", 1e-9)
    weights = np.ones(399)
    weights[200] = 1e-16
    A = diags_array([weights, weights], offsets=[-1, 1], shape=(400, 400))
    graph = Graph(csr_array(A))
    L = graph.laplacian("combinatorial")
    values, X = shift_invert(L, np.ones(400), 12, rng())
    exact = np.linalg.eigvalsh(L.toarray())[1:13]
    np.testing.assert_allclose(values, exact, atol=1e-9)
    assert np.linalg.norm(L @ X - X * values, axis=0).max() < 1e-6


@pytest.mark.parametrize("decades", [6, 40])
@pytest.mark.parametrize("kind", ["normalized", "combinatorial"])
def test_weights_over_many_decades_agree_with_dense_eigh(decades, kind):
    draw = np.random.default_rng(decades)
    for _ in range(4):
        W = np.triu(draw.random((60, 60)) < 0.1, 1) * 10.0 ** draw.uniform(
            -decades, decades, (60, 60)
        )
        graph = Graph(csr_array(W + W.T)).largest_component()
        L = graph.laplacian(kind)
        r = np.ones(graph.n) if kind == "combinatorial" else np.sqrt(graph.degrees)
        values, X = shift_invert(L, r, 12, rng())
        mean = L.diagonal().mean()
        exact = np.linalg.eigvalsh(L.toarray())[1:13]
        np.testing.assert_allclose(values, exact, atol=1e-6 * mean)
        np.testing.assert_allclose(X.T @ X, np.eye(12), atol=1e-8)


def test_a_basis_that_cannot_fit_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 1e6)
    with pytest.raises(InputError, match="a Krylov basis of 2000 nodes needs about"):
        solve(Graph(csr_array(line(2000))), "normalized", 20)
