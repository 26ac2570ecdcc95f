"""The predicted size of a Cholesky factor against slow elimination and against SuperLU."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from graphol.linalg.fill import predicted_fill


def random_graph(n, p, seed):
    half = np.triu(np.random.default_rng(seed).random((n, n)) < p, 1)
    return (half | half.T).astype(float)


def greedy_count(W):
    """Minimum-degree elimination written for the eye; any node of least degree may go first."""
    near = {i: set(np.flatnonzero(row)) for i, row in enumerate(W)}
    count = 0
    while near:
        i = min(near, key=lambda j: len(near[j]))
        clique = near.pop(i)
        count += 1 + len(clique)
        for j in clique:
            near[j] = (near[j] | clique) - {i, j}
    return count


@given(seed=st.integers(0, 10**6), p=st.sampled_from([0.05, 0.2, 0.6]))
def test_agrees_with_elimination_up_to_ties(seed, p):
    W = random_graph(14, p, seed)
    predicted = predicted_fill(csr_array(W))
    assert predicted == pytest.approx(greedy_count(W), abs=8)  # ties are broken differently
    assert 14 + W.sum() / 2 <= predicted <= 14 * 15 / 2


def test_trees_do_not_fill():
    parents = np.random.default_rng(0).integers(0, np.arange(1, 500))
    W = np.zeros((500, 500))
    W[np.arange(1, 500), parents] = 1
    assert predicted_fill(csr_array(W + W.T)) == 500 + 499


def test_is_close_to_what_superlu_does():
    W = random_graph(1500, 6 / 1500, seed=1)
    A = csr_array(np.diag(W.sum(axis=1) + 1) - W)
    factor = splu(
        A.tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0,
        options={"SymmetricMode": True},
    )
    assert predicted_fill(A) == pytest.approx(factor.L.nnz, rel=0.15)


def test_stops_as_soon_as_it_is_enough():
    W = csr_array(random_graph(60, 0.2, seed=2))
    exact = predicted_fill(W)
    for enough in (exact, 1.3 * exact, 1e9):
        assert exact <= predicted_fill(W, enough=enough) <= max(enough, 60 * 61 / 2)
    assert predicted_fill(W, enough=1.3 * exact) <= 1.3 * exact
