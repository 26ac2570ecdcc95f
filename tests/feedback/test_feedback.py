"""What each protocol shows, round by round."""

import numpy as np
import pytest

import graphol
from graphol import NOTHING, Instance, Prediction, Reveal


def answers(spec, rounds=1000, seed=0, **prediction):
    feedback = graphol.make("feedback", spec)
    rng = np.random.default_rng(seed)
    said = Prediction(1, **prediction)
    return [feedback.reveal(Instance(t), t % 3, said, rng) for t in range(rounds)]


def test_full_shows_every_label():
    assert answers("full") == [Reveal(label=t % 3) for t in range(1000)]


def test_bandit_shows_one_bit():
    assert answers("bandit") == [Reveal(correct=t % 3 == 1) for t in range(1000)]


def test_selective_shows_what_is_asked_for():
    assert answers("selective", query=True) == answers("full")
    assert answers("selective", query=False) == [NOTHING] * 1000


@pytest.mark.parametrize("p", [0.0, 0.2, 1.0])
def test_random_query_answers_at_its_rate(p):
    """Hoeffding: 20000 draws stray from p by more than 0.02 with probability below 1e-6."""
    shown = [reveal != NOTHING for reveal in answers(f"random-query:p={p}", rounds=20_000)]
    assert np.mean(shown) == pytest.approx(p, abs=0.02 if 0 < p < 1 else 0)


def test_random_query_draws_the_same_at_once_and_one_by_one():
    feedback = graphol.make("feedback", "random-query:p=0.3")
    mask = feedback.answered(1000, np.random.default_rng(0))
    assert mask.tolist() == [reveal != NOTHING for reveal in answers("random-query:p=0.3")]


def test_seeds_gives_the_first_and_scores_the_rest():
    feedback = graphol.make("feedback", "seeds:count=7")
    assert answers("seeds:count=7", rounds=10) == [
        *(Reveal(label=t % 3) for t in range(7)), NOTHING, NOTHING, NOTHING,
    ]  # fmt: skip
    assert feedback.scored(101)[[0, 6, 7, 100]].tolist() == [False, False, True, True]


@pytest.mark.parametrize("spec", ["random-query:p=1.5", "random-query:p=-1", "seeds:count=0"])
def test_bad_settings(spec):
    with pytest.raises(graphol.UsageError, match="must be >="):
        graphol.make("feedback", spec)
