"""The perceptron per context against the whole Gram matrix, and against one per context alone."""

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol import Instance, Reveal
from graphol.testing import switching_reference as twins
from graphol.testing.games import node_game, random_rows, random_switch_game, whole_gram

sizes = given(n=st.integers(12, 70), seed=st.integers(0, 10**6))


@pytest.mark.parametrize("shows", ["segment", "labeling"])
@settings(max_examples=10)
@sizes
def test_equals_its_dense_twin(play, shows, n, seed):
    task = random_switch_game(n, seed, shows=shows)
    trace = play(task, "context-perceptron", seed=seed).trace
    G = whole_gram(task.features, task.graph.n)
    said = twins.context_perceptron(G, trace.node, trace.context, trace.label, 1)
    assert trace.predicted.tolist() == said
    assert trace.updates.tolist() == (trace.predicted != trace.label).astype(int).tolist()


@settings(max_examples=10)
@given(K=st.integers(2, 6), seed=st.integers(0, 10**6))
def test_classes_in_contexts_equal_their_dense_twin(K, seed):
    """No task of ours has both; whoever asks may, and need not say beforehand which there are."""
    rng = np.random.default_rng(seed)
    features = random_rows(30, 4, seed)
    learner = graphol.make("learner", "context-perceptron")
    problem = graphol.Problem("classes", K, dim=4, rng=rng, features=features)
    state, said = learner.start(problem), []
    nodes, contexts, y = rng.integers([30, 4, K], size=(150, 3)).T
    contexts -= 1  # none is one
    for t, (i, j, label) in enumerate(zip(nodes, contexts, y, strict=True)):
        instance = Instance(t, int(i), context=int(j))
        prediction = learner.predict(state, instance)
        learner.update(state, instance, prediction, Reveal(label=int(label)))
        said.append(prediction.label)
    assert said == twins.context_perceptron(whole_gram(features, 30), nodes, contexts, y, K)


def test_without_contexts_it_is_the_kernel_perceptron(play):
    task = node_game()
    one, other = play(task, "context-perceptron"), play(task, "kernel-perceptron")
    assert one.trace.predicted.tolist() == other.trace.predicted.tolist()
    assert one.state.support.values.tolist() == other.state.support.values.tolist()


def test_it_knows_no_more_than_perceptrons_that_are_played_apart(play):
    """The rounds of a context, played by themselves, are predicted as in the whole game."""
    whole = random_switch_game(50, 3, rounds=300, shows="labeling")
    trace = play(whole, "context-perceptron").trace
    for k in range(3):
        here = trace.context == k
        alone = graphol.tasks.SequenceTask(
            whole.graph, trace.node[here], np.zeros(here.sum(), dtype=int), trace.label[here],
            name="one", latent=graphol.Clique(2), n_contexts=1, features=whole.features,
        )  # fmt: skip
        found = play(alone, "kernel-perceptron").trace.predicted
        assert found.tolist() == trace.predicted[here].tolist()


@pytest.mark.parametrize(
    ("part", "wrong", "says"),
    [
        ("support", 40, "not distinct nodes"),
        ("contexts", -2, "no context -2"),
    ],
)
def test_a_state_that_cannot_be(play, part, wrong, says):
    task = random_switch_game(shows="segment")
    run = play(task, "context-perceptron")
    learner = graphol.make("learner", "context-perceptron")
    learner.check_state(run.state, task.graph.n)
    getattr(run.state, part).values[0] = wrong
    with pytest.raises(ValueError, match=says):
        learner.check_state(run.state, task.graph.n)


def test_the_same_node_in_another_context_is_another_pair(play):
    task = random_switch_game(20, rounds=400, shows="labeling")
    state = play(attrs.evolve(task), "context-perceptron").state
    pairs = list(zip(state.support.values, state.contexts.values, strict=True))
    assert len(pairs) == len(set(pairs)) > len(set(state.support.values.tolist()))
