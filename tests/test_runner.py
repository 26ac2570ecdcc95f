"""Which repeats, of which data, in which games."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
import pytest

import graphol
from graphol import InputError, UsageError, simulate
from graphol.plan import Plan
from graphol.runner import simulate_at, simulate_by
from graphol.testing.games import signal_game

SBM = "sbm:nodes=80,classes=3"
PIXELS = "digit-pixels:train=50"


def columns(trace):
    return {name: getattr(trace, name) for name in graphol.Trace.columns()}


def assert_same(one, two):
    for name, column in columns(one).items():
        np.testing.assert_array_equal(column, columns(two)[name])


@pytest.mark.parametrize("fresh", [False, True])
def test_a_repeat_is_the_same_alone_and_among_others(fresh):
    all_ = simulate("molg-b", SBM, repeats=4, seed=5, fresh_data=fresh)
    some = simulate("molg-b", SBM, repeats=range(2, 4), seed=5, fresh_data=fresh, jobs=2)
    for one, two in zip(all_.traces[2:], some.traces, strict=True):
        assert_same(one, two)
    assert [trace.meta["repeat"] for trace in some.traces] == [2, 3]
    row = some.row()
    assert (row["repeats"], row["recipe"]["engine"]["repeats"]) == (2, "2-3")


def test_fresh_data_are_those_of_the_repeat():
    result = simulate("gpa", SBM, repeats=3, seed=5, fresh_data=True)
    for repeat, trace in enumerate(result.traces):
        task = graphol.make("dataset", SBM).load(np.random.default_rng([5, repeat + 1]))
        order = np.random.default_rng([5, repeat + 1]).spawn(4)[0].permutation(80)
        np.testing.assert_array_equal(trace.node, order)
        np.testing.assert_array_equal(trace.label, task.graph.labels[order])
    assert result.task is None


def test_fresh_signals_are_played_as_they_were_drawn():
    trace = simulate("da-iht:s=5", PIXELS, repeats=range(4, 5), fresh_data=True).traces[0]
    task = graphol.make("dataset", PIXELS).load(np.random.default_rng([0, 5]))
    np.testing.assert_array_equal(trace.label, task.truth)


def test_fresh_data_in_processes():
    one, two = (
        simulate("gpa", SBM, repeats=3, fresh_data=True, compiled=False, jobs=jobs)
        for jobs in (1, 2)
    )
    for a, b in zip(one.traces, two.traces, strict=True):
        assert_same(a, b)


SPARSE = "sbm:nodes=40,classes=2,degree_in=3,degree_out=1"


@pytest.mark.parametrize("jobs", [1, 2])
def test_notes_are_of_all_repeats_of_fresh_data(jobs):
    """Which repeats have isolated nodes, and how many, is counted on the data drawn again."""
    dataset = graphol.make("dataset", SPARSE)
    alone = {}
    for repeat in range(2, 8):
        W = dataset.load(np.random.default_rng([5, repeat + 1])).graph.adjacency
        alone[repeat] = int(np.sum(np.diff(W.indptr) == 0))
    with_some = [repeat for repeat, count in alone.items() if count]
    assert alone[2] == 0 and 1 < len(with_some) < 6  # the first repeat has nothing to say
    counts = {alone[repeat] for repeat in with_some}
    result = simulate("gpa", SPARSE, repeats=range(2, 8), seed=5, fresh_data=True, jobs=jobs)
    (note,) = (note for note in result.notes if "isolated" in note)
    head, _, which = note.partition(" (repeats ")
    assert head == f"{min(counts)} to {max(counts)} isolated node(s)"
    named = []
    for stretch in which.removesuffix(")").split(", "):
        first, _, last = stretch.partition("-")
        named += range(int(first), int(last or first) + 1)
    assert named == with_some
    (alone_now,) = (
        simulate("gpa", SPARSE, repeats=range(r, r + 1), seed=5, fresh_data=True).notes
        for r in with_some[:1]
    )
    assert f"{alone[with_some[0]]} isolated node(s)" in alone_now


def test_one_vs_rest_is_the_mean_over_classes():
    result = simulate("sslgc", SBM, repeats=2, seed=1, one_vs_rest=True)
    task = graphol.make("dataset", SBM).load(np.random.default_rng([1, 0]).spawn(2)[0])
    games = [simulate("sslgc", graphol.OneVsRest(task, k), repeats=2, seed=1) for k in range(3)]
    rates = np.array([game.error_rates for game in games])  # (class, repeat)
    row = result.row()
    np.testing.assert_allclose(result.error_rates, rates.mean(axis=0))
    assert row["error_rate_std"] == pytest.approx(rates.mean(axis=0).std(ddof=1))
    assert row["queries_mean"] == pytest.approx(np.mean([g.row()["queries_mean"] for g in games]))
    assert (row["repeats"], row["rounds"], len(result.traces)) == (2, 80, 6)


@pytest.mark.parametrize(
    ("dataset", "options", "message"),
    [
        ("digits", {"fresh_data": True}, "digits is read, not generated"),
        (signal_game(), {"fresh_data": True}, "is given as a value; leave fresh_data out"),
        (
            PIXELS,
            {"one_vs_rest": True},
            "no graph with classes of nodes; leave one_vs_rest=True out",
        ),
    ],
)
def test_what_cannot_be_drawn_or_split_is_refused(dataset, options, message):
    with pytest.raises(UsageError) as error:
        simulate("gpa", dataset, repeats=1, **options)
    assert message in str(error.value) and "\n" not in str(error.value)


class Guessed(graphol.make("feedback", "full").__class__):
    """Answers when the prediction is wrong, which nobody knows beforehand."""

    name = "guessed"

    def answered(self, rounds, rng):
        return None


@pytest.mark.parametrize(
    ("learner", "options", "why"),
    [
        ("gpa", {"delay": 2}, "answers come late"),
        ("gpa", {"feedback": Guessed()}, "guessed does not say beforehand which rounds it answers"),
        ("gpa", {"compiled": False}, None),  # as it was told
        ("gpa", {}, None),
        ("kernel-perceptron", {}, None),  # has no compiled loop
    ],
)
def test_why_the_plain_loop_played_is_a_note(learner, options, why):
    result = simulate(learner, SBM.replace("3", "2"), repeats=2, **options)
    assert [note for note in result.notes if "compiled" in note] == (
        [f"{learner} was played round by round, not compiled: {why}"] if why else []
    )
    assert result.traces[0].meta["compiled"] == (not options and learner == "gpa")


def test_scores_that_compiled_code_does_not_give_are_a_note():
    gpa = graphol.make("learner", "gpa")

    class Doubled(type(gpa)):
        def predict(self, state, instance):
            said = super().predict(state, instance)
            return said._replace(scores=2 * said.scores)

    for learner, why in ((gpa, []), (Doubled(), ["its compiled code gives no scores to keep"])):
        result = simulate(learner, SBM.replace("3", "2"), repeats=2, keep=["scores"])
        assert result.traces[0].meta["compiled"] == (not why)
        assert [note.partition(", not compiled: ")[2] for note in result.notes] == why


@pytest.mark.parametrize(("learner", "always"), [("molg-f", True), ("sslgc", False)])
def test_who_asks_always_is_told_that_selective_feedback_kept_nothing_back(learner, always):
    result = simulate(learner, "sbm:nodes=80,classes=2", feedback="selective", repeats=2)
    said = f"{learner} asked in every round, so selective feedback kept nothing back"
    assert (said in result.notes) == always
    assert always == all(trace.queried.all() for trace in result.traces)


@pytest.mark.parametrize("kind", ["feedback", "embedding"])
def test_an_empty_name_is_not_the_default(kind):
    with pytest.raises(UsageError, match=f"unknown {kind} '': there are: "):
        simulate("gpa", SBM, **{kind: ""})


def test_nodes_that_no_label_reaches_are_noted():
    """a-b-c have labels; d-e has one, which nothing else can tell; f-g and h have none."""
    graph = graphol.Graph.from_edges(
        ["a", "b", "d", "f"], ["b", "c", "e", "g"], ids="abcdefgh",
        labels=[0, 1, 0, 1, -1, -1, -1, -1],
    )  # fmt: skip
    notes = simulate("molg-f", graph, repeats=1).notes
    assert notes == (
        "4 components; graph.largest_component() keeps one",
        "1 isolated node(s)",
        "doubtful: 1 of 4 labelled node(s) are guessed: no edges lead from them to another label",
        "3 node(s) that no label reaches: no edges lead from them to one",
    )


def test_no_note_advises_a_component_that_cannot_be_played():
    """Its largest component has one class, so the advice would be refused."""
    graph = graphol.Graph.from_edges("abdf", "bceg", labels=[0, 0, 0, 1, 0, 1, 1])
    assert simulate("molg-f", graph, repeats=1).notes == ("3 components",)
    with pytest.raises(InputError, match=r"1 class.* \(4 node\(s\) left out: 3 kept\)"):
        simulate("molg-f", graph.largest_component(), repeats=1)


def test_a_protocol_is_asked_about_the_rounds_that_were_played():
    """Why a game was not compiled is found out after it; a result must not be lost by asking."""

    @attrs.frozen
    class Patient:
        """Knows nothing of games of one round."""

        name: ClassVar[str] = "patient"
        reveals: ClassVar[str] = "label"
        on_request: ClassVar[bool] = False

        def reveal(self, instance, truth, prediction, rng):
            return graphol.Reveal(label=truth)

        def answered(self, rounds, rng):
            assert rounds == 20

        def scored(self, rounds):
            return np.ones(rounds, dtype=bool)

    result = simulate("gpa", SBM, feedback=Patient(), repeats=1, rounds=20)
    assert "patient does not say beforehand which rounds it answers" in result.notes[-1]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("learner", "data"),
    [("molg-b", SBM), ("molg-f", SBM), ("da-iht:s=6", PIXELS), ("graphda:s=6", PIXELS)],
)
def test_a_stop_is_a_game_of_so_many_rounds(learner, data, compiled):
    plan = Plan(repeats=range(1, 3), seed=2, compiled=compiled, fresh_data=data == PIXELS)
    found = simulate_at(plan, [learner], data, [7, 33, 50])
    assert list(found) == [7, 33, 50]
    for rounds, (stopped,) in found.items():
        (game,) = simulate_by(attrs.evolve(plan, rounds=rounds), [learner], data)
        for one, two in zip(stopped.traces, game.traces, strict=True):
            assert_same(one, two)
            assert one.meta["compiled"] is two.meta["compiled"] is compiled
        assert (stopped.scores, stopped.recipe) == (game.scores, game.recipe)
        for one, two in zip(stopped.weights, game.weights, strict=True):
            assert {k: w.tolist() for k, w in one.items()} == {
                k: w.tolist() for k, w in two.items()
            }


@pytest.mark.parametrize("compiled", [True, False])
def test_stops_beyond_the_end_and_twice(compiled):
    plan = Plan(repeats=range(2), compiled=compiled)
    found = simulate_at(plan, ["gpa", "walk"], SBM, [81, 5, 80, 5, 200])
    assert list(found) == [5, 80, 81, 200]
    for rounds, both in found.items():
        for learner, stopped in zip(("gpa", "walk"), both, strict=True):
            (game,) = simulate_by(attrs.evolve(plan, rounds=rounds), [learner], SBM)
            assert stopped.recipe == game.recipe
            for one, two in zip(stopped.traces, game.traces, strict=True):
                assert_same(one, two)
                assert one.meta["engine"] == two.meta["engine"]
    with pytest.raises(UsageError, match="no stops"):
        simulate_at(plan, ["gpa"], SBM, [])


def test_who_overflows_is_left_out_from_there_on():
    game = signal_game("real", rounds=40)
    samples = game.samples.copy()
    samples[20:] *= 1e90
    game = attrs.evolve(game, samples=samples, given_order=True)
    found = simulate_at(Plan(repeats=range(1)), ["adagrad", "da-iht:s=3"], game, [10, 20, 40])
    assert [len(found[stop]) for stop in (10, 20, 40)] == [2, 2, 0]


@pytest.mark.parametrize("plan", [{"delay": 2}, {"noise": 0.1}, {"fuse": 3}])
def test_what_is_no_beginning_of_a_longer_game_has_no_stops(plan):
    with pytest.raises(UsageError, match="no beginning of a longer one"):
        simulate_at(Plan(repeats=range(1), **plan), ["gpa"], SBM, [5, 10])
