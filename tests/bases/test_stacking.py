"""The stack against dense algebra, and the mixture against its bound."""

import numpy as np
import pytest

from graphol.bases.fixed_share import charge, even
from graphol.bases.stacking import BUCKETS, bucket, floored, learn, mix


def dense(P, label, c, wrong, floor, theta, precision):
    """The whole game with full vectors and a matrix that is inverted in every round."""
    T, E, K = P.shape
    A, said = np.diag(precision), []
    for t in range(T):
        x = np.zeros((K, E * (1 + BUCKETS)))
        x[:, :E] = np.log((P[t].T + floor / K) / (1 + floor))
        x[:, E * (1 + c[t]) : E * (2 + c[t])] = x[:, :E]
        z = x @ theta
        p = np.exp(z) / np.exp(z).sum()
        said.append(p)
        v = x - p @ x
        k = label[t]
        if wrong[t]:
            odds = p[k] / (1 - p[k])
            A = A + odds * np.outer(v[k], v[k])
            theta = theta - np.linalg.solve(A, odds * v[k])
        else:
            A = A + sum(p[j] * np.outer(v[j], v[j]) for j in range(K) if p[j] >= 1e-3)
            theta = theta + np.linalg.solve(A, v[k])
    return np.array(said), theta, np.linalg.inv(A)


@pytest.mark.parametrize("seed", range(5))
def test_newton_is_that_of_dense_algebra(seed):
    rng = np.random.default_rng(seed)
    T, E, K, floor = 60, 3, 4, 0.2
    P = rng.dirichlet(np.ones(K), size=(T, E))
    label, c = rng.integers(K, size=T), rng.integers(BUCKETS, size=T)
    wrong = rng.random(T) < 0.3
    precision = rng.uniform(5, 50, size=E * (1 + BUCKETS))
    theta = np.where(np.arange(len(precision)) < E, 1 / E, 0.0)
    said, last, inverse = dense(P, label, c, wrong, floor, theta.copy(), precision)
    B, weights, losses = np.diag(1 / precision), even(E + 1), np.zeros(E + 2)
    Q, phi, p, q = np.empty((E, K)), np.empty((E, K)), np.empty(K), np.empty(K)
    for t in range(T):
        floored(P[t], np.ones(K, bool), floor, Q)
        mix(theta, weights, Q, np.ones(K, bool), c[t], phi, p, q)
        np.testing.assert_allclose(p, said[t], rtol=1e-9)
        heard = -1 if wrong[t] else label[t]
        learn(theta, B, weights, losses, Q, phi, p, q, c[t], heard, label[t])
    np.testing.assert_allclose(theta, last, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(B, inverse, rtol=1e-8, atol=1e-12)


def test_scores_of_any_size_are_probabilities():
    scores = np.array([[1e308, 1e308, 1e308], [0, 5e-324, 0], [-1e308, 1e308, 0], [0.0, 0, 0]])
    Q = np.empty_like(scores)
    with np.errstate(over="ignore"):
        floored(scores, np.ones(3, bool), 0.2, Q)
    np.testing.assert_allclose(Q.sum(axis=1), 1)
    np.testing.assert_allclose(Q[0], 1 / 3)
    assert Q[1].argmax() == 1 and Q[2].argmax() == 1


@pytest.mark.parametrize("trust", [0.5, 1e-3, 1e-5, 1e-9])
def test_a_wrong_answer_of_a_sure_stack_is_within_the_bound(trust):
    """Weights grow by as much as the mixture loses more, so the sum of these telescopes."""
    theta, B = np.array([1.0] + [0.0] * BUCKETS), np.eye(1 + BUCKETS) / 20
    Q, p = np.array([[0.9, 0.1]]), np.array([1.0, 0.0])
    weights, losses = np.array([1 - trust, trust]), np.zeros(3)
    before, mixture = weights.copy(), weights[0] * p + weights[1] * Q[0]
    learn(theta, B, weights, losses, Q, np.log(Q), p, mixture, 0, -1, 0)
    np.testing.assert_allclose(losses[2] - losses[:2], np.log(weights / before), rtol=1e-9)


def test_a_step_against_a_wrong_answer_is_up_the_slope():
    """Of log(1 - p_a), by differences; a step so small that the curvature does not matter."""
    rng = np.random.default_rng(3)
    E, K, a, c = 2, 3, 1, 2
    Q = rng.dirichlet(np.ones(K), size=E)
    theta = rng.normal(size=E * (1 + BUCKETS))
    phi, p, q, everything = np.empty((E, K)), np.empty(K), np.empty(K), np.ones(K, bool)

    def value(theta):
        mix(theta, even(E + 1), Q, everything, c, phi, p, q)
        return np.log(1 - p[a])

    small = 1e-6
    slope = [(value(theta + small * e) - value(theta - small * e)) / (2 * small)
             for e in np.eye(len(theta))]  # fmt: skip
    value(theta)
    B, moved = np.eye(len(theta)) * 1e-9, theta.copy()
    learn(moved, B, even(E + 1), np.zeros(E + 2), Q, phi, p, q, c, -1, a)
    np.testing.assert_allclose((moved - theta) / 1e-9, slope, rtol=1e-5, atol=1e-6)


def sequences(count, T=120, K=3):
    """Experts that are random, good, bad, good by turns, or made to be wrong once trusted."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        N = int(rng.integers(1, 6))
        P, label = rng.dirichlet(np.ones(K) * 0.3, size=(T, N)), rng.integers(K, size=T)
        kind = seed % 4
        if kind == 1:
            P[:, 0] = 0.98 * np.eye(K)[label] + 0.02 / K
        if kind == 2:  # the first half is one's, the second another's
            late = np.arange(T) >= T // 2
            P[late, 0] = np.eye(K)[label[late]]
            P[~late, -1] = np.eye(K)[label[~late]]
            P[~late, 0] = np.eye(K)[(label[~late] + 1) % K]
        yield rng, P, label, kind == 3


def regret_of(rng, P, label, adversary):
    """Regret in log loss to the best of the stack and all experts, and log N."""
    T, E, K = P.shape
    theta, B = np.full(E * (1 + BUCKETS), 1 / E), np.eye(E * (1 + BUCKETS)) / 20
    theta[E:] = 0.0
    weights, losses = even(E + 1), np.zeros(E + 2)
    Q, phi, p, q = np.empty((E, K)), np.empty((E, K)), np.empty(K), np.empty(K)
    log, own = 0.0, np.zeros(E + 1)
    for t in range(T):
        floored(P[t], np.ones(K, bool), 0.05, Q)
        c = int(rng.integers(BUCKETS))
        mix(theta, weights, Q, np.ones(K, bool), c, phi, p, q)
        assert abs(q.sum() - 1) < 1e-9
        y = int(q.argmin()) if adversary else int(label[t])
        log -= np.log(q[y])
        own -= np.log(np.append(p[y], Q[:, y]))
        learn(theta, B, weights, losses, Q, phi, p, q, c, y, y)
    np.testing.assert_allclose(losses, np.append(own, log), rtol=1e-9)
    return log - own.min(), np.log(E + 1)


@pytest.mark.parametrize(
    "count", [50, pytest.param(1000, marks=[pytest.mark.once, pytest.mark.long])]
)
def test_regret_is_within_its_bound(count):
    for case in sequences(count):
        regret, bound = regret_of(*case)
        assert regret <= bound + 1e-7


def test_who_was_bad_for_long_comes_back():
    """Thousands of bad rounds leave a weight that grows again."""
    w = even(2)
    for _ in range(3000):
        charge(w, np.array([0.01, 1.0]), 0.0)
    assert 0 < w[0] < 1e-290
    for _ in range(400):
        charge(w, np.array([1.0, 0.01]), 0.0)
    assert w[0] > 0.99


def test_scores_become_probabilities():
    """Of the open classes; with the floor taken off again."""
    is_open, Q = np.array([True, True, False]), np.empty((4, 3))
    scores = np.array([[3.0, 1.0, 9.0], [0, 0, 0], [-1.0, 1.0, 5.0], [-4.0, 4.0, 0]])
    floored(scores, is_open, 1e-12, Q)
    e = np.exp([-3.0, 3.0]) / np.exp([-3.0, 3.0]).sum()
    wanted = [[0.75, 0.25, 0], [0.5, 0.5, 0], [*e, 0], [*e, 0]]
    np.testing.assert_allclose(Q, wanted, atol=1e-9)
    floored(scores, is_open, 0.2, Q)
    np.testing.assert_allclose(Q.sum(axis=1), 1.0)
    assert Q[0, 0] == pytest.approx((0.75 + 0.1) / 1.2)


def test_buckets_count_labelled_neighbours():
    n = 7
    indptr, indices = np.array([0, n - 1] + [n - 1] * (n - 1)), np.arange(1, n)
    found = []
    for labelled in range(n):
        label = np.full(n, -1)
        label[1 : 1 + labelled] = 0
        found.append(bucket(label, indptr, indices, 0))
    assert found == [0, 1, 2, 2, 3, 3, 3]
