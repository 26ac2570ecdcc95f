"""Telling again in compiled stretches against telling again one by one."""

import copy

import numpy as np
import pytest

from graphol import Predictor, replaying
from graphol.replaying import Replay, knows_rows_alone
from graphol.states import parts, plain
from graphol.testing.games import blocks

GRAPH = blocks(40)
NAMES = ("red", "green", "blue")


def told_in(order, learner):
    """A predictor that was told about these tickets, of which there are more."""
    predictor = Predictor(learner, GRAPH, classes=NAMES)
    rng = np.random.default_rng(0)
    tickets = [predictor.ask(GRAPH.ids[i]) for i in rng.integers(0, 40, size=max(order) + 1)]
    for k in order:
        predictor.tell(tickets[k], label=NAMES[GRAPH.labels[GRAPH.index(tickets[k].node)]])
    return predictor


def again(predictor):
    classes, features = predictor.told.begun, predictor.features
    state = predictor.learner.start(predictor._problem(predictor.graph, features, classes))
    return Replay(predictor.learner, state, predictor._rows, predictor.told)


def close(one, two, tol):
    for ours, theirs in zip(parts(one).values(), parts(two).values(), strict=True):
        np.testing.assert_allclose(plain(ours), plain(theirs), rtol=tol, atol=tol)


ORDERS = {
    "all": range(120),
    "every third": range(0, 120, 3),
    "with a large gap": [*range(40), *range(100, 160)],
    "twice from the start": [*range(0, 120, 2), *range(1, 120, 2)],
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("learner", ["molg-f", "walk", "molg-b", "gpa"])
def test_compiled_equals_plain(order, learner, monkeypatch):
    predictor = told_in([*order], learner)
    plainly, fast, played = again(predictor), again(predictor), []
    plainly.upto(len(predictor.told))
    monkeypatch.setattr(replaying, "WORTH", 1)
    compiled = Replay._compiled
    monkeypatch.setattr(Replay, "_compiled", lambda *a: played.append(compiled(*a)) or played[-1])
    fast.upto(7)
    fast.upto(len(predictor.told))
    assert played[-1]
    close(plainly.state, fast.state, 1e-9)


def test_what_was_asked_for_is_learnt_even_if_it_would_not_be_asked_for_now(monkeypatch):
    """A stretch in which the learner asks less than was told is left to the plain loop."""
    predictor = told_in([*range(60)], "walk")
    frugal = Predictor("walk:rate=0.1", GRAPH, classes=NAMES)
    replay = again(predictor)
    replay.learner = frugal.learner
    monkeypatch.setattr(replaying, "WORTH", 1)
    assert not replay._compiled(0, 60)
    replay.upto(60)
    close(replay.state, predictor.state, 1e-6)


@pytest.mark.parametrize(
    ("learner", "alone"),
    [("molg-f", True), ("soba", True), ("ridge-bandit", True), ("walk", False), ("pool", False),
     ("smoothed-ridge", False), ("poisson-ridge", False), ("kernel-perceptron", False)],
)  # fmt: skip
def test_who_knows_rows_alone(learner, alone):
    predictor = Predictor(learner, GRAPH.featured(np.eye(40)), classes=NAMES)
    problem = predictor._problem(predictor.graph, predictor.features, 3)
    before = copy.deepcopy(problem.rng.bit_generator.state)
    assert knows_rows_alone(predictor.learner, problem, predictor.state) == alone
    assert problem.rng.bit_generator.state == before
