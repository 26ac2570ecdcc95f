"""Logistic regression on neighbours against its gradient by differences, and a dense twin."""

import numpy as np
import pytest

import graphol
from graphol.learners.experts.neighbour_logistic import FIRST
from graphol.testing.games import blocks, node_game


def features(graph):
    """One dense row per node: neighbours, scaled, and the bias."""
    S = graph.adjacency.toarray()
    S = S / S[S > 0].mean()
    d = S.sum(axis=1, keepdims=True)
    X = np.divide(S, np.sqrt(d), out=np.zeros_like(S), where=d > 0)
    return np.hstack([X, np.ones((len(S), 1))])


def loss(W, x, classes, label=None, wrong=None):
    z = x @ W[:, classes]
    p = np.exp(z) / np.exp(z).sum()
    if label is not None:
        return -np.log(p[classes.index(label)])
    return -np.log(1 - p[classes.index(wrong)])


def by_differences(W, x, classes, **told):
    gradient = np.zeros_like(W)
    for entry in np.ndindex(*W.shape):
        step = np.zeros_like(W)
        step[entry] = 1e-6
        both = loss(W + step, x, classes, **told) - loss(W - step, x, classes, **told)
        gradient[entry] = both / 2e-6
    return gradient


@pytest.mark.parametrize("bits", [False, True])
def test_every_step_is_adagrad_on_the_loss(bits):
    """Softmax over classes seen, or from bits over all; a wrong answer has a loss of its own."""
    graph, who = blocks(14, K=3, seed=3), graphol.make("learner", "neighbour-logistic:step=0.5")
    rng = np.random.default_rng(1)
    state = who.start(node_game(graph=graph).problem(rng))
    X = features(graph)
    W, G, seen = np.zeros((15, 3)), np.full((15, 3), FIRST), set()
    for t, i in enumerate(rng.permutation(14).tolist()):
        instance = graphol.Instance(t, i)
        said, truth = who.predict(state, instance), int(rng.integers(3))
        right = said.label == truth
        reveal = graphol.Reveal(correct=right) if bits else graphol.Reveal(label=truth)
        who.update(state, instance, said, reveal)
        seen |= {0, 1, 2} if bits else {truth}
        answer = {"label": truth} if right or not bits else {"wrong": int(said.label)}
        gradient = by_differences(W, X[i], sorted(seen), **answer)
        gradient[np.abs(gradient) < 1e-8] = 0.0  # differences are not exact
        G += gradient**2
        W -= 0.5 * gradient / np.sqrt(G)
        np.testing.assert_allclose(state.W, W, rtol=0, atol=1e-5)
        W[:], G[:] = state.W, state.G


def test_scores_are_the_softmax_over_classes_seen():
    task = node_game(graph=blocks(40, K=4, seed=1))
    who = graphol.make("learner", "neighbour-logistic")
    full = graphol.make("feedback", "full")
    state = graphol.play(task, who, full, np.random.default_rng(0)).state
    wider = who.grow(state, 6)
    X = features(task.graph)
    for i in range(40):
        z = np.exp(X[i] @ state.W)
        said = who.predict(wider, graphol.Instance(0, i))
        np.testing.assert_allclose(said.scores, [*z / z.sum(), 0, 0], rtol=1e-9)
        assert said.known == (i != 39)  # which has no edge
