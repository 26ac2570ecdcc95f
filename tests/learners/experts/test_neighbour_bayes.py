"""Naive Bayes of the neighbours, counted anew for every prediction."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol.learners.experts.neighbour_bayes import NeighbourBayes
from graphol.testing.games import blocks, node_game

K = 4


def by_hand(graph, label, ruled_out, bits, who, i):
    """Probabilities at node i from labels and classes ruled out, all sums written out.

    With bits every class may be anywhere, but a row of T is shared out to those met, and k, alone.
    """
    S = graph.adjacency.toarray()
    S = S / S[S > 0].mean()
    n = len(S)
    counts = [int(np.sum(label == k)) + bits for k in range(K)]
    classes = [k for k in range(K) if counts[k]]
    met = {*label[label >= 0].tolist()}.union(*ruled_out)
    T = {}
    for k in classes:
        for c in classes:
            T[k, c] = who.a + who.same * (k == c)
            for u in range(n):
                for v in range(u):
                    if sorted((label[u], label[v])) == sorted((k, c)):
                        T[k, c] += S[u, v] * (1 + (k == c))
        total = sum(T[k, c] for c in classes if c in met or c == k)
        T |= {(k, c): T[k, c] / total for c in classes}
    p = np.zeros(K)
    for k in classes:
        p[k] = counts[k]
        for j in np.flatnonzero(S[i]):
            if label[j] >= 0:
                p[k] *= T[k, label[j]] ** S[i, j]
            elif ruled_out[j]:
                p[k] *= (1 - sum(T[k, c] for c in ruled_out[j])) ** S[i, j]
    return p / p.sum() if p.sum() else p


@settings(max_examples=25, deadline=None)
@given(n=st.integers(9, 16), bits=st.booleans(), seed=st.integers(0, 10**6))
def test_equals_counting_by_hand(n, bits, seed):
    """From labels, some of them corrected, or from bits."""
    graph, who, rng = (
        blocks(n, K=K, seed=seed),
        NeighbourBayes(a=0.7, same=2.0),
        np.random.default_rng(seed),
    )
    state = who.start(node_game(graph=graph).problem(rng))
    label, ruled_out = np.full(n, -1), [set() for _ in range(n)]
    nodes = rng.permutation(n) if bits else rng.integers(n, size=2 * n)
    for t, i in enumerate(nodes.tolist()):
        instance = graphol.Instance(t, i)
        said, truth = who.predict(state, instance), int(rng.integers(K - 1))
        wanted = by_hand(graph, label, ruled_out, bits and t > 0, who, i)
        np.testing.assert_allclose(said.scores, wanted, rtol=1e-9, atol=1e-12)
        right = said.label == truth
        reveal = graphol.Reveal(correct=right) if bits else graphol.Reveal(label=truth)
        who.update(state, instance, said, reveal)
        if right or not bits:
            label[i] = truth
        else:
            ruled_out[i].add(int(said.label))


def test_learns_that_neighbours_differ():
    """On a bipartite graph whose sides are the classes."""
    n = 40
    S = np.zeros((n, n))
    S[: n // 2, n // 2 :] = np.random.default_rng(0).random((n // 2, n // 2)) < 0.3
    graph = graphol.Graph(S + S.T, labels=np.arange(n) // (n // 2))
    task = node_game(graph=graph)
    run = graphol.simulate(NeighbourBayes(), task, repeats=3)
    alike = graphol.simulate(NeighbourBayes(same=1e9), task, repeats=3)
    assert run.error_rate_mean < 0.3 < 0.7 < alike.error_rate_mean


def test_what_was_ruled_out_is_not_said_again():
    who = NeighbourBayes()
    state = who.start(node_game().problem(np.random.default_rng(0)))
    said = set()
    for t in range(2):
        prediction = who.predict(state, graphol.Instance(t, 5))
        said.add(prediction.label)
        who.update(state, graphol.Instance(t, 5), prediction, graphol.Reveal(correct=False))
    last = who.predict(state, graphol.Instance(2, 5))
    assert said | {last.label} == {0, 1, 2} and last.scores[int(last.label)] == pytest.approx(1)
