"""Regret of learners over signals in their own loss, played by hand."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

import graphol
from graphol.bounds import sparse
from graphol.report.losses import loss_regret
from graphol.report.regret import regret
from graphol.testing.games import signal_game


def by_hand(learner, task, stream):
    """The learner's loss, round by round, through its own methods."""
    state = learner.start(task.problem(np.random.default_rng(0)))
    real, total = task.target == "real", 0.0
    for t, (row, y) in enumerate(zip(stream.row, stream.truth, strict=True)):
        asked = graphol.Instance(t=t, node=-1, x=task.samples[row])
        said = learner.predict(state, asked)
        s = float(said.scores[0])
        total += 0.5 * (s - y) ** 2 if real else np.logaddexp(0.0, -y * s)
        learner.update(state, asked, said, graphol.Reveal(label=float(y)))
    return total


@pytest.mark.parametrize("spec", ["graphda:s=4", "da-iht:s=4", "adam", "l1-rda"])
@pytest.mark.parametrize("target", ["signs", "real"])
def test_regret_by_hand(spec, target):
    task = signal_game()
    if target == "real":
        task = attrs.evolve(task, target="real", truth=task.samples[:, 0] + 0.5)
    learner = graphol.make("learner", spec)
    played = graphol.simulate(learner, task, repeats=2, seed=3)
    for i, found in enumerate(loss_regret(played)):
        assert found.loss == pytest.approx(by_hand(learner, task, played.stream(i)))
        fit = sparse.refitted(
            task.samples, task.truth.astype(float), task.support, real=target == "real"
        )
        assert found.against["true support"] == pytest.approx(found.loss - fit.loss, rel=1e-6)
        assert set(found.convex) == {"true support", "connected"}


def test_short_games_are_held_against_their_own_samples():
    whole = graphol.simulate("da-iht:s=4", signal_game(), repeats=1)
    short = graphol.simulate("da-iht:s=4", signal_game(), repeats=1, rounds=10)
    assert loss_regret(short)[0].loss < loss_regret(whole)[0].loss
    rows = short.stream(0).row
    task = signal_game()
    fit = sparse.refitted(
        task.samples[rows], task.truth[rows].astype(float), task.support, real=False
    )
    found = loss_regret(short)[0]
    assert found.loss - found.against["true support"] == pytest.approx(fit.loss, abs=1e-3)


def test_it_is_in_the_report_and_never_a_violation():
    found = regret(graphol.simulate("graphda:s=4", signal_game(), repeats=2))
    names = [row["name"] for row in found.row()["stated_bounds"]]
    assert names == ["convex figure against true support", "convex figure against connected"]
    assert not any(row["proved"] for row in found.row()["stated_bounds"])
    assert found.violations == []


def test_others_have_none():
    with pytest.raises(graphol.UsageError, match="learners over signals"):
        loss_regret(graphol.simulate("gpa", "sbm:nodes=60,classes=2", repeats=1))
