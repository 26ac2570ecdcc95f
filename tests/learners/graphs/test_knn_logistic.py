"""Two layers, settings that are averaged, and what is said without features."""

import numpy as np
import pytest

import graphol
from graphol.testing.games import blocks

from .oracles import fitted, problem, regressed, scores, smoothed, told, words

GRAPH = blocks(40)
S = np.random.default_rng(1).permutation(39)[:12]
Y = GRAPH.labels[S]
V = np.setdiff1d(np.arange(39), S)[:15]


def similar(X, k):
    """Cosines with the k most similar nodes, either way; the first of equals."""
    C = np.round(X @ X.T, 12)
    np.fill_diagonal(C, 0)
    kept = np.zeros(C.shape, dtype=bool)
    for i, row in enumerate(C):
        best = np.lexsort((np.arange(len(row)), -row))[:k]
        kept[i, best] = row[best] > 0
    return np.where(kept | kept.T, C, 0.0)


def wanted(sigma, tau, C, k=5):
    W, X = GRAPH.adjacency.toarray(), words(GRAPH)
    W = W / W[W > 0].mean() + sigma * similar(X, k)
    return regressed(smoothed(W, X, tau), S, Y, 3, C)


@pytest.mark.parametrize(("sigma", "tau", "C"), [(0.3, 5.0, 10.0), (0.0, 3.0, 1.0), (2.0, 20.0, 30)])
def test_dense_rows_say_the_same(sigma, tau, C):
    recipe = f"knn-logistic:similar={sigma},tau={tau},C={C},neighbours=5"
    found = scores(*fitted(recipe, problem(GRAPH), S, Y))
    np.testing.assert_allclose(found, wanted(sigma, tau, C), atol=2e-6)
    np.testing.assert_allclose(scores(*told(recipe, problem(GRAPH), S, Y)), found, atol=1e-6)


def test_the_settings_that_are_right_most_often_are_averaged():
    truth = GRAPH.labels[V]
    each = {C: wanted(0.3, 5.0, C) for C in (30.0, 1.0, 3.0, 10.0, 100.0)}

    def rank(C):
        P = each[C][V]
        return (P.argmax(axis=1) == truth).mean(), np.log(P[np.arange(15), truth]).mean()

    best = sorted(each, key=rank, reverse=True)[:2]
    recipe = "knn-logistic:similar=0.3,tau=5,neighbours=5,average=2"
    found = fitted(recipe, problem(GRAPH), S, Y, (V, truth))
    np.testing.assert_allclose(scores(*found), np.mean([each[C] for C in best], axis=0), atol=2e-6)


def test_more_labels_later_keep_the_settings():
    truth = GRAPH.labels[V]
    learner, state = fitted("knn-logistic:neighbours=5", problem(GRAPH), S, Y, (V, truth))
    settings = [each.setting.copy() for each in state.regressions]
    new = np.setdiff1d(np.arange(39), [*S, *V])
    learner.fit(state, graphol.Given(new, GRAPH.labels[new], V, (truth + 1) % 3))
    for before, now in zip(settings, state.regressions, strict=True):
        assert now.setting.tolist() == before.tolist()


def test_without_features_a_row_says_how_near_other_nodes_are():
    bare = graphol.Graph(GRAPH.adjacency, labels=GRAPH.labels, ids=GRAPH.ids)
    W = GRAPH.adjacency.toarray()
    dense = regressed(smoothed(W / W[W > 0].mean(), np.eye(40), 5.0), S, Y, 3, 10.0)
    found = fitted("knn-logistic:tau=5,C=10", problem(bare), S, Y)
    np.testing.assert_allclose(scores(*found), dense, atol=2e-6)


def test_features_that_nobody_shares():
    alone = graphol.Graph(
        GRAPH.adjacency, labels=GRAPH.labels, ids=GRAPH.ids, features=np.eye(40)
    )
    bare = graphol.Graph(GRAPH.adjacency, labels=GRAPH.labels, ids=GRAPH.ids)
    recipe = "knn-logistic:similar=0.3,tau=5,C=10"
    one, two = (scores(*fitted(recipe, problem(g), S, Y)) for g in (alone, bare))
    np.testing.assert_allclose(one, two, atol=1e-7)
