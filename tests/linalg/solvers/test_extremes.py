"""Hostile systems: the right answer or one clear line, never a wrong number in silence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from graphol import Graph, InputError
from graphol.linalg.solvers.approx_chol import ApproximateCholesky
from graphol.linalg.solvers.auto import Auto
from graphol.linalg.solvers.cg import ConjugateGradients
from graphol.linalg.solvers.splu import SuperLU

TOL = 1e-8
SOLVERS = {
    "splu": SuperLU(),
    "cg": ConjugateGradients(max_iterations=2000),
    "approx-chol": ApproximateCholesky(),
    "auto-1": Auto(),
    "auto-64": Auto(columns=64),
}


def hostile(seed):
    """(A, B, null): a graph with isolated nodes, repeated edges, components, weights 10^±6.

    null (c, n): indicators of the components without added diagonal, found by brute force.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    decades = rng.choice([0, 1, 3, 6])
    m = int(rng.integers(0, 3 * n))
    i, j = rng.integers(0, n, (2, m))
    i, j = i[i != j], j[i != j]
    weights = 10.0 ** rng.uniform(-decades, decades, len(i))
    W = np.zeros((n, n))
    np.add.at(W, (i, j), weights)  # repeated edges add up
    W = W + W.T
    added = np.zeros(n)
    if rng.random() < 0.5:
        added = (rng.random(n) < 0.3) * 10.0 ** rng.uniform(-decades, decades, n)
    A = np.diag(W.sum(axis=1) + added) - W
    reached = np.linalg.matrix_power(np.eye(n) + (W > 0), n) > 0
    alone = ~np.any(reached & (added > 0), axis=1)
    null = np.unique(reached[alone].astype(float), axis=0)
    B = rng.standard_normal((n, 3))
    for component in null:
        on = component > 0
        B[on] -= B[on].mean(axis=0)
    B[:, 2] = 0.0
    return A, B, null


def attempt(solver, A, B):
    """(prepared, solution, ''), or (prepared, None, what it says)."""
    prepared = solver.prepare(A)
    try:
        return prepared, prepared.solve(B), ""
    except InputError as refusal:
        return prepared, None, str(refusal)


@pytest.mark.parametrize("name", SOLVERS)
@settings(max_examples=80)
@given(seed=st.integers(0, 10**6))
def test_solved_or_refused(name, seed):
    """Residual, null space and, where the numbers allow it, dense pinv."""
    A, B, null = hostile(seed)
    prepared, X, refusal = attempt(SOLVERS[name], csr_array(A), B)
    if refusal:
        assert "residual" in refusal and "\n" not in refusal
        values = np.linalg.eigvalsh(A)[len(null) :]
        assert values[-1] / values[0] > 1e5  # only what double precision cannot do
        return
    assert np.isfinite(X).all()
    size = np.linalg.norm(B, axis=0)
    true = np.linalg.norm(A @ X - B, axis=0) / np.where(size > 0, size, 1.0)
    limit = TOL if prepared.iterations else 1e-6
    rounding = 1e-15 * np.linalg.norm(np.abs(A) @ np.abs(X), axis=0) / np.where(size > 0, size, 1.0)
    assert (true <= limit * 1.01 + rounding).all()
    assert not X[:, 2].any()
    if len(null):
        assert np.abs(null @ X).max() <= 1e-9 * (1 + np.abs(X).max())
    values = np.linalg.eigvalsh(A)
    positive = values[len(null) :]
    if len(positive) and positive[-1] / positive[0] < 1e5:
        exact = np.linalg.pinv(A, rcond=1e-9, hermitian=True) @ B
        np.testing.assert_allclose(X, exact, atol=2e-3 * np.abs(exact).max() + 1e-12)


@pytest.mark.parametrize("name", SOLVERS)
@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_what_has_no_solution_is_refused(name, seed):
    A, B, null = hostile(seed)
    if len(null) == 0:
        return
    B = B + null[0][:, None]
    with pytest.raises(InputError, match="must sum to 0"):
        SOLVERS[name].prepare(csr_array(A)).solve(B)


@pytest.mark.parametrize("name", SOLVERS)
def test_long_chains_of_weights(name):
    """A path whose weights fall over twelve decades: eps ||A|| ||x|| is what can be had."""
    n = 60
    weights = 10.0 ** np.linspace(6, -6, n - 1)
    graph = Graph.from_edges(range(n - 1), range(1, n), weights)
    L = graph.laplacian("combinatorial")
    b = np.zeros(n)
    b[0], b[-1] = 1, -1
    _, x, refusal = attempt(SOLVERS[name], L, b)
    if refusal:
        assert "residual" in refusal
    else:
        assert np.linalg.norm(L @ x - b) <= 2e-6
        exact = np.concatenate([[0], -np.cumsum(1 / weights)])
        np.testing.assert_allclose(x, exact - exact.mean(), rtol=1e-3)
