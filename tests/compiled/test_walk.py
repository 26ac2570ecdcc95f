"""The streams of `walk` and `fastonl`: the plain loop's bytes, in single precision, however cut."""

import attrs
import numpy as np
import pytest

import graphol
from graphol.api import Played, Stretch
from graphol.bases.pushes import FAR
from graphol.testing.games import blocks, node_game

pytestmark = pytest.mark.long

PROTOCOLS = ["full", "bandit", "selective", "random-query:p=0.5", "seeds:count=15"]


def learner(recipe=""):
    return graphol.make("learner", f"walk:{recipe}" if recipe else "walk")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("recipe", ["", "rate=0.4", "precision=double,tol=0.1", "lam=1,voi=0"])
def test_both_loops_leave_the_same_bytes(protocol, recipe):
    """Single precision, too, is the same number by number."""
    task, who = node_game(graph=blocks(120, K=4, seed=5)), learner(recipe)
    task = attrs.evolve(task, features=None)
    feedback = graphol.make("feedback", protocol)
    fast, slow = (
        graphol.play(task, who, feedback, np.random.default_rng(3), compiled=compiled)
        for compiled in (True, False)
    )
    assert fast.trace.meta["compiled"] == ("seeds" not in protocol)
    for column in ("predicted", "queried", "updates", "known"):
        assert (getattr(fast.trace, column) == getattr(slow.trace, column)).all(), column
    for name in ("z", "F", "r", "counts", "plays", "reached"):
        assert getattr(fast.state, name).tobytes() == getattr(slow.state, name).tobytes(), name


@pytest.mark.parametrize("name", ["walk", "fastonl"])
def test_the_same_seed_gives_the_same_in_single_precision(name):
    """In this process or in others, in one go or in pieces of any length."""
    graph = blocks(90, K=4, seed=8)
    here, there = (
        graphol.simulate(name, graph, repeats=2, seed=5, jobs=jobs).traces for jobs in (1, 2)
    )
    assert here[0].meta["learner"]["precision"] == "single"
    for one, two in zip(here, there, strict=True):
        assert one.meta["compiled"] and two.meta["compiled"]
        assert one.predicted.tobytes() == two.predicted.tobytes()
        assert one.known.tobytes() == two.known.tobytes()
    assert here[0].predicted.tobytes() != here[1].predicted.tobytes()
    who, task = graphol.make("learner", name), graphol.NodeTask((graph,), name="blocks")
    ends, order = [], here[0].node
    for size in (90, 1, 13):
        state = who.start(task.problem(np.random.default_rng(0)))
        out = np.zeros(90, np.int32), np.zeros(90, np.int32), np.ones((2, 90), bool)
        for lo in range(0, 90, size):
            node = order[lo : lo + size]
            row, told = np.arange(len(node)), graph.labels[node].astype(np.int64)
            stretch = Stretch(np.zeros((90, 0)), row, node, row, told, np.ones(len(node), bool), lo)
            part = slice(lo, lo + size)
            who.stream(state, stretch, Played(out[0][part], out[1][part], *out[2][:, part]))
        assert out[0].tobytes() == here[0].predicted.astype(np.int32).tobytes()
        ends.append(state.F.tobytes() + state.r.tobytes())
    assert ends[0] == ends[1] == ends[2]


def test_rounding_does_not_add_up():
    """Labels that change again and again; what is missing is still what is said to be missing."""
    graph, who, rng = blocks(60, seed=3), learner(), np.random.default_rng(0)
    nodes = rng.integers(60, size=6000)
    state = who.start(graphol.NodeTask((graph,), name="b").problem(rng))
    nothing = np.zeros(6000, np.int64)
    stretch = Stretch(
        np.zeros((60, 0)), nothing, nodes, nothing, rng.integers(3, size=6000),
        np.ones(6000, bool), 0,
    )  # fmt: skip
    out = Played(*np.zeros((2, 6000), np.int32), *np.ones((2, 6000), bool))
    who.stream(state, stretch, out)
    system, F = state.system, state.F.astype(float) / state.system.root[:, None]
    W, d = graph.adjacency.toarray() / system.mean, system.root**2
    stiff = (1 + who.lam) * d[:, None] / np.where(state.z > 0, 1 - who.rho, 1.0)
    missing = system.source[:, None] * system.target[state.z] - stiff * F + W @ F
    limit = who.tol * who.rho * (1 + who.lam) * d
    drift = np.abs(missing - state.r[:, 2:] * system.root[:, None]).max(axis=1) / limit
    assert out.updates.sum() > 10_000 and drift.max() < 0.02


@pytest.mark.parametrize("name", ["walk:tol=0.01", "fastonl:eps=0.001"])
def test_rows_that_are_fetched_ahead_are_the_same(name):
    """A graph whose residuals are too many to be near the processor."""
    n = 150_000
    ring = np.arange(n)
    graph = graphol.Graph.from_edges(
        [*ring, *ring], [*np.roll(ring, 1), *np.roll(ring, 7)], labels=ring // 50 % 2
    )
    task, who = graphol.NodeTask((graph,), name="ring"), graphol.make("learner", name)
    feedback = graphol.make("feedback", "full")
    fast, slow = (
        graphol.play(task, who, feedback, np.random.default_rng(3), rounds=100, compiled=compiled)
        for compiled in (True, False)
    )
    assert fast.trace.meta["compiled"] and fast.state.r.size > FAR
    assert (fast.trace.predicted == slow.trace.predicted).all()
    assert fast.state.F.tobytes() == slow.state.F.tobytes() and fast.state.F.any()
    assert fast.state.r.tobytes() == slow.state.r.tobytes()
