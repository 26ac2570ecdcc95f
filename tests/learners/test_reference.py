"""The compiled streams against slow twins that keep A and solve afresh."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol.learners.gpa import GPA
from graphol.learners.molg_b import MolgB
from graphol.learners.molg_f import MolgF
from graphol.testing import reference
from graphol.testing.games import blocks, node_game, random_rows, spectral_rows

LEARNERS = {
    "gpa": (GPA(), lambda X, y, K: reference.gpa(X, y, K)),
    "gpa-always": (GPA(when="always"), lambda X, y, K: reference.gpa(X, y, K, always=True)),
    "molg-f": (MolgF(b=4, phi=3), lambda X, y, K: reference.molg_f(X, y, K, 4, 3)),
    "molg-b": (MolgB(b=4, phi=3), lambda X, y, K: reference.molg_b(X, y, K, 4, 3, 0.05)),
}


def play(learner, task, seed, **options):
    feedback = graphol.make("feedback", learner.feedback)
    return graphol.play(task, learner, feedback, np.random.default_rng(seed), **options)


def assert_agrees(name, task, seed):
    learner, twin = LEARNERS[name]
    run = play(learner, task, seed)
    assert run.trace.meta["compiled"]
    X = task.features.rows[run.trace.node]
    predicted, updates = twin(X, run.trace.label, task.graph.n_classes)
    assert run.trace.predicted.tolist() == predicted
    assert run.trace.updates.tolist() == updates


@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=25, deadline=None)
@given(n=st.integers(12, 90), K=st.integers(2, 6), d=st.integers(2, 12), seed=st.integers(0, 10**6))
def test_equals_its_slow_twin(name, n, K, d, seed):
    """Any size, also where the last look-ahead block is not full.

    d >= 2: unit vectors of one dimension are ±1 and tie exactly, which rounding decides.
    """
    graph = blocks(n, K=min(K, n), seed=seed, isolated=False)
    assert_agrees(name, node_game(random_rows(n, d, seed=seed), graph), seed)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("d", [100, 500])
def test_equals_its_slow_twin_in_many_dimensions(name, d):
    graph = blocks(120, K=7, seed=3)
    assert_agrees(name, node_game(random_rows(120, d, seed=3), graph), seed=5)


@pytest.mark.parametrize("name", ["molg-b", "molg-f"])
def test_exact_ties_go_to_the_lowest_class(name):
    """Classes never played tie exactly; rounding must not choose between them.

    With no exploration every first visit is a tie of all classes at score zero.
    """
    graph = blocks(100, K=9, seed=1)
    learner = MolgB(exploration=0.0) if name == "molg-b" else MolgF()
    run = play(learner, node_game(random_rows(100, 500, seed=2), graph), seed=0)
    assert run.trace.predicted[0] == 0
    slow = play(learner, node_game(random_rows(100, 500, seed=2), graph), seed=0, compiled=False)
    assert run.trace.predicted.tolist() == slow.trace.predicted.tolist()


@pytest.mark.parametrize("learner", [MolgF(b=2, phi=2), MolgB(b=2, phi=2)])
def test_inverse_does_not_drift(learner):
    """After 20 passes over the data P still is the inverse of A rebuilt from what was updated."""
    graph = blocks(60, K=2, seed=7)
    rows = spectral_rows(graph, 12)
    order = np.tile(np.random.default_rng(0).permutation(60), 20)
    task = graphol.NodeTask((graph,), name="passes", features=rows, order=order)
    run = play(learner, task, seed=0)
    P = run.state.P.reshape(-1, 12, 12)
    A = np.tile(2.0 * np.eye(12), (len(P), 1, 1))
    for t in np.flatnonzero(run.trace.updates):
        k = run.trace.predicted[t] if learner.name == "molg-b" else 0
        x = rows.rows[run.trace.node[t]]
        A[k] += np.outer(x, x) / (1 - x @ np.linalg.solve(A[k], x))
    np.testing.assert_allclose(P @ A, np.tile(np.eye(12), (len(P), 1, 1)), atol=1e-9)


@pytest.mark.parametrize("name", ["molg-f", "molg-b"])
def test_small_ridge_is_refused_before_round_one(name):
    rows = random_rows(40, 3)
    doubled = type(rows)(2 * rows.rows)
    task = node_game(doubled)
    learner = graphol.make("learner", f"{name}:b=4")
    with pytest.raises(
        graphol.UsageError, match=r"b must be > max \|\|x\|\|² = 4 .* got 4; try -p b=10"
    ):
        play(learner, task, seed=0)
    play(graphol.make("learner", f"{name}:b=10"), task, seed=0)


@pytest.mark.parametrize("name", ["molg-f", "molg-b"])
def test_leverage_of_one_is_refused_in_any_round(name):
    """Outside a transductive game the rows are not known before; the round itself refuses."""
    learner = graphol.make("learner", f"{name}:b=1")
    problem = graphol.Problem("classes", 2, dim=1, rng=np.random.default_rng(0))
    state = learner.start(problem)
    big = graphol.Instance(0, 0, np.array([1.5]))
    with pytest.raises(graphol.UsageError, match=r"b = 1 must be > max \|\|x\|\|²"):
        learner.update(state, big, learner.predict(state, big), graphol.Reveal(label=1))
