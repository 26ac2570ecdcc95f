"""Regret of finished simulations, by hand, and the bounds on real games."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

import graphol
from graphol import UsageError, seeding, simulate
from graphol.bounds.switching import measures, theorem1
from graphol.report.regret import regret
from graphol.testing.games import signal_game

SBM = "sbm:nodes=300,classes=3"


def test_everything_by_hand():
    simulation = simulate("oslg", SBM, repeats=2, seed=4, embedding="spectral:dim=10")
    found = regret(simulation)
    for repeat, (trace, each) in enumerate(zip(simulation.traces, found.repeats, strict=True)):
        stream = simulation.stream(repeat)
        np.testing.assert_array_equal(stream.node, trace.node)
        np.testing.assert_array_equal(stream.truth, trace.label)
        X, y = stream.rows[stream.row], trace.label
        Y = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
        W = np.linalg.lstsq(X, Y, rcond=None)[0]
        assert each.squared == pytest.approx(np.sum((X @ W - Y) ** 2), rel=1e-6)
        assert each.mistakes == np.sum(trace.predicted != y)
        wrong = np.argmax(X @ each.hindsight.W.T, axis=1) != y
        assert each.hindsight.mistakes == wrong.sum() <= np.sum(np.argmax(X @ W, axis=1) != y)
        assert each.regret == each.mistakes - wrong.sum() == each.curve[-1]
        assert each.curve[0] == int(trace.predicted[0] != y[0]) - int(wrong[0])
        assert each.hinge <= np.maximum(0, 1 - _margins(X @ W, y)).sum() + 1e-9
    row = found.row()
    assert list(row) == [
        "mistakes_mean", "hindsight_mistakes_mean", "hindsight_squared_loss_mean",
        "hindsight_hinge_loss_mean", "regret_mean", "regret_std", "bound", "bound_mean",
        "bound_holds", "bound_note", "bound_of_mean", "stated_bounds", "hindsight", "bound_says",
    ]  # fmt: skip
    regrets = [each.regret for each in found.repeats]
    assert row["regret_mean"] == np.mean(regrets)
    assert row["regret_std"] == pytest.approx(np.std(regrets, ddof=1))
    assert (row["bound"], row["bound_holds"], row["bound_note"]) == ("ridge", True, "")


def _margins(scores, y):
    return np.array([f[k] - np.delete(f, k).max() for f, k in zip(scores, y, strict=True)])


def test_whole_streams_share_the_model_and_short_ones_do_not():
    whole = regret(simulate("gpa", SBM, repeats=2)).repeats
    np.testing.assert_array_equal(whole[0].hindsight.W, whole[1].hindsight.W)
    short = regret(simulate("gpa", SBM, repeats=2, rounds=80)).repeats
    assert not np.array_equal(short[0].hindsight.W, short[1].hindsight.W)


def test_rounds_that_do_not_count_are_left_out():
    found = regret(simulate("gpa", SBM, repeats=1, feedback="seeds:count=30")).repeats[0]
    assert len(found.curve) == len(found.hindsight.wrong) < 300
    assert found.bound.why.startswith("not applicable")


LEARNERS = ("gpa", "ollgc", "oslg", "molg-f", "molg-b", "oslg-bandit", "confidit", "banditron")


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("dataset", [SBM, "sbm:nodes=200,classes=2", "digits"])
def test_bounds_hold_on_games(learner, dataset):
    options = {"rounds": 500} if dataset == "digits" else {}
    found = regret(simulate(learner, dataset, repeats=2, embedding="spectral:dim=20", **options))
    assert found.holds and not found.violations
    assert found.bound_mean > found.row()["mistakes_mean"]


def test_signs_and_signals():
    task = graphol.NodeTask((graphol.make("dataset", SBM).load(np.random.default_rng(0)).graph,),
                            name="sbm")  # fmt: skip
    found = regret(simulate("ollgc", graphol.OneVsRest(task, 1), repeats=2))
    assert found.holds and found.repeats[0].hindsight.W.shape[0] == 1
    found = regret(simulate("gpa", signal_game(), repeats=2))
    assert found.holds and found.repeats[0].hindsight.mistakes == 0


def test_a_broken_simulation_is_found_out():
    simulation = simulate("oslg", SBM, repeats=2)
    trace = simulation.traces[1]
    wrong = attrs.evolve(
        trace, predicted=(trace.label + 1) % 3, updates=np.full(300, 3, dtype=np.int32),
        loss=np.ones(300),
    )  # fmt: skip
    found = regret(attrs.evolve(simulation, traces=(simulation.traces[0], wrong)))
    assert found.holds is False
    assert len(found.violations) == 1
    assert found.violations[0].startswith("repeat 1: 300 mistakes, but a bound of ")
    assert found.row()["bound_holds"] is False


def test_what_has_no_regret_is_refused():
    with pytest.raises(UsageError, match="needs the simulation's task"):
        regret(attrs.evolve(simulate("gpa", SBM, repeats=1), task=None))


@pytest.mark.data
@pytest.mark.parametrize("learner", ["oslg", "molg-b", "ollgc"])
@pytest.mark.parametrize(
    "embedding", ["spectral", "spectral:laplacian=combinatorial,trivial=bias,rows=raw"]
)
def test_bounds_hold_on_cora(data_dir, learner, embedding):
    """Also where one column is ten million times the others."""
    if learner == "molg-b" and embedding != "spectral":
        embedding = "spectral:rows=raw,eps=1"
    found = regret(simulate(learner, "cora", embedding=embedding, repeats=1))
    assert found.holds


SWITCHING = "switching-grid:rows=5,cols=5,T=120,S=3"


@pytest.mark.parametrize("fresh", [False, True])
def test_switching_games_against_their_best_labeling(fresh):
    simulation = simulate("kernel-perceptron", SWITCHING, repeats=3, seed=2, fresh_data=fresh)
    found = regret(simulation)
    for i, each in enumerate(found.repeats):
        rng = seeding.fresh_data(2, i) if fresh else seeding.data(2)
        task = graphol.make("dataset", SWITCHING).load(rng)
        stream = task.stream(seeding.order(2, i))
        np.testing.assert_array_equal(simulation.traces[i].label, stream.truth)
        fixed = [np.sum(w[stream.node] != stream.truth) for w in task.labelings]
        assert each.hindsight.mistakes == min(fixed)
        assert each.regret == simulation.traces[i].n_mistakes - min(fixed) == each.curve[-1]
        assert each.measures.theta == pytest.approx(measures(task, stream).theta, rel=1e-9)
        assert each.measures.switches == 3
    row = found.row()
    assert (row["hindsight"], row["bound"], row["bound_note"]) == ("labeling", None, "none known")
    assert np.isnan(row["hindsight_hinge_loss_mean"]) and row["bound_says"] == ""
    assert [each["cuts"] for each in row["measures"]] == [
        list(each.measures.cuts) for each in found.repeats
    ]
    one = found.repeats[1].measures
    both = theorem1(one, one.K, one.theta)
    assert row["measures"][1]["theorem1"] == both.value < row["measures"][1]["theorem1_printed"]
    assert row["measures"][1]["bound"] is None


def test_theorem_1_of_who_is_told_enough():
    whole = "matrix-winnow:eta=theory,K=3,theta=5000"
    row = regret(simulate(whole, SWITCHING, repeats=2)).row()
    assert (row["bound"], row["bound_holds"]) == ("Theorem 1", True)
    assert row["bound_says"] == "above T: says nothing" == row["measures"][0]["bound_says"]
    (printed,) = row["stated_bounds"]
    assert printed["name"] == "Theorem 1 as printed" and printed["proved"] and printed["holds"]
    assert row["bound_mean"] == pytest.approx(np.mean([e["bound"] for e in row["measures"]]))
    for less in (
        "matrix-winnow:eta=theory,K=2,theta=5000", "matrix-winnow:eta=theory,K=3,theta=5",
        "matrix-winnow:eta=8,tau=30", "matrix-winnow:eta=theory,K=3,theta=5000,leaves=mistakes",
    ):  # fmt: skip
        row = regret(simulate(less, SWITCHING, repeats=1)).row()
        assert (row["bound"], row["bound_note"]) == (None, "none known with these parameters")
    shown = f"{SWITCHING},context=labeling"
    row = regret(simulate(whole, shown, repeats=1)).row()
    assert row["bound"] is None and row["measures"][0]["theta"] is None
    row = regret(simulate(whole, SWITCHING, repeats=1, embedding="kernel:R=1")).row()
    assert row["bound"] is None


def test_perceptrons_of_switching_games_keep_their_bounds():
    game = "multitask-grid:rows=4,cols=4,T=300,tasks=6"
    row = regret(simulate("multitask-perceptron:b=2", game, repeats=3, fresh_data=True)).row()
    assert (row["bound"], row["bound_holds"]) == ("multitask", True)
    row = regret(simulate("tracking-perceptron:phi=1e4", SWITCHING, repeats=2)).row()
    assert (row["bound"], row["bound_holds"]) == ("tracking", True)


def test_vectors_of_switching_games_keep_the_bounds_of_vectors():
    found = regret(simulate("gpa", SWITCHING, repeats=2, embedding="spectral:dim=8"))
    assert found.holds and found.row()["hindsight"] == "labeling"
    assert np.isfinite(found.row()["hindsight_hinge_loss_mean"])


def test_measures_are_kept(tmp_path):
    simulation = simulate("kernel-perceptron", SWITCHING, repeats=2)
    found = regret(simulation)
    kept = attrs.evolve(simulation, measures=found.measured)
    kept.save(tmp_path / "results")
    back = graphol.Simulation.load(tmp_path / "results")
    assert back.measures == found.measured == tuple(back.row()["measures"])
    assert back.only([1]).measures == found.measured[1:]


def test_a_sequence_tells_no_labelings():
    task = simulate("kernel-perceptron", SWITCHING, repeats=1).task
    stream = task.stream(np.random.default_rng(0))
    sequence = graphol.tasks.SequenceTask(
        task.graph, stream.node, stream.context, stream.truth, "mine", task.schedule.latent, 120
    )
    played = simulate("kernel-perceptron", sequence, repeats=1)
    with pytest.raises(UsageError, match="which mine does not tell"):
        regret(played)
