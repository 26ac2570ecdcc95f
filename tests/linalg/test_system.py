"""The null space of a Laplacian plus a diagonal, in closed form, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, diags_array

from graphol import InputError
from graphol.linalg.system import LaplacianSystem


def wild(seed, n=12):
    """A random Laplacian: several components, isolated nodes, weights over six decades."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, n + 1))
    W = np.triu(rng.random((n, n)) < rng.choice([0.1, 0.3]), 1) * 10.0 ** rng.uniform(-3, 3, (n, n))
    W = W + W.T
    return np.diag(W.sum(axis=1)) - W, rng


@given(seed=st.integers(0, 10**6))
def test_null_space_is_that_of_each_block(seed):
    """Against eigh of every connected block: a block is singular iff it got no diagonal."""
    L, rng = wild(seed)
    added = (rng.random(len(L)) < 0.2) * 10.0 ** rng.uniform(-2, 2, len(L))
    system = LaplacianSystem.of(L + np.diag(added))
    N = system.null.toarray()
    np.testing.assert_allclose(N @ N.T, np.eye(len(N)), atol=1e-12)
    reached = np.linalg.matrix_power(np.eye(len(L)) + (L != 0), len(L)) > 0  # same component
    alone = ~np.any(reached & (added > 0), axis=1)  # in a component without diagonal
    blocks = {tuple(np.flatnonzero(row)) for row in reached[alone]}
    assert len(N) == len(blocks)
    for block in blocks:
        indicator = np.isin(np.arange(len(L)), block) / np.sqrt(len(block))
        np.testing.assert_allclose(N.T @ (N @ indicator), indicator, atol=1e-12)


@given(seed=st.integers(0, 10**6))
def test_grounded_is_positive_definite_and_keeps_solutions(seed):
    L, rng = wild(seed)
    system = LaplacianSystem.of(L)
    np.linalg.cholesky(system.grounded().toarray())
    scale = np.abs(L).max() or 1.0
    b = L @ rng.standard_normal(len(L)) / scale
    x = np.linalg.solve(system.grounded().toarray() / scale, system.accept(b)[:, 0])
    np.testing.assert_allclose(L @ x / scale, b, atol=1e-6 * np.linalg.norm(b))


def test_rounding_in_a_hub_does_not_make_it_regular():
    """A star with 20000 rays of awkward weight: its row sums are zero only up to rounding."""
    n = 20_000
    w = np.random.default_rng(0).random(n) * 1e3
    star = csr_array((w, (np.zeros(n, int), np.arange(1, n + 1))), shape=(n + 1, n + 1))
    S = star + star.T
    assert LaplacianSystem.of(diags_array(S.sum(axis=1)) - S).null.shape[0] == 1


BAD_MATRICES = {
    "NaN or infinity": [[1, -1], [-1, np.nan]],
    "not symmetric": [[1, -1], [0, 1]],
    "positive entry off": [[1, 1], [1, 1]],
    "sums to": [[1, -2], [-2, 2]],
    "square": [[1, -1, 0], [-1, 1, 0]],
}


@pytest.mark.parametrize(("message", "A"), BAD_MATRICES.items())
def test_bad_matrices_are_refused(message, A):
    with pytest.raises(InputError, match=message) as refusal:
        LaplacianSystem.of(np.array(A, dtype=float))
    assert "\n" not in str(refusal.value)


BAD_SIDES = {
    "NaN or infinity": [1.0, np.nan, 0.0],
    "must have 3 rows": [1.0, -1.0],
    "sum to 0": [1.0, 0.0, 5.0],
}


@pytest.mark.parametrize(("message", "b"), BAD_SIDES.items())
def test_bad_right_hand_sides_are_refused(message, b):
    system = LaplacianSystem.of([[1, -1, 0], [-1, 1, 0], [0, 0, 2]])
    with pytest.raises(InputError, match=message) as refusal:
        system.accept(b)
    assert "\n" not in str(refusal.value)


def test_residual_is_the_worst_column():
    system = LaplacianSystem.of(np.eye(2))
    X = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    B = np.array([[1.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
    assert system.residual(X, B) == 0.5
