"""Answers that are neither labels nor bits: given, checked, kept, learnt from, late and noisy."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
import pytest

import graphol
from graphol import GrapholError, Prediction, Script, UsageError
from graphol.answers import script_of
from graphol.report.bounds import unusual
from graphol.testing.flips import FlippedBits
from graphol.testing.games import node_game, signal_game


@attrs.frozen
class Cost:
    """What the prediction cost: how far it is from the truth, in every second round."""

    name: ClassVar = "cost"
    reveals: ClassVar = "cost"
    on_request: ClassVar = False

    def blank(self, problem):
        return np.array(np.nan)

    def answer(self, problem, instance, truth, prediction, rng):
        return np.array(abs(truth - prediction.label) * 1.0) if instance.t % 2 == 0 else None

    def scored(self, rounds):
        return np.ones(rounds, dtype=bool)


class Heard(NamedTuple):
    total: np.ndarray


@attrs.frozen
class Payer:
    """Says class 1 and sums up what it paid."""

    name: ClassVar = "payer"
    feedback: ClassVar = "cost"
    learns_from: ClassVar = ("cost", "label")
    targets: ClassVar = ("classes",)
    needs: ClassVar = "nothing"

    def start(self, problem):
        return Heard(np.zeros(1))

    def predict(self, state, instance):
        return Prediction(1, np.array([0.0, 1.0, state.total[0]]))

    def update(self, state, instance, prediction, reveal):
        state.total[0] += reveal.answer if reveal.kind == "cost" else reveal.label
        return 1


def play(learner: Any = None, feedback: Any = None, **options):
    rng = np.random.default_rng(0)
    return graphol.play(node_game(), learner or Payer(), feedback or Cost(), rng, **options)


def test_answers_are_kept_by_their_name_and_learnt_from():
    run = play()
    cost = run.trace.kept["cost"]
    assert np.isnan(cost[1::2]).all()
    np.testing.assert_array_equal(cost[::2], abs(run.trace.label[::2] - 1.0))
    assert run.state.total[0] == cost[::2].sum()
    assert run.trace.answered.tolist() == [t % 2 == 0 for t in range(40)]
    assert run.trace.n_queries == 20 and np.isnan(run.trace.revealed).all()
    assert run.trace.updates.tolist() == run.trace.answered.tolist()


def test_late_answers_are_those_of_their_rounds():
    early, late = play(), play(delay=7)
    np.testing.assert_array_equal(early.trace.kept["cost"], late.trace.kept["cost"])
    assert early.state.total == late.state.total
    scores = [play(delay=d, keep=["scores"]).trace.kept["scores"][:, 2] for d in (0, 7)]
    assert scores[0][:32].tolist() == scores[1][7:39].tolist() and not scores[1][:8].any()


def test_late_answers_stay_what_they_were():
    class Reused(Cost):
        """Writes every answer into the same array."""

        room: ClassVar = np.zeros(())

        def answer(self, problem, instance, truth, prediction, rng):
            self.room[...] = abs(truth - prediction.label)
            return self.room

    run = play(feedback=Reused(), delay=7)
    assert run.state.total[0] == run.trace.kept["cost"].sum() == abs(run.trace.label - 1.0).sum()


def test_noise_is_about_the_truth_that_the_protocol_is_given():
    told = play(noise=0.5).trace
    wrong = told.kept["cost"][::2] != abs(told.label[::2] - 1.0)
    assert 2 <= wrong.sum() <= 15


def test_one_learner_may_understand_several_kinds():
    full = play(feedback=graphol.make("feedback", "full"))
    assert full.state.total[0] == full.trace.label.sum()
    assert full.trace.kept == {}
    np.testing.assert_array_equal(full.trace.revealed, full.trace.label)


def test_who_does_not_understand_is_refused():
    with pytest.raises(UsageError, match="gpa learns from a label, but cost feedback reveals cost"):
        play(learner=graphol.make("learner", "gpa"))
    with pytest.raises(UsageError, match="payer learns from cost or a label, but bandit feedback"):
        play(feedback=graphol.make("feedback", "bandit"))


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"answer": lambda *_: np.zeros(2)}, r"cost answered float64 of shape \(2,\) in round 0"),
        ({"answer": lambda *_: np.array(1j)}, "cost answered complex128"),
        ({"blank": lambda *_: np.array("no")}, "a trace keeps numbers and bits; `blank` gives <U2"),
        ({"reveals": "node"}, "a trace has a column 'node' already"),
        ({"reveals": "scores"}, "a trace has a column 'scores' already"),
        ({"reveals": "file"}, "answers cannot be called 'file'"),
        ({"reveals": "meta.json"}, "answers cannot be called 'meta.json'"),
        ({"reveals": "label"}, "cost reveals label, so it needs `reveal` and `answered`"),
    ],
)
def test_answers_that_do_not_fit_are_named(members, message):
    feedback = type("Odd", (Cost,), members)()
    kinds = ("cost", "node", "scores", "label", "file", "meta.json")
    learner = type("All", (Payer,), {"learns_from": kinds})()
    with pytest.raises(GrapholError, match=message) as error:
        play(learner, feedback)
    assert "\n" not in str(error.value)


def test_mistake_bounds_do_not_apply():
    assert unusual(play().trace) == "not applicable: some rounds were not answered"
    always = type("Always", (Cost,), {"answer": lambda *_: np.array(0.0)})()
    found = unusual(play(feedback=always).trace)
    assert found == "not applicable: answers were neither labels nor bits"


def test_scores_are_kept_where_asked_for_and_change_nothing():
    for name in ("gpa", "molg-f", "molg-b", "ridge", "walk", "kernel-perceptron"):
        arena = node_game()
        learner = graphol.make("learner", name)
        feedback = graphol.make("feedback", learner.feedback)
        usual, kept = (
            graphol.play(arena, learner, feedback, np.random.default_rng(3), keep=keep).trace
            for keep in ((), ("scores",))
        )
        assert usual.kept == {} and kept.meta["compiled"] == usual.meta["compiled"]
        assert kept.predicted.tolist() == usual.predicted.tolist()
        assert kept.kept["scores"].shape == (40, 3)
        if name != "molg-b":  # who plays the best-scored class
            assert kept.kept["scores"].argmax(axis=1).tolist() == kept.predicted.tolist()


def test_scores_of_who_gives_none_are_nan():
    class Mute(type(graphol.make("learner", "gpa"))):
        def predict(self, state, instance):
            return super().predict(state, instance)._replace(scores=None)

    full = graphol.make("feedback", "full")
    trace = graphol.play(node_game(), Mute(), full, np.random.default_rng(0), keep="scores").trace
    assert trace.kept["scores"].shape == (40, 3) and np.isnan(trace.kept["scores"]).all()
    signal = graphol.make("learner", "adagrad")
    trace = graphol.play(
        signal_game("signs"), signal, full, np.random.default_rng(0), keep="scores"
    ).trace
    assert trace.kept["scores"].shape == (60, 1)


def test_scores_of_another_length_are_named():
    class Wide(type(graphol.make("learner", "gpa"))):
        def predict(self, state, instance):
            return super().predict(state, instance)._replace(scores=np.zeros(5))

    full = graphol.make("feedback", "full")
    with pytest.raises(GrapholError, match="gpa gave 5 scores in round 0, there are 3 to keep"):
        graphol.play(node_game(), Wide(), full, np.random.default_rng(0), keep="scores")


def script(found, target="classes", reveals="bit", rounds=4):
    """What the engine makes of it."""
    protocol = type("Odd", (FlippedBits,), {"reveals": reveals, "script": lambda *_: found})()
    rng = np.random.default_rng(0)
    problem = graphol.Problem(target, 3 if target == "classes" else None, dim=0, rng=rng)
    return script_of(protocol, problem, np.ones(rounds, dtype=int), rng)


ALL = np.ones(4, dtype=bool)


@pytest.mark.parametrize(
    ("found", "options", "message"),
    [
        ((ALL,), {}, "script must give a graphol.Script or None, got tuple"),
        (Script(ALL[:2]), {}, r"answered in script\(4\) must give 4 truth values, got bool"),
        (Script(np.ones(4)), {}, "must give 4 truth values, got float64"),
        (Script(ALL, flipped=np.zeros(4, int)), {}, r"flipped in script\(4\) must give 4 truth"),
        (Script(ALL, flipped=~ALL), {"reveals": "label"}, "can be flipped, but it reveals a label"),
        (Script(ALL, np.full(4, 3)), {}, "label in script must be 4 classes of this game"),
        (Script(ALL, np.full(4, -1)), {}, "label in script must be 4 classes of this game"),
        (Script(ALL, np.full(4, 0.5)), {}, "label in script must be 4 classes of this game"),
        (Script(ALL, np.array(["a"] * 4)), {}, "label in script must be 4 classes of this game"),
        (Script(ALL, np.zeros(4, int)), {"target": "signs"}, "must be 4 signs of this game"),
        (Script(ALL, np.full(4, np.nan)), {"target": "real"}, "must be 4 real of this game"),
    ],
)
def test_a_script_that_does_not_fit_is_named(found, options, message):
    """Compiled code would read memory that is not its own."""
    with pytest.raises(GrapholError, match=f"flipped-bits: .*{message}") as error:
        script(found, **options)
    assert "\n" not in str(error.value)


def test_a_script_may_be_declined_and_cannot_change_the_truth():
    assert script(None) is None
    changing = type("Odd", (FlippedBits,), {"script": lambda s, p, y, r: y.fill(0)})()
    rng, truth = np.random.default_rng(0), np.ones(4, dtype=int)
    problem = graphol.Problem("classes", 3, dim=0, rng=rng)
    with pytest.raises(ValueError, match="read-only"):
        script_of(changing, problem, truth, rng)
    assert truth.all()
