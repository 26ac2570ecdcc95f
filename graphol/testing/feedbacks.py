"""What every feedback protocol promises."""

from __future__ import annotations

import numpy as np

from graphol.api import NOTHING, Feedback, Instance, Prediction, Reveal

T = 200


def _answers(feedback: Feedback, rng: np.random.Generator) -> list[tuple[int, Prediction, Reveal]]:
    """Truth, prediction and answer of T rounds, half of them wrong, half of them queried."""
    draw = np.random.default_rng(7)
    rounds = []
    for t in range(T):
        truth, label, query = (int(k) for k in draw.integers(0, 2, size=3))
        prediction = Prediction(label, query=bool(query))
        rounds.append((truth, prediction, feedback.reveal(Instance(t), truth, prediction, rng)))
    return rounds


def reveals_what_it_declares(feedback: Feedback) -> None:
    """A learner is never shown more, or other things, than the protocol says."""
    assert feedback.reveals in ("label", "bit")
    for _, _, reveal in _answers(feedback, np.random.default_rng(0)):
        hidden = reveal.correct if feedback.reveals == "label" else reveal.label
        assert hidden is None, f"it declares a {feedback.reveals} but sent {reveal}"


def answers_are_of_the_declared_type(feedback: Feedback) -> None:
    """A bit is a bool and a label is a label of the game."""
    for _, _, reveal in _answers(feedback, np.random.default_rng(0)):
        assert reveal.correct is None or isinstance(reveal.correct, bool | np.bool_)
        assert reveal.label is None or reveal.label in (0, 1)


def same_seed_same_answers(feedback: Feedback) -> None:
    """Results can be repeated: all that is random comes from the rng it is given."""
    one = _answers(feedback, np.random.default_rng(3))
    two = _answers(feedback, np.random.default_rng(3))
    assert one == two


def mask_equals_the_answers(feedback: Feedback) -> None:
    """The fast path plays the same protocol: `answered` says which rounds `reveal` answers."""
    rng = np.random.default_rng(5)
    mask = feedback.answered(T, rng)
    if mask is None:
        return
    assert mask.shape == (T,) and mask.dtype == bool
    slow = np.random.default_rng(5)
    rounds = _answers(feedback, slow)
    asked = [prediction.query or not feedback.on_request for _, prediction, _ in rounds]
    assert [a and bool(m) for a, m in zip(asked, mask, strict=True)] == [
        reveal != NOTHING for _, _, reveal in rounds
    ], "the rounds that `reveal` answers are others than the mask's"
    assert rng.random() == slow.random(), "answered and reveal use the rng differently"
    for truth, prediction, reveal in rounds:
        if reveal != NOTHING:
            told = truth if feedback.reveals == "label" else truth == prediction.label
            shown = reveal.label if feedback.reveals == "label" else reveal.correct
            assert shown == told, "it has a mask, so its answers must be the plain truth"


def scores_some_round(feedback: Feedback) -> None:
    """An error rate exists."""
    assert feedback.scored(10_000).any(), "no round counts"


CHECKS = [
    reveals_what_it_declares,
    answers_are_of_the_declared_type,
    same_seed_same_answers,
    mask_equals_the_answers,
    scores_some_round,
]
