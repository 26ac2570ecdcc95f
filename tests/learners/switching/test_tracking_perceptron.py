"""The perceptron in a ball against norms that are found afresh, with a kernel and with vectors."""

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol.learners.switching.tracking_perceptron import Dual, Primal
from graphol.testing import switching_reference as twins
from graphol.testing.games import random_switch_game, whole_gram

balls = st.one_of(st.none(), st.floats(0.05, 200))


@attrs.frozen
class OnlyKernel:
    """The kernel of features, without their rows."""

    features: object
    rows: None = None

    def gram(self, i, js):
        return self.features.gram(i, js)


def spec(phi):
    return "tracking-perceptron" if phi is None else f"tracking-perceptron:phi={phi}"


@settings(max_examples=20)
@given(n=st.integers(12, 70), phi=balls, seed=st.integers(0, 10**6))
def test_equals_its_dense_twin(play, n, phi, seed):
    task = random_switch_game(n, seed)
    run = play(task, spec(phi), seed=seed)
    G = whole_gram(task.features, task.graph.n)
    said, c = twins.tracking_perceptron(G, run.trace.node, run.trace.label, phi)
    assert run.trace.predicted.tolist() == said
    ours = np.zeros(len(G))
    ours[run.state.support.values] = run.state.coefficients.values[:, 0]
    np.testing.assert_allclose(ours, c, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(run.state.norm[0], c @ G @ c, rtol=1e-8, atol=1e-10)


@settings(max_examples=20)
@given(n=st.integers(12, 70), d=st.integers(2, 8), phi=balls, seed=st.integers(0, 10**6))
def test_vectors_and_their_kernel_agree(play, n, d, phi, seed):
    """w = sum of c_s x_s, prediction by prediction."""
    task = random_switch_game(n, seed, d=d)
    primal = play(task, spec(phi), seed=seed)
    dual = play(attrs.evolve(task, features=OnlyKernel(task.features)), spec(phi), seed=seed)
    assert isinstance(primal.state, Primal) and isinstance(dual.state, Dual)
    assert primal.trace.predicted.tolist() == dual.trace.predicted.tolist()
    X = task.features.rows[dual.state.support.values]
    w = dual.state.coefficients.values[:, 0] @ X
    np.testing.assert_allclose(primal.state.w, w, rtol=1e-8, atol=1e-10)
    if phi is not None:
        assert primal.state.w @ primal.state.w <= phi * (1 + 1e-12)


@pytest.mark.parametrize("phi", [None, 1e12])
def test_where_the_ball_does_not_bind_it_is_the_kernel_perceptron(play, phi):
    task = random_switch_game(60, 2, rounds=500)
    plain, tracking = play(task, "kernel-perceptron"), play(task, spec(phi))
    assert tracking.trace.predicted.tolist() == plain.trace.predicted.tolist()
    assert tracking.state.coefficients.values.tolist() == plain.state.coefficients.values.tolist()


def test_the_norm_does_not_drift(play):
    """After thousands of mistakes it is still that of the function."""
    task = random_switch_game(30, 1, rounds=6000)
    state = play(task, "tracking-perceptron:phi=40").state
    c, G = state.coefficients.values[:, 0], whole_gram(task.features, task.graph.n)
    S = state.support.values
    np.testing.assert_allclose(state.norm[0], c @ G[np.ix_(S, S)] @ c, rtol=1e-9)


@pytest.mark.parametrize(
    ("part", "wrong", "says"),
    [("support", 40, "not distinct nodes"), ("norm", -1.0, "norm is negative")],
)
def test_a_state_that_cannot_be(play, part, wrong, says):
    task = random_switch_game()
    learner, state = graphol.make("learner", "tracking-perceptron"), None
    state = play(task, learner).state
    learner.check_state(state, task.graph.n)
    array = getattr(state, part)
    (array.values if part == "support" else array)[0] = wrong
    with pytest.raises(ValueError, match=says):
        learner.check_state(state, task.graph.n)
