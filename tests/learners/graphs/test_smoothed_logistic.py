"""Smoothed logistic regression against dense rows and a general minimiser."""

import itertools

import numpy as np
import pytest

import graphol
from graphol.api import Given
from graphol.testing.games import blocks

from .oracles import (
    fitted, known, problem, regressed, reordered, scaled, scores, smoothed, told, words,
)  # fmt: skip

GRAPH = blocks(40)
S = np.random.default_rng(1).permutation(39)[:12]
Y = GRAPH.labels[S]
V = np.setdiff1d(np.arange(39), S)[:15]
FIXED = "smoothed-logistic:tau=5,C=10"


def wanted(graph, tau, C, seeds=S, labels=Y):
    W = graph.adjacency.toarray()
    Z = smoothed(W / W[W > 0].mean(), words(graph), tau)
    return regressed(Z, seeds, labels, 3, C)


@pytest.mark.parametrize(("tau", "C"), [(0.1, 1.0), (5.0, 10.0), (100.0, 300.0)])
def test_dense_rows_say_the_same(tau, C):
    found = fitted(f"smoothed-logistic:tau={tau},C={C}", problem(GRAPH), S, Y)
    np.testing.assert_allclose(scores(*found), wanted(GRAPH, tau, C), atol=2e-6)


def test_one_label_at_a_time_is_all_in_one_go():
    one, all_ = told(FIXED, problem(GRAPH), S, Y), fitted(FIXED, problem(GRAPH), S, Y)
    np.testing.assert_allclose(scores(*one), scores(*all_), atol=1e-6)


def test_more_labels_than_features():
    """The coordinates are as many as there are words."""
    every = np.arange(39)
    learner, state = fitted(FIXED, problem(GRAPH), every, GRAPH.labels[every])
    assert state.regressions[0].rows.values.shape == (12, 40)
    dense = wanted(GRAPH, 5, 10, every, GRAPH.labels[every])
    np.testing.assert_allclose(scores(learner, state), dense, atol=2e-6)


def test_a_label_that_changes_counts_as_the_last_one_said():
    wrong = (Y + 1) % 3
    one = told(FIXED, problem(GRAPH), [*S, *S], [*wrong, *Y])
    np.testing.assert_allclose(scores(*one), wanted(GRAPH, 5, 10), atol=2e-6)


def test_validation_labels_choose_what_is_right_most_often():
    grid = list(itertools.product((5.0, 3.0, 10.0, 30.0), (10.0, 1.0, 3.0, 30.0, 100.0)))
    truth = GRAPH.labels[V]

    def rank(pair):
        P = wanted(GRAPH, *pair)[V]
        return (P.argmax(axis=1) == truth).mean(), np.log(P[np.arange(15), truth]).mean()

    tau, C = max(grid, key=rank)
    found = fitted("smoothed-logistic", problem(GRAPH), S, Y, (V, truth))
    assert found[1].regressions[0].setting.tolist() == [0.0, tau, C]
    np.testing.assert_allclose(scores(*found), wanted(GRAPH, tau, C), atol=2e-6)


def test_without_validation_labels_the_defaults_hold():
    found = fitted("smoothed-logistic", problem(GRAPH), S, Y)
    np.testing.assert_array_equal(scores(*found), scores(*fitted(FIXED, problem(GRAPH), S, Y)))


def test_neither_order_nor_units_nor_a_split_into_layers_matters():
    plain = scores(*fitted(FIXED, problem(GRAPH), S, Y))
    half = scaled(GRAPH, 0.5)
    for other in (problem(half, half), problem(scaled(GRAPH, 1e6))):
        np.testing.assert_allclose(scores(*fitted(FIXED, other, S, Y)), plain, atol=1e-7)
    order = np.random.default_rng(4).permutation(40)
    place = np.argsort(order)
    turned = fitted(FIXED, problem(reordered(GRAPH, order)), place[S], Y)
    np.testing.assert_allclose(scores(*turned), plain[order], atol=1e-6)


def test_a_node_without_neighbours_and_words_is_not_known():
    before = graphol.make("learner", FIXED)
    assert not known(before, before.start(problem(GRAPH))).any()
    found = fitted(FIXED, problem(GRAPH), S, Y)
    assert known(*found).tolist() == [True] * 39 + [False]
    np.testing.assert_allclose(scores(*found)[39].sum(), 1.0)


def test_what_is_refused():
    bare = graphol.Graph(GRAPH.adjacency, labels=GRAPH.labels, ids=GRAPH.ids)
    learner = graphol.make("learner", FIXED)
    with pytest.raises(graphol.UsageError, match="^smoothed-logistic needs node features; give"):
        learner.start(problem(bare))
    state = learner.start(problem(GRAPH))
    with pytest.raises(graphol.UsageError, match="labels given is of class 2"):
        learner.fit(state, Given(S[Y < 2], Y[Y < 2]))
    assert (state.label < 0).all()


def test_a_state_that_cannot_be_is_refused():
    learner, state = fitted(FIXED, problem(GRAPH), S, Y)
    learner.check_state(state, 40)
    state.regressions[0].setting[1] = -1.0
    with pytest.raises(ValueError, match="no regression has the setting"):
        learner.check_state(state, 40)
    state.label[0] = 3
    with pytest.raises(ValueError, match="labels are not classes"):
        learner.check_state(state, 40)
