"""What every feedback protocol promises."""

from __future__ import annotations

import numpy as np

from graphol.answers import Answers, answers
from graphol.api import (
    NOTHING,
    Feedback,
    GivesAway,
    Instance,
    LabelOrBit,
    Prediction,
    Problem,
    Reveal,
)

T, K = 200, 3

Rounds = list[tuple[int, Prediction, Reveal]]


def _game(feedback: Feedback, rng: np.random.Generator, K: int = K) -> tuple[Rounds, Answers]:
    """Truth, prediction and answer of T rounds, many of them wrong, half of them queried.

    The engine asks in the same way, so an answer that does not fit its column is an error here.
    """
    draw = np.random.default_rng(7)
    shown = answers(feedback, Problem("classes", n_classes=K, dim=0, rng=rng), T)
    rounds: Rounds = []
    for t in range(T):
        truth, label = (int(k) for k in draw.integers(0, K, size=2))
        prediction = Prediction(label, query=bool(draw.integers(0, 2)))
        rounds.append((truth, prediction, shown(Instance(t), truth, prediction)))
    return rounds, shown


def _answers(feedback: Feedback, rng: np.random.Generator, K: int = K) -> Rounds:
    return _game(feedback, rng, K)[0]


def _same(one: Reveal, two: Reveal) -> bool:
    return one[:2] == two[:2] and np.array_equal(one.answer, two.answer)


def reveals_what_it_declares(feedback: Feedback) -> None:
    """A learner is never shown more, or other things, than the protocol says."""
    for _, _, reveal in _answers(feedback, np.random.default_rng(0)):
        if reveal is not NOTHING:
            shown = {"label": reveal.label, "bit": reveal.correct, reveal.kind: reveal.answer}
            kinds = {kind for kind, value in shown.items() if value is not None}
            assert kinds == {feedback.reveals}, f"it declares a {feedback.reveals}: {reveal}"


def answers_are_of_the_declared_type(feedback: Feedback) -> None:
    """A bit is a bool, a label is a label of the game, anything else fits the trace's column."""
    for classes in (2, K):
        for _, _, reveal in _answers(feedback, np.random.default_rng(0), classes):
            assert reveal.correct is None or isinstance(reveal.correct, bool | np.bool_)
            assert reveal.label is None or reveal.label in range(classes)


def same_seed_same_answers(feedback: Feedback) -> None:
    """Results can be repeated: all that is random comes from the rng it is given."""
    one = _answers(feedback, np.random.default_rng(3))
    two = _answers(feedback, np.random.default_rng(3))
    assert all(_same(a, b) for (*_, a), (*_, b) in zip(one, two, strict=True))


def mask_equals_the_answers(feedback: Feedback) -> None:
    """The fast path plays the same protocol: `answered` says which rounds `reveal` answers."""
    if not isinstance(feedback, LabelOrBit):
        return
    rng = np.random.default_rng(5)
    mask = feedback.answered(T, rng)
    if mask is None:
        return
    assert mask.shape == (T,) and mask.dtype == bool
    slow = np.random.default_rng(5)
    rounds = _answers(feedback, slow)
    asked = [prediction.query or not feedback.on_request for _, prediction, _ in rounds]
    assert [a and bool(m) for a, m in zip(asked, mask, strict=True)] == [
        reveal is not NOTHING for _, _, reveal in rounds
    ], "the rounds that `reveal` answers are others than the mask's"
    assert rng.random() == slow.random(), "answered and reveal use the rng differently"
    for truth, prediction, reveal in rounds:
        if reveal is not NOTHING:
            told = truth if feedback.reveals == "label" else truth == prediction.label
            shown = reveal.label if feedback.reveals == "label" else reveal.correct
            assert shown == told, "it has a mask, so its answers must be the plain truth"


def scores_some_round(feedback: Feedback) -> None:
    """An error rate exists."""
    assert feedback.scored(10_000).any(), "no round counts"


def gives_away_what_it_answers(feedback: Feedback) -> None:
    """Learners that are fitted play the same game: they get what others are told, unscored."""
    if not isinstance(feedback, GivesAway):
        return
    given = feedback.given(T)
    assert given.shape == (T,) and given.dtype == bool
    told = [reveal.label is not None for *_, reveal in _answers(feedback, np.random.default_rng(6))]
    assert not (given & ~np.array(told)).any(), "others are not told what it gives away"
    assert not (given & feedback.scored(T)).any(), "it scores what it gives away"


CHECKS = [
    reveals_what_it_declares,
    answers_are_of_the_declared_type,
    same_seed_same_answers,
    mask_equals_the_answers,
    scores_some_round,
    gives_away_what_it_answers,
]
