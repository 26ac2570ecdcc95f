"""Smoothed rows seen from some nodes, against the dense inverse."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import graphol
from graphol.api import Appendable
from graphol.bases.smoothing import Smoothing, span
from graphol.testing.games import blocks

SOLVER = graphol.make("solver", "auto:tol=1e-12")


def dense(W, X, tau):
    """(I + tau L)^-1 X with the normalised Laplacian of W + I."""
    W = W + np.eye(len(W))
    root = np.sqrt(W.sum(axis=1))
    L = np.eye(len(W)) - W / root[:, None] / root[None, :]
    return np.linalg.solve(np.eye(len(W)) + tau * L, X)


@pytest.mark.parametrize("tau", [0.1, 5.0, 1000.0])
@pytest.mark.parametrize("rows", ["words", "none"])
def test_products(tau, rows):
    graph = blocks(30)
    X = None if rows == "none" else graph.features
    W = graph.adjacency.toarray()
    Z = dense(W / W[W > 0].mean(), np.eye(30) if X is None else X.toarray(), tau)
    S = np.array([3, 7, 20, 29])
    found = Smoothing(graph.adjacency, X, SOLVER).products(0.0, tau, S)
    np.testing.assert_allclose(found, Z @ Z[S].T, atol=1e-9 * np.abs(Z @ Z.T).max())


def test_a_second_layer_is_added_with_its_weight():
    graph, other = blocks(20), blocks(20, seed=5)
    W = graph.adjacency / graph.adjacency.data.mean() + 0.3 * other.adjacency
    Z, S = dense(W.toarray(), graph.features.toarray(), 2.0), np.array([0, 19])
    smoothing = Smoothing(graph.adjacency, graph.features, SOLVER, other.adjacency)
    np.testing.assert_allclose(smoothing.products(0.3, 2.0, S), Z @ Z[S].T, atol=1e-12)


def test_coordinates_give_the_products_back_and_are_no_more_than_needed():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(25, 4))
    Z[9] = Z[2]  # the same row twice, and a row of zeros
    Z[11] = 0.0
    rows, S = Appendable(np.zeros((0, 25))), np.array([2, 9, 11, 0, 1, 3, 4, 5])
    for part in (S[:3], S[3:4], S[4:]):
        span(rows, Z @ Z[part].T, part)
    R = rows.values
    assert R.shape == (4, 25)
    np.testing.assert_allclose(R.T @ R[:, S], Z @ Z[S].T, atol=1e-10)


def test_who_has_something_in_common():
    """Components 0-1, 2-3, 4, 5; words join the first two, the last has none."""
    W = csr_array(np.kron(np.diag([1.0, 1, 0]), [[0, 1], [1, 0]]))
    X = csr_array(np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0], [2, 3, 0], [0, 0, 1], [0, 0, 0.0]]))
    smoothing = Smoothing(W, X, SOLVER)
    assert smoothing.reached(np.array([1])).tolist() == [True] * 4 + [False] * 2
    assert smoothing.reached(np.array([4])).tolist() == [False] * 4 + [True, False]
    assert not smoothing.reached(np.array([5])).any()
    alone = Smoothing(W, None, SOLVER)
    assert alone.reached(np.array([1, 5])).tolist() == [True, True, False, False, False, True]
