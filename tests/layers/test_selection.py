"""Sparse logistic regressions against their optimality conditions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from graphol.layers.selection import largest_penalty, regress, select, select_at, violation


def problem(seed, s=40, m=60, K=3):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(K), rng.integers(0, K, s - K)])
    X = (rng.random((s, m)) < 0.2).astype(float)
    X[:, :K] = np.eye(K)[labels] * rng.random((s, K)) + 0.2 * rng.random((s, K))
    return X, labels, 2.0 * np.eye(K)[labels] - 1


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.05, 0.3, 0.8]))
def test_optimality(seed, share):
    X, _, Y = problem(seed)
    found = regress(X, Y, share * largest_penalty(X, Y))
    assert violation(X, Y, found) < 1e-3


def test_the_largest_penalty_is_where_all_vanish():
    X, _, Y = problem(0)
    top = largest_penalty(X, Y)
    assert not regress(X, Y, 1.001 * top).coef.any()
    assert regress(X, Y, 0.98 * top).coef.any()


def test_small_values_are_no_harder():
    """Features of size 0.01, as tf-idf has them: the penalty scales, the solution with it."""
    X, _, Y = problem(1)
    one = regress(X, Y, 0.3 * largest_penalty(X, Y))
    small = regress(X / 100, Y, 0.3 * largest_penalty(X / 100, Y))
    np.testing.assert_allclose(small.coef / 100, one.coef, atol=1e-3)


@pytest.mark.parametrize("wanted", [1, 3, 7, 20])
def test_as_many_as_wanted(wanted):
    X, labels, _ = problem(2)
    chosen = select(X, labels, wanted)
    assert len(chosen) == wanted == len(set(chosen.tolist()))
    if wanted >= 3:
        assert {0, 1, 2} <= set(chosen.tolist())


def test_features_that_no_seed_has_or_that_are_negative_are_never_chosen():
    X, labels, _ = problem(3, m=8)
    X[:, 4] = 0.0
    X[0, 0] = -1.0
    chosen = select(X, labels, 8)
    assert chosen.tolist() == [1, 2, 3, 5, 6, 7]
    assert len(select(X, np.zeros(40, dtype=int), 2)) == 2  # one class: nothing to tell apart


def test_a_value_below_0_anywhere_rules_a_column_out():
    rng = np.random.default_rng(0)
    labels = np.arange(40) % 2
    X = np.column_stack([labels, 1 - labels, rng.random((40, 3))]).astype(float)
    nodes = np.arange(30)
    assert set(select_at(csr_array(X), nodes, labels[nodes], 2)) == {0, 1}
    X[35, 0] = -1.0  # not among the seeds
    assert 0 in select(X[nodes], labels[nodes], 2)
    assert 0 not in select_at(csr_array(X), nodes, labels[nodes], 2)
    assert not len(select_at(csr_array(-1 - X), nodes, labels[nodes], 2))
