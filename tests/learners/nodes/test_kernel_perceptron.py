"""The kernel perceptron against the whole Gram matrix, and a state that grows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol.api import Appendable
from graphol.testing import reference as twins
from graphol.testing.games import blocks, node_game, random_rows, switch_game

LEARNER = graphol.make("learner", "kernel-perceptron")


def kernel(graph, spec="kernel"):
    return graphol.make("embedding", spec).embed(graph, np.random.default_rng(0))


def assert_agrees(task, seed=0, feedback="full", **options):
    rng = np.random.default_rng(seed)
    trace = graphol.play(task, LEARNER, graphol.make("feedback", feedback), rng, **options).trace
    everyone = np.arange(task.graph.n)
    G = np.array([task.problem(rng).features.gram(i, everyone) for i in everyone])
    K = 1 if task.target == "signs" else task.graph.n_classes
    predicted, updates = twins.kernel_perceptron(
        G, trace.node, trace.label, K, answered=~np.isnan(trace.revealed)
    )
    assert trace.predicted.tolist() == predicted
    assert trace.updates.tolist() == updates
    return trace


@pytest.mark.parametrize("spec", ["kernel", "kernel:eps=0.1"])
@settings(max_examples=15, deadline=None)
@given(n=st.integers(12, 90), K=st.integers(2, 6), seed=st.integers(0, 10**6))
def test_equals_its_dense_twin(spec, n, K, seed):
    """Isolated nodes included: their kernel entries are all equal, and so are many scores."""
    graph = blocks(n, K=K, seed=seed)
    assert_agrees(node_game(kernel(graph, spec), graph), seed)


@settings(max_examples=15, deadline=None)
@given(n=st.integers(12, 90), K=st.integers(2, 5), seed=st.integers(0, 10**6))
def test_equals_its_dense_twin_on_signs(n, K, seed):
    graph = blocks(n, K=K, seed=seed)
    assert_agrees(graphol.OneVsRest(node_game(kernel(graph), graph), seed % K), seed)


@pytest.mark.parametrize("feedback", ["full", "seeds:count=30", "random-query:p=0.4"])
def test_equals_its_dense_twin_under_every_protocol(feedback):
    graph = blocks(80, K=4, seed=5)
    assert_agrees(node_game(kernel(graph), graph), feedback=feedback)


def test_nodes_that_come_again_keep_one_coefficient():
    """A node asked twice is one node of the support, however often it errs."""
    task = switch_game(rounds=300)
    assert_agrees(task)
    run = graphol.play(task, LEARNER, graphol.make("feedback", "full"), np.random.default_rng(0))
    support = run.state.support.values
    assert run.trace.n_updates > len(support) == len(set(support.tolist()))


def test_on_rows_it_is_the_graph_perceptron():
    task = node_game(random_rows(150, 9, seed=1), blocks(150, K=4, seed=1))
    full = graphol.make("feedback", "full")
    traces = [
        graphol.play(task, learner, full, np.random.default_rng(3)).trace
        for learner in (LEARNER, graphol.make("learner", "gpa"))
    ]
    assert traces[0].predicted.tolist() == traces[1].predicted.tolist()
    assert traces[0].updates.tolist() == traces[1].updates.tolist()


@pytest.mark.data
def test_equals_its_dense_twin_on_cora(data_dir):
    task = graphol.make("dataset", "cora").load(np.random.default_rng(0))
    trace = assert_agrees(task.embedded(kernel), rounds=400)
    assert trace.n_updates > 150


@pytest.mark.parametrize("embedding", [None, "kernel:eps=0.1", "spectral:dim=5"])
def test_a_predictor_resumes_where_it_stopped(embedding, tmp_path):
    """Bit by bit, also where the support must grow again after loading."""
    graph = blocks(60, K=3, seed=2)
    one = graphol.Predictor("kernel-perceptron", graph, embedding=embedding)
    rng = np.random.default_rng(0)
    scores = []
    for step, row in enumerate(rng.integers(0, graph.n, size=120)):
        if step == 50:
            one.save(tmp_path / "saved.npz")
            two = graphol.Predictor.load(tmp_path / "saved.npz")
            assert len(two.state.support.values) > 1
        label = graph.label_names[rng.integers(3)]
        for predictor in (one,) if step < 50 else (one, two):
            ticket = predictor.ask(graph.ids[row])
            predictor.tell(ticket, label=label)
            scores.append(ticket.scores)
        if step >= 50:
            assert scores[-1].tolist() == scores[-2].tolist()
    assert one.state.support.values.tolist() == two.state.support.values.tolist()
    assert len(one.state.support.values) > 30


def test_a_new_class_in_mid_stream():
    graph = blocks(30, K=2)
    predictor = graphol.Predictor("kernel-perceptron", graph, classes=["a", "b"])
    predictor.tell(predictor.ask("node 1"), label="b")
    assert predictor.tell(predictor.ask("node 2"), label="c") == 2
    assert predictor.ask("node 2").label == "c"


def test_an_appendable_array_keeps_all_that_was_appended():
    """Across every doubling, for entries and for rows, and independent of its source."""
    source = np.arange(3)
    one, two = Appendable(source), Appendable(np.zeros((0, 2)))
    for k in range(3, 200):
        one.append(k)
        two.append([k, -k])
    source[0] = 9
    assert one.values.tolist() == list(range(200)) and one.values.dtype == np.int64
    assert two.values.tolist() == [[k, -k] for k in range(3, 200)]
    one.values[5] = 0
    assert one.values[5] == 0
