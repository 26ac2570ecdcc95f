"""Block Lanczos against dense eigendecompositions, repeated eigenvalues above all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphol import InputError
from graphol.linalg import block_lanczos
from graphol.linalg.block_lanczos import largest_eigenpairs


def rng():
    return np.random.default_rng(0)


def operator(values, seed=0):
    """A with these eigenvalues and 0, whose eigenvector comes second."""
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values) + 1,) * 2))[0]
    return Q[:, 1:] * values @ Q[:, 1:].T, Q[:, 0]


def run(A, z, k, tol=1e-9, count=True):
    """The k largest; ``count`` says truly how many are missing, else nobody knows."""
    every = np.linalg.eigvalsh(A)[1:]

    def missing(values):
        least = values.min() * (1 + 1e-4)
        return int(np.sum(every > least) - np.sum(values > least)) if count else 1

    return largest_eigenpairs(lambda X: A @ X, z, k, rng(), tol, missing)


def check(A, z, k, found, tol=1e-9):
    exact = np.linalg.eigvalsh(A)[::-1][:k]
    np.testing.assert_allclose(found.values, exact, rtol=1e-9)
    X = found.vectors
    np.testing.assert_allclose(X.T @ X, np.eye(k), atol=1e-12)
    assert np.abs(z @ X).max() < 1e-12
    assert np.linalg.norm(A @ X - X * found.values, axis=0).max() <= 2 * tol * found.values[0]


@given(seed=st.integers(0, 10**6), n=st.integers(2, 90), part=st.floats(0, 1))
def test_agrees_with_dense_eigh(seed, n, part):
    """From one vector to all of them: also where the basis fills the whole space."""
    draw = np.random.default_rng(seed)
    A, z = operator(np.sort(draw.uniform(0.1, 5, n) ** draw.integers(1, 4)), seed)
    k = 1 + int(part * (n - 1))
    check(A, z, k, run(A, z, k))


@pytest.mark.parametrize("count", [True, False], ids=["counted", "not counted"])
def test_more_copies_than_the_block_is_wide(count):
    """40 copies of the largest, 20 of the next: a block of 8 sees 8 of each, then is widened."""
    values = np.concatenate([np.full(40, 3.0), np.full(20, 2.0), np.linspace(0.1, 1.5, 240)])
    A, z = operator(values)
    check(A, z, 50, run(A, z, 50, count=count))


def test_copies_that_nobody_misses_are_lost():
    """The same without asking: they are lost, so the test above tests something."""
    values = np.concatenate([np.full(40, 3.0), np.full(20, 2.0), np.linspace(0.1, 1.5, 240)])
    A, z = operator(values)
    found = largest_eigenpairs(lambda X: A @ X, z, 12, rng(), 1e-4, lambda values: 0)
    assert found.values[-1] < 2.5


def test_few_distinct_eigenvalues():
    """The Krylov space ends after two blocks; fresh vectors go on."""
    A, z = operator(np.repeat([1.0, 2.0], [60, 41]))
    check(A, z, 45, run(A, z, 45))


def test_the_basis_is_cut_down_and_goes_on(monkeypatch):
    monkeypatch.setattr(block_lanczos, "BLOCK", 2)
    A, z = operator(np.linspace(1, 2, 400))
    cuts = []
    honest = block_lanczos._Basis.cut_down
    monkeypatch.setattr(
        block_lanczos._Basis, "cut_down", lambda basis, k: (cuts.append(k), honest(basis, k))
    )
    check(A, z, 4, run(A, z, 4))
    assert len(cuts) > 3
    monkeypatch.setattr(block_lanczos, "RESTARTS", 2)
    with pytest.raises(InputError, match=r"Lanczos did not converge .* 401 nodes; use a smaller"):
        run(A, z, 4)


def test_a_count_that_is_wrong_does_not_go_on_for_ever():
    A, z = operator(np.linspace(0.1, 3, 200))
    found = largest_eigenpairs(lambda X: A @ X, z, 12, rng(), 1e-9, lambda values: 7)
    check(A, z, 12, found)


def test_same_seed_same_bits():
    A, z = operator(np.repeat(np.linspace(0.1, 3, 30), 10))
    one, two = run(A, z, 35), run(A, z, 35)
    assert np.array_equal(one.vectors, two.vectors)
