"""The vote against dense kernels."""

import attrs
import numpy as np
import pytest

import graphol
from graphol.testing.games import blocks, node_game

KERNELS = ["combinatorial", "normalized"]


def learner(recipe):
    return graphol.make("learner", f"fastonl:{recipe}")


def dense_kernel(graph, who):
    """M (n, n); an isolated node counts as one of mean degree in the normalised one."""
    W = graph.adjacency.toarray()
    d = W.sum(axis=1)
    if who.kernel == "combinatorial":
        return np.linalg.inv(np.diag(d + who.lam) - W)
    root = np.sqrt(np.where(d > 0, d, 1.0))
    return np.linalg.inv((1 + who.lam) * np.eye(len(d)) - W / root[:, None] / root)


def votes(state, who, graph):
    """The state's votes in units of M, and those by all labels with M whole."""
    d = graph.degrees
    linked = np.where(d > 0, d, d[d > 0].mean())
    unit = np.sqrt(linked.mean())
    # of node i all votes are times the same number, and no class is the better for it
    at = np.sqrt(state.kernel.q) * unit
    if who.kernel == "normalized":
        at = np.sqrt(1 + who.lam) * np.ones(graph.n)
    Y = (state.label[:, None] == np.arange(state.F.shape[1])).astype(float)
    return state.F / at[:, None], dense_kernel(graph, who) @ Y


@pytest.mark.parametrize("kernel", KERNELS)
def test_without_a_threshold_it_is_the_dense_vote(kernel):
    graph = blocks(30, seed=3)
    task, who = node_game(graph=graph), learner(f"kernel={kernel},eps=0,precision=double,lam=0.3")
    run = graphol.play(task, who, graphol.make("feedback", "full"), np.random.default_rng(0))
    assert not run.trace.meta["compiled"]
    ours, whole = votes(run.state, who, graph)
    np.testing.assert_allclose(ours, whole, rtol=1e-9)
    M, said = dense_kernel(graph, who), []
    for t, i in enumerate(run.trace.node):
        past = run.trace.node[:t]
        said.append(np.argmax(M[i, past] @ np.eye(3)[graph.labels[past]]) if t else 0)
    assert run.trace.predicted.tolist() == said


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("eps", [1e-2, 1e-3])
def test_what_is_lost_is_within_its_bound(kernel, eps):
    for seed in range(6):
        graph = blocks(40, seed=seed)
        task, who = node_game(graph=graph), learner(f"kernel={kernel},eps={eps},precision=double")
        run = graphol.play(task, who, graphol.make("feedback", "full"), np.random.default_rng(seed))
        ours, whole = votes(run.state, who, graph)
        labels = np.bincount(graph.labels)[None, :]
        d = graph.degrees
        bound = eps * d.max() * labels
        if kernel == "normalized":
            most = np.sqrt(d[:, None] * d.max()) * eps / who.lam
            bound = most * labels
        lost = whole - ours
        assert (lost > -1e-9).all() and (lost <= bound + 1e-9).all()
        assert lost.max() > 0


@pytest.mark.parametrize("recipe", ["", "kernel=normalized,lam=0.2", "precision=double,eps=0.01"])
def test_both_loops_leave_the_same_bytes(recipe):
    task = attrs.evolve(node_game(graph=blocks(120, K=4, seed=5)), features=None)
    who, feedback = learner(recipe), graphol.make("feedback", "full")
    fast, slow = (
        graphol.play(task, who, feedback, np.random.default_rng(3), compiled=compiled)
        for compiled in (True, False)
    )
    assert fast.trace.meta["compiled"]
    assert (fast.trace.predicted == slow.trace.predicted).all()
    assert (fast.trace.known == slow.trace.known).all() and not fast.trace.known.all()
    for name in ("label", "F", "r", "reached"):
        assert getattr(fast.state, name).tobytes() == getattr(slow.state, name).tobytes(), name


def test_a_label_that_is_taken_back_votes_no_more():
    graph = blocks(20, seed=2)
    one, two = (
        graphol.Predictor("fastonl:precision=double", graph, classes=["a", "b"]) for _ in range(2)
    )
    for predictor, names in ((one, "ab"), (two, "b")):
        for name in names:
            predictor.tell(predictor.ask("node 3"), label=name)
    np.testing.assert_allclose(one.state.F, two.state.F, atol=1e-12)


def test_what_labels_contribute_adds_up():
    graph = blocks(30, seed=3)
    who = learner("eps=0,precision=double")
    run = graphol.play(
        node_game(graph=graph), who, graphol.make("feedback", "full"), np.random.default_rng(0)
    )
    sums = np.zeros(3)
    for share in who.influences(run.state, 5, top=100):
        sums[share.label] += share.amount
    np.testing.assert_allclose(sums, run.state.F[5], rtol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("eps", ["0", "1e-2"])
def test_labels_that_are_given_are_the_dense_vote_whatever_came_before(kernel, eps):
    """Solved for with any threshold; some were told one by one before, some given otherwise."""
    rng = np.random.default_rng(1)
    S = blocks(40, seed=6).adjacency.toarray() * 2.5
    S[3] = S[:, 3] = 0.0  # a node alone
    graph = graphol.Graph(S, labels=np.arange(40) % 3)
    who = learner(f"kernel={kernel},eps={eps},precision=double,lam=0.3")
    state = who.start(node_game(graph=graph).problem(rng))
    label = np.full(40, -1)
    for t, i in enumerate([5, 9, 20]):
        instance = graphol.Instance(t, i)
        who.update(state, instance, who.predict(state, instance), graphol.Reveal(label=2))
        label[i] = 2
    for _ in range(2):
        nodes = rng.permutation(40)[:15]
        label[nodes] = rng.integers(3, size=15)
        assert who.fit(state, graphol.Given(nodes, label[nodes])) == 3
        assert who.fit(state, graphol.Given(nodes, label[nodes])) == 0
        assert (state.label == label).all()
        ours, whole = votes(state, who, graph)
        np.testing.assert_allclose(ours, whole, rtol=1e-9, atol=1e-12)
        said = [int(who.predict(state, graphol.Instance(9, i)).label) for i in range(40)]
        assert said == whole.argmax(axis=1).tolist()
        reached = graph.components[label >= 0]
        assert np.flatnonzero(state.reached).tolist() == np.unique(reached).tolist()


def test_labels_given_are_labels_told_without_a_threshold():
    task, who = node_game(graph=blocks(60, seed=4)), learner("eps=0,precision=double")
    problem = task.problem(np.random.default_rng(0))
    given, told = who.start(problem), who.start(problem)
    nodes = np.arange(0, 60, 4)
    who.fit(given, graphol.Given(nodes, task.graph.labels[nodes]))
    for t, i in enumerate(nodes.tolist()):
        instance = graphol.Instance(t, i)
        reveal = graphol.Reveal(label=int(task.graph.labels[i]))
        who.update(told, instance, who.predict(told, instance), reveal)
    np.testing.assert_allclose(given.F, told.F, rtol=1e-9, atol=1e-12)
    assert (given.label == told.label).all() and (given.reached == told.reached).all()
