"""The predicted size of a Cholesky factor against slow elimination and against SuperLU."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from graphol.linalg.fill import fill_in, ordered_fill, predicted_fill


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


def test_stops_when_there_are_too_many():
    W = csr_array(random_graph(60, 0.2, seed=2))
    exact = fill_in(W).nonzeros
    assert fill_in(W, most=exact) == fill_in(W)
    stopped = fill_in(W, most=exact / 2).nonzeros
    assert exact / 2 < stopped <= exact
    path = csr_array(np.eye(50, k=1) + np.eye(50, k=-1))
    assert fill_in(path, most=20).nonzeros == 21 or fill_in(path, most=20).nonzeros == 22
    assert predicted_fill(W, enough=1e9) == 60 * 61 / 2  # not even looked at
    assert predicted_fill(W, enough=1) == exact


@given(seed=st.integers(0, 10**6), p=st.sampled_from([0.05, 0.2, 0.6]))
def test_a_given_order_is_counted_exactly(seed, p):
    """Against elimination on sets, column by column."""
    W = random_graph(14, p, seed)
    order = np.random.default_rng(seed).permutation(14)
    near = {i: set(np.flatnonzero(row)) for i, row in enumerate(W)}
    counts = []
    for i in order:
        clique = near.pop(i)
        counts.append(1 + len(clique))
        for j in clique:
            near[j] = (near[j] | clique) - {i, j}
    found = ordered_fill(csr_array(W), order)
    assert found == (sum(counts), sum(c * c for c in counts))


def test_room_for_lists_is_made_again_and_again():
    """A dense random graph: more is written than there is room for."""
    W = random_graph(400, 0.3, seed=3)
    A = csr_array(np.diag(W.sum(axis=1) + 1) - W)
    lower = np.linalg.cholesky(A.toarray())
    found = fill_in(A)
    assert found.nonzeros <= np.count_nonzero(np.tril(np.ones_like(lower)))
    assert found.nonzeros == pytest.approx(greedy_count(W), rel=0.01)


def test_what_can_be_counted_in_time_is_not_given_up_early():
    """Steps that were enough before a sixth of them decided, over the non-zeros of A."""
    clique = csr_array(np.kron(np.eye(300), np.ones((10, 10)) - np.eye(10)))
    first = 10 * np.arange(1, 300)
    hung = csr_array((np.ones(299), (first, 10 * (np.arange(299) // 26))), shape=clique.shape)
    parents = np.random.default_rng(0).integers(0, np.arange(1, 3000))
    tree = csr_array((np.ones(2999), (np.arange(1, 3000), parents)), shape=(3000, 3000))
    side = np.arange(1600).reshape(40, 40)
    ends = np.append(side[:, :-1], side[:-1].T), np.append(side[:, 1:], side[1:].T)
    grid = csr_array((np.ones(len(ends[0])), ends), shape=(1600, 1600))
    for A, enough in ((clique + hung + hung.T, 1.3), (tree + tree.T, 3.0), (grid + grid.T, 7.0)):
        assert fill_in(A, work=enough * A.nnz) == fill_in(A)
