"""Logistic regression against its optimality conditions and a minimiser that knows nothing."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from graphol.bases.logistic import Model, fit_logistic, softmax


def rows(seed, N=30, d=5, K=3, scale=1.0):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(0, K, N - K)])
    return scale * (rng.normal(size=(N, d)) + np.eye(K, d)[y]), y, rng.random(N) + 0.1


def value(theta, X, y, K, C, w):
    W, b = theta[:-K].reshape(-1, K), theta[-K:]
    return (W**2).sum() / (2 * C) - w @ np.log(softmax(X @ W + b)[np.arange(len(y)), y])


def gradient(model, X, y, K, C, w):
    """Of the penalised loss, written out."""
    R = w[:, None] * (model.probabilities(X) - np.eye(K)[y])
    return np.vstack([X.T @ R + model.W / C, R.sum(axis=0)])


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 100.0])
@pytest.mark.parametrize("shape", [(30, 5, 3), (12, 40, 4), (9, 1, 2)])
def test_the_gradient_vanishes(C, scale, shape):
    N, d, K = shape
    X, y, w = rows(0, N, d, K, scale)
    model = fit_logistic(X, y, K, C, weights=w)
    assert np.abs(gradient(model, X, y, K, C, w)).max() <= 2e-8 * w.sum()


@pytest.mark.parametrize("seed", range(4))
def test_brute_force_finds_nothing_lower(seed):
    X, y, w = rows(seed, N=14, d=3, K=3)
    found = fit_logistic(X, y, 3, 2.0, weights=w)
    least = minimize(value, np.zeros(12), args=(X, y, 3, 2.0, w), method="BFGS", tol=1e-9)
    mine = np.concatenate([found.W.ravel(), found.b])
    assert value(mine, X, y, 3, 2.0, w) <= least.fun + 1e-10
    np.testing.assert_allclose(found.W.ravel(), least.x[:9], atol=1e-4)


def test_sparse_rows_weights_and_another_start_change_nothing():
    X, y, _ = rows(3)
    X[np.abs(X) < 0.5] = 0.0
    times = np.random.default_rng(0).integers(1, 4, len(y))
    wanted = fit_logistic(np.repeat(X, times, axis=0), np.repeat(y, times), 3, 5.0, tol=1e-12)
    start = Model(np.ones((5, 3)) * [1, -2, 0], np.array([3.0, 0.0, -1.0]))
    for rows_, begin in ((X, None), (csr_array(X), None), (X, start)):
        found = fit_logistic(rows_, y, 3, 5.0, weights=times * 1.0, start=begin, tol=1e-12)
        np.testing.assert_allclose(found.W, wanted.W, atol=1e-9)
        np.testing.assert_allclose(found.b, wanted.b, atol=1e-9)
        assert abs(found.b.sum()) < 1e-12


def test_rows_that_can_be_separated_without_end():
    X, y = np.array([[1e3], [-1e3]]), np.array([0, 1])
    model = fit_logistic(X, y, 2, 1e8)
    assert np.isfinite(model.W).all() and model.probabilities(X).argmax(axis=1).tolist() == [0, 1]


def test_without_columns_the_shares_of_the_classes_are_said():
    y = np.array([0, 0, 0, 1])
    P = fit_logistic(np.zeros((4, 0)), y, 2, 1.0).probabilities(np.zeros((1, 0)))
    np.testing.assert_allclose(P, [[0.75, 0.25]], atol=1e-8)


def test_a_class_without_a_label_is_never_said_and_changes_nothing():
    X, y, _ = rows(1, K=2)
    two, four = fit_logistic(X, y, 2, 3.0), fit_logistic(X, 3 * y, 4, 3.0)
    P = four.probabilities(X)
    assert not P[:, 1:3].any() and not four.W[:, 1:3].any()
    np.testing.assert_allclose(P[:, [0, 3]], two.probabilities(X), atol=1e-10)


def test_one_class_is_certain():
    model = fit_logistic(np.ones((3, 2)), np.array([1, 1, 1]), 3, 1.0)
    assert model.probabilities(np.ones((1, 2))).tolist() == [[0.0, 1.0, 0.0]]
