"""The mean of the neighbours' histograms, counted anew for every prediction."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol.testing.games import blocks, node_game


def by_hand(graph, label, K, c, i):
    S = graph.adjacency.toarray()
    S = S / S[S > 0].mean()
    prior = np.array([np.mean(label[label >= 0] == k) for k in range(K)])
    total = np.zeros(K)
    for j in np.flatnonzero(S[i]):
        histogram = np.zeros(K)
        for other in range(len(S)):
            if label[other] >= 0:
                histogram[label[other]] += S[j, other] + (other == j)
        if histogram.sum():
            total += S[i, j] * histogram / histogram.sum()
    if not total.any():
        return prior, False
    return (total / total.sum() + c * prior) / (1 + c), True


@settings(max_examples=25, deadline=None)
@given(n=st.integers(9, 25), seed=st.integers(0, 10**6))
def test_equals_counting_by_hand(n, seed):
    """Some labels are corrected later."""
    K, rng = 3, np.random.default_rng(seed)
    graph, who = blocks(n, K=K, seed=seed), graphol.make("learner", "neighbour-histogram:c=0.02")
    state = who.start(node_game(graph=graph).problem(rng))
    label = np.full(n, -1)
    for t, i in enumerate(rng.integers(n, size=2 * n).tolist()):
        instance = graphol.Instance(t, i)
        said = who.predict(state, instance)
        if t:
            wanted, known = by_hand(graph, label, K, 0.02, i)
            np.testing.assert_allclose(said.scores, wanted, rtol=1e-9, atol=1e-12)
            assert said.known == known
        label[i] = rng.integers(K)
        who.update(state, instance, said, graphol.Reveal(label=int(label[i])))


def test_right_bits_are_labels():
    """Told bits, it counts what it knows: the histograms are those of the right answers."""
    task = node_game(graph=blocks(60, K=3, seed=2))
    who = graphol.make("learner", "neighbour-histogram")
    bandit = graphol.make("feedback", "bandit")
    run = graphol.play(task, who, bandit, np.random.default_rng(0))
    right = run.trace.predicted == run.trace.label
    same = who.start(task.problem(np.random.default_rng(0)))
    for node, label in zip(run.trace.node[right], run.trace.label[right], strict=True):
        instance = graphol.Instance(0, int(node))
        who.update(same, instance, who.predict(same, instance), graphol.Reveal(label=int(label)))
    np.testing.assert_allclose(run.state.N, same.N, atol=1e-12)
    assert run.state.known.plays.sum() == 60 and 20 < right.sum() < 60
