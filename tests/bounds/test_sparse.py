"""Sparse models in hindsight: against dense algebra, all connected sets, and the learners' loss."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

import graphol
from graphol.bases.signal import slope
from graphol.bounds import sparse


@pytest.mark.parametrize("real", [False, True])
def test_losses_and_slopes_are_the_learners(real):
    s = np.array([-800.0, -2.0, 0.0, 0.5, 3.0, 800.0])
    y = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])
    ours = sparse.losses(s, y, real=real), sparse.slopes(s, y, real=real)
    plain = 0.5 * (s - y) ** 2 if real else np.logaddexp(0.0, -y * s)
    theirs = plain, [slope(real, *each) for each in zip(s, y, strict=True)]
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-300)


def samples(seed, *, real, p=9, N=60):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(N, p)), np.zeros(p)
    w[2:5] = 1.0, -1.0, 0.7
    s = X @ w + 0.3 + 0.8 * rng.normal(size=N)
    return X, s if real else np.where(s >= 0, 1.0, -1.0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("real", [False, True])
def test_refitted_is_where_the_gradient_is_zero(seed, real):
    X, y = samples(seed, real=real)
    support = np.array([2, 3, 7])
    fit = sparse.refitted(X, y, support, real=real)
    scores = X @ fit.w[:-1] + fit.w[-1]
    assert fit.loss == pytest.approx(sparse.losses(scores, y, real=real).sum())
    assert set(np.flatnonzero(fit.w[:-1])) <= set(support)
    Z = np.column_stack([X[:, support], np.ones(len(X))])
    np.testing.assert_allclose(Z.T @ sparse.slopes(scores, y, real=real), 0, atol=1e-2)
    if real:
        assert 2 * fit.loss == pytest.approx(np.linalg.lstsq(Z, y, rcond=None)[1][0])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("real", [False, True])
def test_the_best_connected_set_of_all(seed, real):
    X, y = samples(seed, real=real)
    ring = graphol.Graph.from_edges(range(9), [*range(1, 9), 0])
    least = np.inf
    for nodes in itertools.combinations(range(9), 3):
        inside = np.array(nodes)
        if connected_components(ring.adjacency[inside][:, inside], directed=False)[0] == 1:
            least = min(least, sparse.refitted(X, y, inside, real=real).loss)
    rng = np.random.default_rng(0)
    found = sparse.connected(X, y, ring, 3, rng, real=real)
    assert least - 1e-9 <= found.loss <= 1.02 * least
    support = np.flatnonzero(found.w[:-1])
    assert connected_components(ring.adjacency[support][:, support], directed=False)[0] == 1


def test_separable_signs_end():
    X, y = np.eye(4), np.array([1.0, -1.0, 1.0, -1.0])
    fit = sparse.refitted(X, y, np.arange(4), real=False)
    assert np.isfinite(fit.w).all() and fit.loss < 0.01


def test_the_convex_figure_by_hand():
    X, y, scores = np.array([[3.0], [0.0]]), np.array([1.0, 2.0]), np.array([0.0, 1.0])
    w = np.array([3.0, 4.0])
    largest = max(1.0 * np.sqrt(10), 1.0 * 1.0)
    assert sparse.convex_figure(X, y, scores, w, real=True) == pytest.approx(
        2 * 5 * largest * np.sqrt(2)
    )


def test_models_of_any_length_have_one_length():
    """Separable signs: ten times the model is as good, and gives the same figure."""
    X, y = np.eye(4), np.array([1.0, -1.0, 1.0, -1.0])
    w = np.append(40 * y, 0.0)
    one, ten = (sparse.convex_figure(X, y, np.zeros(4), c * w, real=False) for c in (1, 10))
    assert one == pytest.approx(ten, rel=0.05)
    margin = -np.log(np.expm1(0.25))  # four losses that make 1
    assert one == pytest.approx(2 * 2 * margin * 0.5 * np.sqrt(2) * 2, rel=0.05)
