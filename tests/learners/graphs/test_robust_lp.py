"""Robust label propagation against the same turns in dense algebra."""

import numpy as np
import pytest

import graphol
from graphol.layers.selection import select
from graphol.testing.games import blocks

from .oracles import fitted, known, problem, scaled, scores

GRAPH, OTHER = blocks(40), blocks(40, seed=7)
S = np.random.default_rng(1).permutation(39)[:12]
Y = GRAPH.labels[S]


def laplacians(columns):
    """Of both graphs and of the stars, over nodes and centres, (k, n + stars, n + stars)."""
    size = 40 + len(columns)
    every = []
    for graph in (GRAPH, OTHER):
        W = np.zeros((size, size))
        W[:40, :40] = graph.adjacency.toarray()
        every.append(W)
    for i, column in enumerate(columns):
        W = np.zeros((size, size))
        W[:40, 40 + i] = W[40 + i, :40] = GRAPH.features[:, [column]].toarray().ravel()
        every.append(W)
    return np.array([np.diag(W.sum(axis=1)) - W for W in every])


def turned(nu, columns, turns=400):
    """Weights and function after many turns."""
    L, u = laplacians(columns), np.ones(2 + len(columns))
    size = L.shape[1]
    Pi, B = np.isin(np.arange(size), S) * 1.0, np.zeros((size, 3))
    B[S, Y] = 1.0
    for _ in range(turns):
        A = np.tensordot(u, L, 1) + 1e-4 * np.eye(size) + np.diag(Pi)
        F = np.linalg.solve(A, B)
        u = (nu + 40) / (nu + np.einsum("iuv,uk,vk->i", L, F, F))
    return u, F[:40], A


@pytest.mark.parametrize("nu", [1.0, 50.0, 1e6])
@pytest.mark.parametrize("features", [0, 3])
def test_dense_turns_end_at_the_same_weights(nu, features):
    recipe = f"robust-lp:nu={nu},features={features},prior=none"
    learner, state = fitted(recipe, problem(GRAPH, OTHER), S, Y)
    columns = select(GRAPH.features[S], Y, features) if features else []
    u, F, _ = turned(nu, columns)
    weights = learner.layer_weights(state)
    assert list(weights)[:2] == ["blocks", "blocks (2)"] and len(weights) == 2 + features
    np.testing.assert_allclose(list(weights.values()), u, rtol=1e-4)
    reached = known(learner, state)
    np.testing.assert_allclose(scores(learner, state)[reached], F[reached], atol=1e-5)


def test_large_nu_gives_all_layers_weight_one():
    learner, state = fitted("robust-lp:nu=1e12", problem(GRAPH, OTHER), S, Y)
    np.testing.assert_allclose(list(learner.layer_weights(state).values()), 1.0, atol=1e-9)


def test_class_mass_normalisation():
    plain = fitted("robust-lp:nu=1e6,prior=none", problem(GRAPH), S, Y)
    even = fitted("robust-lp:nu=1e6,prior=uniform", problem(GRAPH), S, Y)
    F, reached = plain[1].F, known(*plain)
    wanted = F / F.mean(axis=0)
    np.testing.assert_allclose(scores(*even)[reached], wanted[reached], rtol=1e-9)


def test_a_layer_that_is_apart_from_the_labels_counts_less():
    rng = np.random.default_rng(0)
    astray = rng.permutation(39)
    order = np.append(astray, 39)
    noise = graphol.Graph(
        GRAPH.adjacency[order][:, order], labels=GRAPH.labels, ids=GRAPH.ids, name="noise"
    )
    bare = graphol.Graph(GRAPH.adjacency, labels=GRAPH.labels, ids=GRAPH.ids, name="true")
    learner, state = fitted("robust-lp:nu=0.1", problem(bare, noise), S, Y)
    weights = learner.layer_weights(state)
    assert weights["noise"] < weights["true"]


def test_influences_add_up_to_the_scores():
    learner, state = fitted("robust-lp:nu=50,features=3,prior=none", problem(GRAPH, OTHER), S, Y)
    inverse = np.linalg.inv(turned(50.0, select(GRAPH.features[S], Y, 3))[2])
    shares = learner.influences(state, 5, top=12)
    amounts = [share.amount for share in shares]
    assert amounts == sorted(amounts, reverse=True)
    np.testing.assert_allclose(amounts, sorted(inverse[5, S], reverse=True), atol=1e-5)
    sums = [sum(share.amount for share in shares if share.label == k) for k in range(3)]
    np.testing.assert_allclose(sums, state.F[5], atol=1e-5)


def test_units_matter_but_not_order_or_one_layer_more_than_once():
    """Two layers of half the weight are each half as strained: together they count as one."""
    half = scaled(GRAPH, 0.5)
    one = fitted("robust-lp:nu=1e9,features=0", problem(GRAPH), S, Y)
    two = fitted("robust-lp:nu=1e9,features=0", problem(half, half), S, Y)
    np.testing.assert_allclose(scores(*one), scores(*two), rtol=1e-5)


def test_without_features_the_graphs_are_the_layers():
    bare = graphol.Graph(GRAPH.adjacency, labels=GRAPH.labels, ids=GRAPH.ids)
    learner, state = fitted("robust-lp", problem(bare), S, Y)
    assert list(learner.layer_weights(state)) == ["graph"]
    said = known(learner, state)
    assert said.tolist() == [True] * 39 + [False]
    counts = np.bincount(Y, minlength=3)
    np.testing.assert_array_equal(scores(learner, state)[39], counts)
