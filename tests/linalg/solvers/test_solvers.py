"""The solvers against exact rational arithmetic and against dense algebra."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, diags_array, kron

import graphol
from graphol import InputError
from graphol.fitting import misfit
from graphol.linalg.solvers.approx_chol import ApproximateCholesky
from graphol.linalg.solvers.auto import Auto
from graphol.linalg.solvers.cg import ConjugateGradients
from graphol.linalg.solvers.splu import SuperLU

SOLVERS = [
    SuperLU(),
    ConjugateGradients(tol=1e-10),
    ApproximateCholesky(tol=1e-10),
    Auto(tol=1e-10),
]
solvers = pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: s.name)


def random_weights(rng, n, decades):
    keep = np.triu(rng.random((n, n)) < rng.choice([0.15, 0.4]), 1)
    W = keep * 10.0 ** rng.uniform(-decades, decades, (n, n))
    return W + W.T


def grid(k, weights=None):
    line = diags_array([1.0, 1.0], offsets=[-1, 1], shape=(k, k))
    eye = diags_array(np.ones(k))
    S = csr_array(kron(eye, line) + kron(line, eye))
    if weights is not None:
        half = csr_array(S.toarray() * np.triu(weights))
        S = csr_array(half + half.T)
    return csr_array(diags_array(S.sum(axis=1)) - S)


def solve_exactly(W, added, b):
    """Gauss-Jordan elimination over the rationals; singular components are centred."""
    n = len(b)
    W = [[Fraction(float(w)) for w in row] for row in W]
    A = [[-w for w in row] for row in W]
    for i in range(n):
        A[i][i] = sum(W[i]) + Fraction(float(added[i]))
    rows = [[*row, Fraction(float(x))] for row, x in zip(A, b, strict=True)]
    free = []
    for c in range(n):
        p = next((i for i in range(c - len(free), n) if rows[i][c] != 0), None)
        if p is None:
            free.append(c)
            continue
        r = c - len(free)
        rows[r], rows[p] = rows[p], rows[r]
        rows[r] = [x / rows[r][c] for x in rows[r]]
        for i in range(n):
            if i != r and rows[i][c] != 0:
                factor = rows[i][c]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[r], strict=True)]
    pivots = [c for c in range(n) if c not in free]
    x = [Fraction(0)] * n
    for r, c in enumerate(pivots):
        x[c] = rows[r][n]
    for f in free:  # the null vector of column f is constant on its component
        component = [f] + [c for r, c in enumerate(pivots) if rows[r][f] != 0]
        mean = sum(x[c] for c in component) / len(component)
        for c in component:
            x[c] -= mean
    return np.array([float(v) for v in x])


@solvers
@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), decades=st.sampled_from([0, 1, 3]), ridge=st.booleans())
def test_agrees_with_exact_arithmetic(solver, seed, decades, ridge):
    """Disconnected, isolated nodes, weights over six decades, singular or not."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    W = random_weights(rng, n, decades)
    added = (rng.random(n) < 0.5) * rng.random(n) if ridge else np.zeros(n)
    A = np.diag(W.sum(axis=1) + added) - W
    b = rng.standard_normal(n)
    reached = np.linalg.matrix_power(np.eye(n) + (W > 0), n) > 0
    alone = ~np.any(reached & (added > 0), axis=1)
    b[alone] -= (reached @ b / reached.sum(axis=1))[alone]
    prepared = solver.prepare(csr_array(A))
    x = prepared.solve(b)
    exact = solve_exactly(W, added, b)
    size = np.linalg.norm(b) or 1.0
    assert prepared.residual == pytest.approx(np.linalg.norm(A @ x - b) / size, rel=0.5, abs=1e-11)
    np.testing.assert_allclose(x, exact, atol=3e-5 * np.abs(exact).max())


@solvers
def test_blocks_of_columns_are_the_columns(solver):
    """More columns than one block holds, a zero column among them."""
    A = grid(12)
    rng = np.random.default_rng(0)
    B = rng.standard_normal((144, 70))
    B -= B.mean(axis=0)
    B[:, 5] = 0
    prepared = solver.prepare(A)
    X = prepared.solve(B)
    np.testing.assert_allclose(
        X, np.linalg.pinv(A.toarray(), rcond=1e-11, hermitian=True) @ B, atol=1e-6
    )
    assert prepared.residual < 1e-9
    assert not X[:, 5].any()
    np.testing.assert_allclose(prepared.solve(B[:, 3]), X[:, 3], atol=1e-7)


@solvers
def test_is_linear_and_leaves_its_input_alone(solver):
    A = csr_array(grid(8) + diags_array(np.linspace(0, 1, 64)))
    rng = np.random.default_rng(1)
    b, c = rng.standard_normal((2, 64))
    before = b.copy()
    prepared = solver.prepare(A)
    together = prepared.solve(2 * b - 3 * c)
    np.testing.assert_allclose(together, 2 * prepared.solve(b) - 3 * prepared.solve(c), atol=1e-7)
    assert np.array_equal(b, before)


@solvers
def test_same_system_same_bits(solver):
    A, b = grid(15), np.random.default_rng(2).standard_normal(225)
    b -= b.mean()
    assert np.array_equal(solver.prepare(A).solve(b), solver.prepare(A).solve(b))


def test_iterations_are_reported():
    A, b = grid(20), np.eye(400)[7] - 1 / 400
    direct, iterative = SuperLU().prepare(A), ConjugateGradients().prepare(A)
    direct.solve(b)
    iterative.solve(b)
    assert direct.iterations == 0
    assert 10 < iterative.iterations < 200
    iterative.solve(np.zeros(400))
    assert (iterative.iterations, iterative.residual) == (0, 0.0)


def test_cg_reaches_tolerances_its_recursion_only_claims():
    """Badly weighted: the recursive residual meets 1e-13 long before the true one does."""
    weights = 10.0 ** np.random.default_rng(3).uniform(-2, 2, (100, 100))
    A = grid(10, weights)
    b = np.eye(100)[0] - 1 / 100
    prepared = ConjugateGradients(tol=1e-12).prepare(A)
    prepared.solve(b)
    assert prepared.residual <= 1.0001e-12


def test_cg_refuses_to_return_what_is_not_solved():
    weights = 10.0 ** np.random.default_rng(4).uniform(-4, 4, (400, 400))
    prepared = ConjugateGradients(max_iterations=50).prepare(grid(20, weights))
    with pytest.raises(InputError, match=r"after 50 iterations.*use solver approx-chol or splu"):
        prepared.solve(np.eye(400)[0] - 1 / 400)


def test_splu_refuses_a_factor_that_is_too_large():
    """An expander on 4000 nodes fills in; a limit below that is noticed before factorising."""
    rng = np.random.default_rng(5)
    i, j = rng.integers(0, 4000, (2, 16_000))
    S = csr_array((np.ones(16_000), (i, j)), shape=(4000, 4000))
    S = csr_array(S + S.T)
    A = csr_array(diags_array(S.sum(axis=1) + 1) - S)
    with pytest.raises(InputError, match=r"more than 1e\+06 non-zeros; use an iterative solver"):
        SuperLU(max_fill=1e6).prepare(A)


@solvers
def test_fits_the_interface_and_comes_by_name(solver):
    assert misfit("solver", type(solver)) == ""
    assert type(graphol.make("solver", solver.name)) is type(solver)
