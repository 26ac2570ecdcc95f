"""Regret of finished simulations, by hand, and the bounds on real games."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

import graphol
from graphol import UsageError, simulate
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
