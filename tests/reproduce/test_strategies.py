"""Answers until the goal, on a small graph."""

import attrs
import numpy as np
import pytest

from graphol.interval import paired
from graphol.label.game import simulate_asking
from graphol.reproduce import run
from graphol.reproduce.strategies import EVERY, SHARE, STRATEGIES, accuracy

SBM = "sbm:nodes=90,classes=3,degree_in=5,degree_out=2"
SMALL = attrs.evolve(
    STRATEGIES,
    entries=tuple(
        attrs.evolve(entry, learner="label-propagation")
        for entry in STRATEGIES.entries
        if entry.label in ("random", "uncertainty")
    ),
    most=60,
)


@pytest.fixture(scope="module")
def found():
    return run(SMALL, datasets=[SBM], repeats=range(3, 6))


def test_the_figure_is_the_first_round_at_which_the_goal_is_reached(found):
    """Read off the traces of the game that `graphol simulate --strategy` plays."""
    goal = SHARE * accuracy(SMALL.desk(repeats=range(3, 6)), SBM, _learner())
    assert len(found.rows) == 2
    for row in found.rows:
        played = simulate_asking(
            "label-propagation", SBM, row.learner, every=EVERY, rounds=60, repeats=range(3, 6)
        )
        for trial, trace in zip(row.trials, played.traces, strict=True):
            reached = np.flatnonzero(1 - trace.kept["rest"] >= goal)
            assert trial["reached"] == bool(len(reached))
            assert trial["measured"] == (reached[0] + 1 if len(reached) else 60)
        assert row.measured == np.mean([trial["measured"] for trial in row.trials])


def _learner():
    import graphol

    return graphol.make("learner", "label-propagation")


def test_accuracy_against_ten_fits_by_hand():
    """Every label is predicted once, by a learner that was told the labels of the other folds."""
    import graphol

    desk, learner = SMALL.desk(repeats=1), _learner()
    task = desk.task(SBM)
    labels = task.graph.labels
    nodes = np.random.default_rng(0).permutation(len(labels))
    right = []
    for held in np.array_split(nodes, 10):
        told = np.setdiff1d(nodes, held)
        problem = task.problem(np.random.default_rng(0))
        state = learner.start(problem)
        learner.fit(state, graphol.Given(told, labels[told]))
        right += [learner.predict(state, graphol.Instance(0, i)).label == labels[i] for i in held]
    assert accuracy(desk, SBM, learner) == pytest.approx(np.mean(right))


def test_what_is_not_reached_is_said_and_losses_are_told(found):
    short = attrs.evolve(SMALL, most=12)
    said = run(short, datasets=[SBM], repeats=2)
    assert {row.measured for row in said.rows} == {12.0}
    assert sum("does not reach the goal with 12 answers" in note for note in said.notes) == 2
    chance, other = found.rows
    (line,) = SMALL.conclusions(found.rows)
    one, two = ([trial["measured"] for trial in row.trials] for row in (other, chance))
    assert f"{paired(one, two).mean:+.0f}, 95 % interval" in line
    worse = attrs.evolve(
        other,
        trials=tuple(t | {"measured": 70.0 + i} for i, t in enumerate(chance.trials)),
    )
    base = attrs.evolve(chance, trials=tuple(t | {"measured": 10.0} for t in chance.trials))
    (line,) = SMALL.conclusions([base, worse])
    assert "takes more answers than chance: +61" in line


def test_the_command_is_one_that_plays_it(found):
    assert found.rows[0].command == (
        f"graphol reproduce strategies --datasets {SBM} --repeats 3-5 --seed 0"
    )
