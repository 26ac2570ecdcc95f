"""Lanczos from one vector against dense eigendecompositions, repeated eigenvalues above all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from graphol import Graph, InputError
from graphol.linalg import lanczos
from graphol.linalg.lanczos import Basis, lanczos_eigenvectors, smallest_beyond


def rng():
    return np.random.default_rng(0)


def operator(values, seed=0):
    """A matrix with these eigenvalues and 0, and the unit vector of 0."""
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values) + 1,) * 2))[0]
    return Q[:, 1:] * values @ Q[:, 1:].T, Q[:, 0]


def check(values, k, tol, seed=0):
    """The k smallest Ritz values are those of A; the vectors have residuals up to tol."""
    A, z = operator(np.asarray(values), seed)
    found = lanczos_eigenvectors(csr_array(A), z, k, float(max(values)), rng(), tol)
    Q = np.linalg.qr(np.column_stack([z, found]))[0][:, 1:]
    theta, C = np.linalg.eigh(Q.T @ A @ Q)
    np.testing.assert_allclose(theta[:k], np.sort(values)[:k], atol=tol)
    X = Q @ C[:, :k]
    assert np.linalg.norm(A @ X - X * theta[:k], axis=0).max() <= 1.1 * tol
    np.testing.assert_allclose(found.T @ found, np.eye(found.shape[1]), atol=1e-4)
    assert np.abs(z @ found).max() < 1e-4


@pytest.mark.parametrize("tol", [1e-3, 1e-9], ids=["single", "double"])
@given(seed=st.integers(0, 10**6), n=st.integers(2, 90), part=st.floats(0, 1))
def test_agrees_with_dense_eigh(tol, seed, n, part):
    """From one vector to all of them: also where the basis fills the whole space."""
    draw = np.random.default_rng(seed)
    check(draw.uniform(0.1, 1, n), 1 + int(part * (n - 1)), tol, seed)


@pytest.mark.parametrize(
    ("copies", "tol"), [(2, 1e-3), (3, 1e-3), (12, 1e-3), (2, 1e-6), (3, 1e-6)]
)
def test_every_copy_of_a_repeated_eigenvalue_is_found(copies, tol):
    """Beside a bulk that keeps the Krylov space from ending, so that one vector sees one copy."""
    values = np.concatenate([np.repeat([0.1, 0.2], copies), [0.3], np.linspace(0.6, 1, 600)])
    check(values, 2 * copies + 1, tol)


def test_few_distinct_eigenvalues():
    """The Krylov space ends after two vectors; fresh ones go on."""
    check(np.repeat([0.5, 1.0], [60, 41]), 45, 1e-3)


def test_missed_copies_are_found(monkeypatch):
    """A search that returns one copy of each eigenvalue only is made to look again."""
    values = np.repeat([0.1, 0.2, 0.3, 0.4, 0.5], [2, 3, 1, 1, 40])
    honest, calls = Basis.search, []

    def forgetful(basis, k, generator, tol):
        calls.append(k)
        honest(basis, k + 6, generator, tol)
        first = np.append(True, np.diff(basis.theta) > 1e-5)
        basis.theta, basis.S = basis.theta[first], basis.S[:, first]
        return basis.theta[:k]

    monkeypatch.setattr(Basis, "search", forgetful)
    check(values, 5, 1e-3)
    assert len(calls) > 1
    monkeypatch.setattr(lanczos, "smallest_beyond", lambda *arguments: 1.0)
    with pytest.raises(AssertionError, match="Mismatched elements"):
        check(values, 5, 1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_whether_there_is_more_is_told_in_few_steps(dtype):
    """One eigenvalue below a bulk of 2000, found or not; and a space that is soon exhausted."""
    values = np.append(np.linspace(0.25, 1, 2000), 0.02).astype(dtype)
    n = np.arange(2001)
    A, units = csr_array((values, (n, n))), np.eye(2001, dtype=dtype)
    assert smallest_beyond(A, units[:1], 36, rng()) < 0.05
    assert smallest_beyond(A, units[-1:], 36, rng()) >= 0.25
    half = csr_array(0.5 * np.eye(5, dtype=dtype))
    assert smallest_beyond(half, units[:1, :5], 36, rng()) == pytest.approx(0.5, abs=1e-6)
    assert smallest_beyond(half, units[:5, :5], 36, rng()) == np.inf


def path(n):
    return Graph.from_edges(range(n - 1), range(1, n)).laplacian("combinatorial")


def test_no_convergence_is_one_line_and_foretold(monkeypatch):
    products = []
    honest = Basis.step
    monkeypatch.setattr(Basis, "step", lambda basis, q: products.append(1) or honest(basis, q))
    with pytest.raises(InputError, match=r"Lanczos did not converge .* 3000 nodes; use a smaller"):
        lanczos_eigenvectors(path(3000), np.ones(3000) / 3000**0.5, 20, 4.0, rng(), 1e-10)
    assert len(products) < lanczos.STEPS / 2


def test_the_basis_is_cut_down_and_goes_on(monkeypatch):
    cuts = []
    honest = Basis.cut_down
    monkeypatch.setattr(Basis, "cut_down", lambda basis, k: cuts.append(k) or honest(basis, k))
    check(np.linspace(0.1, 1, 800) ** 2, 12, 1e-3)
    assert len(cuts) > 1


def test_the_basis_stays_orthogonal_though_every_other_vector_is_trusted():
    """Eigenvalues far out converge early, which is when plain Lanczos loses orthogonality."""
    values = np.concatenate([[0.001, 0.1, 0.2], np.linspace(0.4, 1, 900)])
    A, z = operator(values)
    basis = Basis.beside(z[None].astype(np.float32), csr_array(A.astype(np.float32)), 20)
    q, trusted = basis.random(rng()), 0
    for _ in range(120):
        w, size = basis.step(q)
        trusted += not basis.clean
        q = w / np.float32(size)
    V = basis.V[: basis.m].astype(float)
    np.testing.assert_allclose(V @ V.T, np.eye(basis.m), atol=2e-5)
    assert trusted > 40


def test_same_seed_same_bits():
    A, z = operator(np.repeat(np.linspace(0.1, 1, 30), 10))
    one, two = (lanczos_eigenvectors(csr_array(A), z, 15, 1.0, rng(), 1e-3) for _ in range(2))
    assert np.array_equal(one, two)
