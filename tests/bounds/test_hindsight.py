"""The best fixed linear model: against dense algebra, brute force and a linear program."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from graphol.bounds import hindsight


def stream(seed, T=60, d=4, K=3, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, d))
    scores = X @ rng.normal(size=(K, d)).T + noise * rng.normal(size=(T, K))
    return X, np.argmax(scores, axis=1)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 5), st.floats(1e-3, 1e3))
@settings(deadline=None)
def test_ridge_is_the_dense_solution(seed, d, K, b):
    rng = np.random.default_rng(seed)
    X, Y, a = rng.normal(size=(12, d)), rng.normal(size=(12, K)), rng.uniform(1, 3, size=12)
    dense = np.linalg.inv(b * np.eye(d) + X.T @ np.diag(a) @ X) @ X.T @ np.diag(a) @ Y
    np.testing.assert_allclose(hindsight.ridge(X, Y, b, a), dense.T, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_least_squares_is_lstsq_also_with_columns_of_all_sizes(seed):
    X, y = stream(seed)
    X = X * [1e7, 1.0, 1e-3, 10.0]
    Y = hindsight.codes(y, 3)
    ours = X @ hindsight.least_squares(X, Y).T
    theirs = X @ np.linalg.lstsq(X, Y, rcond=None)[0]
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_repeated_empty_and_too_many_columns():
    X, y = stream(0, T=5, d=3)
    X = np.hstack([X, X, np.zeros((5, 2)), np.eye(5)])
    W = hindsight.least_squares(X, hindsight.codes(y, 3))
    assert np.isfinite(W).all()
    np.testing.assert_allclose(X @ W.T, hindsight.codes(y, 3), atol=1e-6)


@given(st.integers(0, 10**6), st.integers(2, 5))
@settings(max_examples=30, deadline=None)
def test_margins_and_losses_by_hand(seed, K):
    rng = np.random.default_rng(seed)
    scores, y = rng.normal(size=(8, K)), rng.integers(0, K, size=8)
    by_hand = [f[k] - max(f[j] for j in range(K) if j != k) for f, k in zip(scores, y, strict=True)]
    np.testing.assert_allclose(hindsight.margins(scores, y), by_hand)
    assert hindsight.hinge_loss(scores, y) == pytest.approx(sum(max(0, 1 - m) for m in by_hand))
    squares = [(f[k] - (1 if k == label else -1)) ** 2
               for f, label in zip(scores, y, strict=True) for k in range(K)]  # fmt: skip
    assert hindsight.squared_loss(scores, y) == pytest.approx(sum(squares))
    wrong = hindsight.predictions(scores) != y
    np.testing.assert_array_equal(wrong, np.array(by_hand) < 0)


def least_hinge_by_program(X, y, K):
    """min sum xi, xi_t >= 0 and xi_t >= 1 - (w_y - w_k)x for all k != y: a linear program."""
    T, d = X.shape
    rows, right = [], []
    for t, k in itertools.product(range(T), range(K)):
        if k != y[t]:
            row = np.zeros(K * d + T)
            row[k * d : (k + 1) * d] += X[t]
            row[y[t] * d : (y[t] + 1) * d] -= X[t]
            row[K * d + t] = -1
            rows.append(row)
            right.append(-1.0)
    bounds = [(None, None)] * (K * d) + [(0, None)] * T
    cost = np.concatenate([np.zeros(K * d), np.ones(T)])
    return linprog(cost, np.array(rows), right, bounds=bounds).fun


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("K", [2, 3])
def test_the_hinge_model_is_nearly_the_linear_programs(seed, K):
    X, y = stream(seed, K=K, noise=1.0)
    W = hindsight.models(X, y, K)["hinge"]
    optimum = least_hinge_by_program(X, y, K)
    assert optimum - 1e-9 <= hindsight.hinge_loss(X @ W.T, y) <= 1.1 * optimum + 0.5


@pytest.mark.parametrize("seed", range(4))
def test_signs_are_two_classes(seed):
    X, y = stream(seed, K=2, noise=1.0)
    signs = np.where(y == 1, 1, -1)
    one, two = hindsight.models(X, signs, None), hindsight.models(X, y, 2)
    assert one["least squares"].shape == one["hinge"].shape == (1, 4)
    np.testing.assert_allclose(one["least squares"][0], two["least squares"][1], atol=1e-9)
    w = one["hinge"][0]
    optimum = least_hinge_by_program(X, y, 2)
    assert np.maximum(0, 1 - signs * (X @ w)).sum() <= 1.1 * optimum + 0.5


def test_on_a_line_the_best_is_near_the_best_of_all():
    """With d = 1 there are three classifiers by sign; one can try them."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.normal(size=(40, 1))
        y = np.where(rng.random(40) < 0.8, np.sign(X[:, 0]), -np.sign(X[:, 0])).astype(int)
        optimum = min(np.sum(np.where(w * X[:, 0] >= 0, 1, -1) != y) for w in (-1, 0, 1))
        found = hindsight.best(hindsight.models(X, y, None), X, y)
        assert found.mistakes == optimum
        assert found.fit in ("least squares", "hinge")


def test_a_separable_game_has_a_perfect_model():
    X, y = stream(1, noise=0.0)
    found = hindsight.best(hindsight.models(X, y, 3), X, y)
    assert found.mistakes == 0 and not found.wrong.any()
