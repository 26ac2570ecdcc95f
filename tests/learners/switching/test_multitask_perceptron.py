"""The multitask perceptron against the kernel on pairs, inverted densely, and at both ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol import Instance
from graphol.testing import switching_reference as twins
from graphol.testing.games import node_game, random_switch_game, whole_gram


@settings(max_examples=15)
@given(n=st.integers(12, 70), p=st.integers(2, 9), b=st.floats(0, 20), seed=st.integers(0, 10**6))
def test_equals_its_dense_twin(play, n, p, b, seed):
    task = random_switch_game(n, seed, tasks=p)
    trace = play(task, f"multitask-perceptron:b={b}", seed=seed).trace
    G = whole_gram(task.features, task.graph.n)
    said = twins.multitask_perceptron(G, trace.node, trace.context, trace.label, p, b)
    assert trace.predicted.tolist() == said
    assert trace.n_updates == trace.n_mistakes


def test_a_mistake_moves_its_own_task_most(play):
    """By (p + b)/((1 + b) p), and every other by b/((1 + b) p), times the kernel."""
    p, b, task = 5, 3.0, random_switch_game(tasks=5)
    learner = graphol.make("learner", f"multitask-perceptron:b={b}")
    state = learner.start(task.problem(np.random.default_rng(0)))
    asked = Instance(0, node=3, context=2)
    learner.update(state, asked, learner.predict(state, asked), graphol.Reveal(label=-1))
    moved = [learner.predict(state, Instance(1, 7, context=a)).scores[0] for a in range(p)]
    expected = np.full(p, b / ((1 + b) * p))
    expected[2] = (p + b) / ((1 + b) * p)
    np.testing.assert_allclose(moved, -expected * task.features.gram(7, np.array([3])), rtol=1e-12)


def test_without_anything_in_common_tasks_are_played_apart(play):
    task = random_switch_game(60, 4, rounds=400, tasks=6)
    apart, none = play(task, "context-perceptron"), play(task, "multitask-perceptron:b=0")
    assert none.trace.predicted.tolist() == apart.trace.predicted.tolist()


def test_with_all_in_common_they_are_one(play):
    """A task's own part vanishes as 1/b, and only the scale of all is left."""
    task = random_switch_game(60, 4, rounds=400, tasks=6)
    one, all_ = play(task, "kernel-perceptron"), play(task, "multitask-perceptron:b=1e9")
    differ = one.trace.predicted != all_.trace.predicted
    assert differ.sum() <= 4  # where f is 0, the task's own part decides


def test_a_game_without_tasks_is_refused(play):
    task = graphol.OneVsRest(node_game(), 0)
    with pytest.raises(graphol.UsageError, match=r"how many tasks there are.*context-perceptron"):
        play(task, "multitask-perceptron")


def test_a_task_that_is_not_there_is_refused():
    task = random_switch_game(tasks=5)
    learner = graphol.make("learner", "multitask-perceptron")
    state = learner.start(task.problem(np.random.default_rng(0)))
    for context, says in ((-1, "without a context"), (5, "is of task 5; there are 0 to 4")):
        with pytest.raises(graphol.UsageError, match=says):
            learner.predict(state, Instance(0, node=3, context=context))


def test_a_state_that_cannot_be(play):
    task = random_switch_game(tasks=5)
    state = play(task, "multitask-perceptron").state
    state.contexts.values[0] = 5
    with pytest.raises(ValueError, match="a task is none of 0 to 4"):
        graphol.make("learner", "multitask-perceptron").check_state(state, task.graph.n)
