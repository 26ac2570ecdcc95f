"""The compiled stream of learners from neighbours against their plain rounds, byte by byte."""

import numpy as np
import pytest

import graphol
from graphol.api import Played, Stretch
from graphol.states import parts
from graphol.testing.games import blocks, node_game

K, ROUNDS = 4, 240
NAMES = ("neighbour-bayes", "neighbour-histogram", "neighbour-logistic")


def weighted(seed):
    """Blocks with weights of all sizes, and a node without neighbours."""
    S = blocks(60, K=K, seed=seed).adjacency.toarray()
    rng = np.random.default_rng(seed)
    factor = np.exp(rng.normal(size=S.shape))
    S *= factor + factor.T
    S[7] = S[:, 7] = 0.0
    return graphol.Graph(S, labels=np.arange(60) % K)


def plain(learner, state, nodes, told, answered, flipped, bits):
    """The rounds one by one, as the interfaces tell them."""
    said = []
    for t, (i, y) in enumerate(zip(nodes.tolist(), told.tolist(), strict=True)):
        instance = graphol.Instance(t, i)
        prediction = learner.predict(state, instance)
        right = (prediction.label == y) != bool(flipped[t])
        reveal = graphol.Reveal(correct=right) if bits else graphol.Reveal(label=y)
        updates = learner.update(state, instance, prediction, reveal) if answered[t] else 0
        said.append((prediction, updates))
    return said


@pytest.mark.parametrize("bits", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_both_loops_leave_the_same_bytes(name, bits):
    """Nodes come again, with other labels; some rounds are not answered, some bits turned round."""
    learner = graphol.make("learner", name)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        nodes, told = rng.integers(60, size=ROUNDS), rng.integers(K, size=ROUNDS)
        answered, flipped = rng.random(ROUNDS) < 0.9, bits & (rng.random(ROUNDS) < 0.1)
        problem = node_game(graph=weighted(seed)).problem(rng)
        fast, slow = learner.start(problem), learner.start(problem)
        out = Played(
            np.zeros(ROUNDS, np.int32), np.zeros(ROUNDS, np.int32), np.ones(ROUNDS, bool),
            np.ones(ROUNDS, bool), np.zeros((ROUNDS, K)),
        )  # fmt: skip
        nothing = np.zeros((60, 0))
        stretch = Stretch(
            nothing, nodes, nodes, np.full(ROUNDS, -1), told, answered, 0, flipped, bits
        )
        learner.stream(fast, stretch, out)
        said = plain(learner, slow, nodes, told, answered, flipped, bits)
        assert out.predicted.tolist() == [prediction.label for prediction, _ in said]
        assert out.known.tolist() == [prediction.known for prediction, _ in said]
        assert not out.known.all() and out.known.any()
        assert out.updates.tolist() == [updates for _, updates in said]
        assert out.scores.tobytes() == np.array([p.scores for p, _ in said]).tobytes()
        for part, array in parts(fast).items():
            assert array.tobytes() == parts(slow)[part].tobytes(), part
