"""What every feedback protocol promises."""

from __future__ import annotations

import numpy as np

from graphol.answers import Answers, answers, script_of
from graphol.api import (
    NOTHING,
    Feedback,
    GivesAway,
    Instance,
    LabelOrBit,
    Prediction,
    Problem,
    Reveal,
    Script,
    Scripted,
)
from graphol.engine import play
from graphol.registry import registry
from graphol.testing.games import OrderedTask, blocks, spectral_rows

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
    _compare(feedback, Script(mask), _answers(feedback, slow), "mask")
    assert rng.random() == slow.random(), "answered and reveal use the rng differently"


def script_equals_the_answers(feedback: Feedback) -> None:
    """The fast path plays the same protocol: `script` says what `reveal` shows, round by round."""
    if not isinstance(feedback, LabelOrBit) or not isinstance(feedback, Scripted):
        return
    for classes in (2, K):
        rng, slow = np.random.default_rng(5), np.random.default_rng(5)
        rounds = _answers(feedback, slow, classes)
        truth = np.array([y for y, _, _ in rounds])
        problem = Problem("classes", n_classes=classes, dim=0, rng=rng)
        script = script_of(feedback, problem, truth, rng)
        if script is not None:
            _compare(feedback, script, rounds, "script")
            assert rng.random() == slow.random(), "script and reveal use the rng differently"


def _compare(feedback: Feedback, script: Script, rounds: Rounds, what: str) -> None:
    asked = [prediction.query or not feedback.on_request for _, prediction, _ in rounds]
    assert [a and bool(m) for a, m in zip(asked, script.answered, strict=True)] == [
        reveal is not NOTHING for _, _, reveal in rounds
    ], f"the rounds that `reveal` answers are others than the {what}'s"
    for t, (truth, prediction, reveal) in enumerate(rounds):
        if reveal is not NOTHING:
            label = truth if script.label is None else script.label[t]
            flipped = script.flipped is not None and script.flipped[t]
            told = label if feedback.reveals == "label" else (label == prediction.label) != flipped
            shown = reveal.label if feedback.reveals == "label" else reveal.correct
            rule = "it has a mask, so its answers must be the plain truth"
            assert shown == told, rule if what == "mask" else f"round {t}: the script says {told}"


def both_loops_play_it_alike(feedback: Feedback) -> None:
    """A compiled learner plays the protocol as any other does: the same trace, bit for bit."""
    if not isinstance(feedback, LabelOrBit):
        return
    learner = registry().make("learner", "gpa" if feedback.reveals == "label" else "banditron")
    graph, rounds = blocks(), T if feedback.scored(T).any() else 10_000
    order = np.arange(rounds) % graph.n
    task = OrderedTask((graph,), name="again", features=spectral_rows(graph), order=order)
    fast, slow = (
        play(task, learner, feedback, np.random.default_rng(8), compiled=compiled).trace
        for compiled in (True, False)
    )
    for column in ("predicted", "updates", "queried", "revealed", "answered"):
        one, two = getattr(fast, column), getattr(slow, column)
        assert np.array_equal(one, two, equal_nan=True), f"{column} differs between the loops"


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
    script_equals_the_answers,
    both_loops_play_it_alike,
    scores_some_round,
    gives_away_what_it_answers,
]
