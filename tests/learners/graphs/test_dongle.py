"""Dongles against dense algebra."""

import itertools

import numpy as np
import pytest

import graphol
from graphol.testing.games import blocks

from .oracles import fitted, known, problem, regressed, scaled, scores, told, words

GRAPH = blocks(40)
S = np.random.default_rng(1).permutation(39)[:12]
Y = GRAPH.labels[S]
V = np.setdiff1d(np.arange(39), S)[:15]
RECIPES = list(itertools.product(("normalized", "combinatorial"), (0.3, 3.0), (0.003, 0.3)))


def system(laplacian, a, eta):
    """The matrix, written out."""
    W = GRAPH.adjacency.toarray()
    W = W / W[W > 0].mean()
    d = W.sum(axis=1)
    L = np.diag(d) - W
    if laplacian == "normalized":
        inverse = np.divide(1, np.sqrt(d), out=np.zeros(40), where=d > 0)
        L = inverse[:, None] * L * inverse[None, :]
    return a * L + np.diag(np.isin(np.arange(40), S) * 1.0) + eta * np.eye(40)


def wanted(laplacian, a, eta, prior="none", C=10.0):
    B = eta * regressed(words(GRAPH), S, Y, 3, C)
    B[S, Y] += 1
    F = np.linalg.solve(system(laplacian, a, eta), B)
    return F / F.mean(axis=0) if prior == "uniform" else F


def recipe(laplacian, a, eta, prior="none"):
    return f"dongle:laplacian={laplacian},spread={a},eta={eta},prior={prior}"


@pytest.mark.parametrize(("laplacian", "a", "eta"), RECIPES)
@pytest.mark.parametrize("prior", ["none", "uniform"])
def test_dense_algebra_says_the_same(laplacian, a, eta, prior):
    found = fitted(recipe(laplacian, a, eta, prior), problem(GRAPH), S, Y)
    np.testing.assert_allclose(scores(*found), wanted(laplacian, a, eta, prior), atol=2e-6)


def test_one_label_at_a_time_is_all_in_one_go():
    who = recipe("normalized", 3, 0.1)
    one, all_ = told(who, problem(GRAPH), S, Y), fitted(who, problem(GRAPH), S, Y)
    np.testing.assert_allclose(scores(*one), scores(*all_), atol=1e-6)


def test_validation_labels_choose_what_is_right_most_often():
    truth = GRAPH.labels[V]
    # ties between settings go to the likelier one
    every = itertools.product(
        ("normalized", "combinatorial"), (3.0, 0.3), (0.1, 0.003, 0.01, 0.03, 0.3),
        ("none", "uniform"),
    )  # fmt: skip

    def rank(setting):
        F = wanted(*setting)[V]
        share = F[np.arange(15), truth] / F.sum(axis=1)
        return (F.argmax(axis=1) == truth).mean(), np.log(share).mean()

    setting = max(every, key=rank)
    found = fitted("dongle", problem(GRAPH), S, Y, (V, truth))
    np.testing.assert_allclose(scores(*found), wanted(*setting), atol=2e-6)


def test_influences_are_the_seeds_part_of_the_sum():
    learner, state = fitted(recipe("normalized", 3, 0.1), problem(GRAPH), S, Y)
    inverse = np.linalg.inv(system("normalized", 3, 0.1))
    shares = learner.influences(state, 5, top=4)
    order = np.argsort(-inverse[5, S])[:4]
    assert [share.node for share in shares] == S[order].tolist()
    assert [share.label for share in shares] == Y[order].tolist()
    np.testing.assert_allclose([s.amount for s in shares], inverse[5, S[order]], atol=1e-8)
    fresh = graphol.make("learner", "dongle")
    assert fresh.influences(fresh.start(problem(GRAPH)), 5, top=4) == ()


def test_layers_are_added_up_and_units_do_not_matter():
    who = recipe("combinatorial", 3, 0.1)
    plain, half = scores(*fitted(who, problem(GRAPH), S, Y)), scaled(GRAPH, 0.5)
    for other in (problem(half, half), problem(scaled(GRAPH, 1e6))):
        np.testing.assert_allclose(scores(*fitted(who, other, S, Y)), plain, atol=1e-7)


def test_a_node_without_neighbours_and_words_is_not_known():
    found = fitted("dongle", problem(GRAPH), S, Y)
    assert known(*found).tolist() == [True] * 39 + [False]


def test_no_features():
    bare = graphol.Graph(GRAPH.adjacency, labels=GRAPH.labels, ids=GRAPH.ids)
    with pytest.raises(graphol.UsageError, match="^dongle needs node features; give --features"):
        graphol.make("learner", "dongle").start(problem(bare))


def test_a_state_that_cannot_be_is_refused():
    learner, state = fitted("dongle", problem(GRAPH), S, Y)
    learner.check_state(state, 40)
    state.setting[0] = 2.0
    with pytest.raises(ValueError, match="no dongles have the setting"):
        learner.check_state(state, 40)
