"""The sampled factor: exact on trees, right on average, as good as another implementation."""

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array, kron

from graphol.linalg.approx_chol import approximate_factor
from graphol.linalg.solvers.approx_chol import ApproximateCholesky
from graphol.linalg.system import LaplacianSystem


def inverse(system, seed=0):
    """M^-1 as a dense matrix, applied to all unit vectors at once and one by one."""
    factor = approximate_factor(system, seed)
    n = system.A.shape[0]
    Z = np.empty((n, n))
    factor.apply(np.eye(n), Z)
    one = np.empty((n, 1))
    factor.apply(np.eye(n)[:, :1].copy(), one)
    np.testing.assert_allclose(one[:, 0], Z[:, 0], atol=1e-12)
    return Z


def test_trees_are_factorised_exactly():
    rng = np.random.default_rng(0)
    parents = rng.integers(0, np.arange(1, 80))
    W = np.zeros((80, 80))
    W[np.arange(1, 80), parents] = rng.uniform(0.1, 10, 79)
    W = W + W.T
    A = np.diag(W.sum(axis=1) + np.eye(80)[3]) - W  # one edge to the ground: still a tree
    found = inverse(LaplacianSystem.of(A)) / W.max()  # the factor is that of A / max
    np.testing.assert_allclose(found, np.linalg.inv(A), rtol=1e-8)


def test_the_factorised_matrix_is_right_on_average():
    """Sampling keeps expectations: the mean of M over many seeds is A."""
    rng = np.random.default_rng(1)
    W = np.triu(rng.uniform(0.2, 2, (7, 7)), 1)
    W = W + W.T
    A = np.diag(W.sum(axis=1) + rng.uniform(0.5, 1, 7)) - W
    system = LaplacianSystem.of(A)
    scale = W.max()
    found = np.array([np.linalg.inv(inverse(system, seed)) * scale for seed in range(600)])
    error = np.abs(found.mean(axis=0) - A)
    assert (error <= 5 * found.std(axis=0) / np.sqrt(600) + 1e-9).all()
    assert found.std(axis=0).max() > 0.01  # it does sample


def test_same_seed_same_bits_and_symmetric():
    rng = np.random.default_rng(2)
    W = np.triu(rng.random((40, 40)) < 0.2, 1) * rng.random((40, 40))
    system = LaplacianSystem.of(np.diag((W + W.T).sum(axis=1) + 1) - W - W.T)
    M = inverse(system, 3)
    assert np.array_equal(M, inverse(system, 3))
    assert not np.array_equal(M, inverse(system, 4))
    np.testing.assert_allclose(M, M.T, atol=1e-12)
    assert np.linalg.eigvalsh(M).min() > 0


def grid(k):
    line = diags_array([1.0, 1.0], offsets=[-1, 1], shape=(k, k))
    eye = diags_array(np.ones(k))
    S = csr_array(kron(eye, line) + kron(line, eye))
    return csr_array(diags_array(S.sum(axis=1) + 1e-3) - S)


def test_as_good_as_the_package_of_that_name():
    """Iterations of scipy's cg with the preconditioner of PyPI's approx-chol, a Rust port."""
    package = pytest.importorskip("approx_chol")
    from scipy.sparse.linalg import LinearOperator, cg

    A = grid(100)
    b = np.random.default_rng(0).standard_normal(A.shape[0])
    theirs = package.factorize_raw(
        A.indptr.astype(np.uint32), A.indices.astype(np.uint32), A.data, A.shape[0]
    )
    steps = []
    operator = LinearOperator(A.shape, matvec=lambda v: theirs.solve(v.astype(float)), dtype=float)
    cg(A, b, rtol=1e-8, M=operator, callback=lambda x: steps.append(1))
    prepared = ApproximateCholesky().prepare(A)
    prepared.solve(b)
    assert prepared.iterations <= 1.3 * len(steps)
