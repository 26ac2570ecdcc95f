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


def votes(run, who, graph):
    """The state's votes in units of M, and those by all labels with M whole."""
    kernel, state = run.state.kernel, run.state
    d = graph.degrees
    linked = np.where(d > 0, d, d[d > 0].mean())
    unit = np.sqrt(linked.mean())
    # of node i all votes are times the same number, and no class is the better for it
    at = np.sqrt(kernel.q) * unit
    if who.kernel == "normalized":
        at = np.sqrt(1 + who.lam) * np.ones(graph.n)
    Y = np.eye(state.F.shape[1])[state.label]
    return state.F / at[:, None], dense_kernel(graph, who) @ Y


@pytest.mark.parametrize("kernel", KERNELS)
def test_without_a_threshold_it_is_the_dense_vote(kernel):
    graph = blocks(30, seed=3)
    task, who = node_game(graph=graph), learner(f"kernel={kernel},eps=0,precision=double,lam=0.3")
    run = graphol.play(task, who, graphol.make("feedback", "full"), np.random.default_rng(0))
    assert not run.trace.meta["compiled"]
    ours, whole = votes(run, who, graph)
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
        ours, whole = votes(run, who, graph)
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


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_service_with_labels_in_any_order(kernel, tmp_path):
    """Late, some wrong, some taken back, one of a new class; saved in between: the dense vote."""
    graph, rng = blocks(40, seed=4), np.random.default_rng(6)
    predictor = graphol.Predictor(
        f"fastonl:kernel={kernel},eps=1e-9,precision=double", graph, classes=["a", "b", "c"]
    )
    waiting, label = [], np.full(graph.n, -1)
    for t in range(90):
        waiting.append(predictor.ask(f"node {rng.integers(40)}"))
        if len(waiting) < 6:
            continue
        ticket = waiting.pop(int(rng.integers(6)))
        i = graph.index(ticket.node)
        name = "d" if t > 50 and i % 7 == 0 else str(rng.choice(["a", "b", "c"]))
        predictor.tell(ticket, label=name)
        label[i] = "abcd".index(name)
        if t % 11 == 0:
            predictor.save(tmp_path / "kept.npz", force=True)
            predictor = graphol.Predictor.load(tmp_path / "kept.npz")
    assert predictor.classes == ["a", "b", "c", "d"] and (label == 3).any() and (label < 0).any()
    Y = np.eye(4)[label] * (label >= 0)[:, None]
    whole = dense_kernel(graph, predictor.learner) @ Y
    ours = predictor.state.F
    scale = (whole * ours).sum(axis=1) / (ours * ours).sum(axis=1).clip(1e-300)
    np.testing.assert_allclose(ours * scale[:, None], whole, atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
def test_answers_that_are_late_and_wrong_leave_what_they_say(kernel):
    graph, who = blocks(60, K=4, seed=7), learner(f"kernel={kernel},eps=1e-9,precision=double")
    run = graphol.play(
        node_game(graph=graph), who, graphol.make("feedback", "full"), np.random.default_rng(2),
        delay=7, noise=0.3,
    )  # fmt: skip
    told = run.trace.revealed[np.argsort(run.trace.node)].astype(int)
    assert (run.state.label == told).all() and (told != graph.labels).sum() > 10
    ours, whole = votes(run, who, graph)
    np.testing.assert_allclose(ours, whole, atol=1e-6)


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
