"""The bank against K perceptrons with whole functions, one read of the kernel in a round."""

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol.bases.memo import Memo
from graphol.testing import switching_reference as twins
from graphol.testing.games import random_switch_game, whole_gram
from graphol.testing.states import same


@attrs.define
class Counting:
    """A kernel that counts how often it is read."""

    features: object
    rows: None = None
    reads: int = 0

    def gram(self, i, js):
        self.reads += 1
        return self.features.gram(i, js)


@settings(max_examples=25)
@given(
    n=st.integers(12, 70), K=st.integers(2, 7), beta=st.floats(0.01, 3),
    share=st.floats(0.001, 0.5), seed=st.integers(0, 10**6),
)  # fmt: skip
def test_equals_its_dense_twin(play, n, K, beta, share, seed):
    task = random_switch_game(n, seed)
    run = play(task, f"perceptron-bank:K={K},beta={beta},share={share}", seed=seed)
    G = whole_gram(task.features, task.graph.n)
    said, w = twins.perceptron_bank(G, run.trace.node, run.trace.label, K, beta, share)
    assert run.trace.predicted.tolist() == said
    np.testing.assert_allclose(run.state.weights, w, rtol=1e-8)


def test_only_the_heaviest_learns(play):
    """As many coefficients are added as mistakes are made, each to one perceptron."""
    run = play(random_switch_game(50, rounds=400), "perceptron-bank")
    moved = np.abs(run.state.coefficients.values).sum()
    assert 0 < moved <= run.trace.n_mistakes
    assert len(run.state.support.values) == len(set(run.state.support.values.tolist()))


def test_the_kernel_is_read_once_a_round(play):
    task = random_switch_game(rounds=120)
    counting = Counting(task.features)
    play(attrs.evolve(task, features=counting), "perceptron-bank")
    assert counting.reads == 120


@pytest.mark.parametrize("delay", [0, 5])
def test_what_is_kept_between_predict_and_update_changes_nothing(play, monkeypatch, delay):
    task = random_switch_game(rounds=400)
    kept = play(task, "perceptron-bank", delay=delay)
    monkeypatch.setattr(Memo, "recall", lambda *_: None)
    afresh = play(task, "perceptron-bank", delay=delay)
    assert kept.trace.predicted.tolist() == afresh.trace.predicted.tolist()
    assert same(kept.state, afresh.state)


def test_an_error_may_cost_everything(play):
    """exp(-beta) is 0 there, and nobody right may have any weight left."""
    for share in (0, 0.02):
        run = play(random_switch_game(), f"perceptron-bank:beta=1e6,share={share}")
        assert run.state.weights.sum() == pytest.approx(1) and run.state.weights.min() >= 0


def test_a_state_that_cannot_be(play):
    task = random_switch_game()
    learner = graphol.make("learner", "perceptron-bank")
    state = play(task, learner).state
    learner.check_state(state, task.graph.n)
    state.weights[0] += 0.5
    with pytest.raises(ValueError, match="not shares of 1"):
        learner.check_state(state, task.graph.n)
