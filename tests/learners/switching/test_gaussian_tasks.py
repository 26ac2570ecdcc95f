"""Sorted tasks against a twin that finds every posterior anew from all labels."""

import copy

import numpy as np
import pytest

import graphol
from graphol.api import Prediction, Reveal
from graphol.bases.gaussian import Labeling
from graphol.bases.memo import Memo
from graphol.testing.games import random_switch_game, tasks_game, whole_gram
from graphol.testing.gaussian_reference import gaussian_tasks
from graphol.testing.states import same


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("K", "fresh", "first", "scale", "noise", "doubt", "tasks", "sure"),
    [
        (1, 0.5, 3, 4.0, 0.05, 0.02, 4, 20.0),
        (3, 0.5, 3, 4.0, 0.05, 0.02, 6, 20.0),
        (8, 0.5, 3, 4.0, 0.05, 0.02, 12, 2.0),
        (2, 1.0, 0, 16.0, 0.3, 0.1, 5, 0.0),
        (4, 0.2, 20, 1.0, 0.1, 0.005, 5, 3.0),
    ],
)
def test_equals_its_dense_twin(play, K, fresh, first, scale, noise, doubt, tasks, sure, seed):
    task = random_switch_game(12 + 6 * seed, seed, rounds=120, tasks=tasks)
    spec = f"K={K},fresh={fresh},first={first},scale={scale},noise={noise},doubt={doubt}"
    spec += f",sure={sure}"
    run = play(task, f"gaussian-tasks:{spec}", seed=seed, keep=("scores",))
    scores, of = gaussian_tasks(
        whole_gram(task.features, task.graph.n) * scale / task.features.rho,
        run.trace.node, run.trace.context, run.trace.label,
        most=K, fresh=fresh, first=first, sure=sure, noise=noise, doubt=doubt,
    )  # fmt: skip
    np.testing.assert_allclose(run.trace.kept["scores"].ravel(), scores, atol=1e-7)
    clear = np.abs(scores) > 1e-9
    assert (run.trace.predicted == np.where(scores >= 0, 1, -1))[clear].all()
    state = run.state
    assert dict(zip(state.tasks.values.tolist(), state.of.values.tolist(), strict=True)) == of
    graphol.make("learner", f"gaussian-tasks:{spec}").check_state(state, task.graph.n)


def test_a_second_look_that_finds_the_same_changes_no_bit():
    """A task whose labels are taken out and put back is as one that was never looked at."""
    task, learner = tasks_game(120, tasks=4), graphol.make("learner", "gaussian-tasks:first=0")
    state, stream = (
        learner.start(task.problem(np.random.default_rng(0))),
        task.stream(np.random.default_rng(1)),
    )
    found = 0
    for t, y in enumerate(stream.truth.tolist()):
        asked, answer = stream.instance(t), Reveal(label=y)
        before = dict(zip(state.tasks.values.tolist(), state.of.values.tolist(), strict=True))
        looked, plain = copy.deepcopy(state), copy.deepcopy(state)
        learner.update(looked, asked, Prediction(-y), answer)
        learner.update(plain, asked, Prediction(y), answer)
        if before.get(asked.context) == looked.of.values[looked.task.values[-1]]:
            assert same(looked.labelings, plain.labelings), f"round {t}"
            found += 1
        learner.update(state, asked, learner.predict(state, asked), answer)
    assert found > 80


def test_a_task_moves_with_all_its_labels():
    """Two tasks begin alike and then differ: what the second has taught goes with it."""
    task = tasks_game(10, tasks=2)
    learner = graphol.make("learner", "gaussian-tasks:K=2,first=0")
    state = learner.start(task.problem(np.random.default_rng(0)))
    stream = task.stream(np.random.default_rng(0))
    first = task.labelings[0]
    for a, sign, nodes in ((0, 1, range(20)), (1, 1, range(2)), (1, -1, range(2, 12))):
        for i in nodes:
            asked = stream.instance(0)._replace(node=i, context=a)
            learner.update(
                state, asked, learner.predict(state, asked), Reveal(label=int(sign * first[i]))
            )
    assert state.of.values.tolist() == [0, 1]
    assert [int(each.seen.values.sum()) for each in state.labelings] == [20, 12]
    learner.check_state(state, task.graph.n)


@pytest.mark.parametrize("delay", [0, 5])
def test_what_is_kept_between_predict_and_update_changes_nothing(play, monkeypatch, delay):
    task = random_switch_game(tasks=5)
    kept = play(task, "gaussian-tasks", delay=delay)
    monkeypatch.setattr(Memo, "recall", lambda *_: None)
    afresh = play(task, "gaussian-tasks", delay=delay)
    assert kept.trace.predicted.tolist() == afresh.trace.predicted.tolist()
    assert same(kept.state, afresh.state)


def test_evidence_for_a_labeling_that_nobody_has_any_more(play):
    """However much there is, it is not the largest that divides: no weight of all may be 0."""
    task, learner = random_switch_game(tasks=5), graphol.make("learner", "gaussian-tasks:K=4")
    state = play(task, learner).state
    state.of.values[:] = 0
    state.evidence.values[0] = [-2000.0, -2000.0, 0.0, 0.0]  # of the last two, no task is left
    instance = task.stream(np.random.default_rng(0)).instance(0)
    said = learner.predict(state, instance._replace(context=int(state.tasks.values[0])))
    assert np.isfinite(said.scores).all()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda s: s.labelings[0].nodes.values.fill(3), "not distinct nodes"),
        (lambda s: s.of.values.fill(8), "do not all have a labeling"),
        (lambda s: s.of.values.fill(-1), "do not all have a labeling"),
        (lambda s: s.of.append(0), "do not all have a labeling"),
        (lambda s: s.evidence.append(np.zeros(8)), "do not all have a labeling"),
        (lambda s: s.tasks.values.fill(1), "not one of a node in a task"),
        (lambda s: s.node.values.fill(99), "not one of a node in a task"),
        (lambda s: s.label.values.fill(0), "not one of a node in a task"),
        (lambda s: s.task.values.fill(5), "not one of a node in a task"),
        (lambda s: s.node.append(0), "not one of a node in a task"),
        (lambda s: np.negative(s.label.values, out=s.label.values), "has not learnt the labels"),
        (lambda s: s.task.values.fill(0), "has not learnt the labels"),
    ],
)
def test_a_state_that_cannot_be(play, damage, says):
    task, learner = random_switch_game(30, tasks=5), graphol.make("learner", "gaussian-tasks")
    state = play(task, learner).state
    assert len(set(state.of.values.tolist())) > 1
    learner.check_state(state, task.graph.n)
    damage(state)
    with pytest.raises(ValueError, match=says):
        learner.check_state(state, task.graph.n)


def test_labelings_that_nobody_has_cost_nothing_and_change_nothing(play, monkeypatch):
    asked, moments = [], Labeling.moments
    monkeypatch.setattr(Labeling, "moments", lambda *a: asked.append(1) or moments(*a))
    task = random_switch_game(30, tasks=5)
    few = play(task, "gaussian-tasks:K=8", keep=("scores",))
    used, count = len(set(few.state.of.values.tolist())), len(asked)
    many = play(task, "gaussian-tasks:K=900", keep=("scores",))
    assert used < 8 and len(asked) == 2 * count
    scores = (run.trace.kept["scores"] for run in (few, many))
    np.testing.assert_allclose(*scores, atol=1e-12)
