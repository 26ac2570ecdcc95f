"""A learner says the same of many nodes at once as of one after the other."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

import graphol
from graphol.api import Given, Instance, Reveal
from graphol.errors import GrapholError
from graphol.label import scoring
from graphol.label.scoring import everywhere
from graphol.testing.games import node_game

LEARNERS = (
    "walk",
    "ridge",
    "label-propagation",
    "poisson-ridge",
    "molg-f",
    "pool",
    "smoothed-ridge",
)


def taught(name):
    task = node_game()
    problem, learner = task.problem(np.random.default_rng(0)), graphol.make("learner", name)
    state = learner.start(problem)
    for t, node in enumerate((0, 5, 17, 23, 38)):
        instance = Instance(t, node, problem.features.rows[node])
        reveal = Reveal(label=int(task.graph.labels[node]))
        learner.update(state, instance, learner.predict(state, instance), reveal)
    return learner, state, problem


@pytest.mark.parametrize("name", LEARNERS)
def test_as_one_by_one(name, monkeypatch):
    monkeypatch.setattr(scoring, "WORTH", 0)  # compiled where that can be
    monkeypatch.setattr(scoring, "BLOCK", 16)
    learner, state, problem = taught(name)
    found = everywhere(learner, state, problem)
    nodes = np.array([3, 39, 3, 0])
    some = everywhere(learner, state, problem, nodes)
    for node in range(40):
        said = learner.predict(state, Instance(0, node, problem.features.rows[node]))
        assert found.label[node] == said.label
        assert found.known[node] == said.known
        if found.scores is not None:
            np.testing.assert_allclose(found.scores[node], said.scores, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(some.label, found.label[nodes])


@attrs.frozen
class Odd:
    """Says what no learner may."""

    name = "odd"
    says: float = 0.0
    score: float = 1.0

    def predict(self, state, instance):
        return graphol.Prediction(self.says, np.full(3, self.score))


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        (Odd(says=3.0), "odd predicted 3, and the classes are 0 to 2"),
        (Odd(says=np.nan), "odd predicted nan"),
        (Odd(score=np.nan), "odd: its scores are not finite"),
    ],
)
def test_nonsense_is_one_line(odd, said):
    problem = node_game().problem(np.random.default_rng(0))
    with pytest.raises(GrapholError, match=said):
        everywhere(odd, None, problem)


def test_nobody_is_taught_by_being_asked(monkeypatch):
    monkeypatch.setattr(scoring, "WORTH", 0)
    learner, state, problem = taught("walk")
    before = [part.copy() for part in state[:6]]
    everywhere(learner, state, problem)
    for part, was in zip(state[:6], before, strict=True):
        np.testing.assert_array_equal(part, was)


def test_fitting_is_seen():
    task = node_game()
    problem = task.problem(np.random.default_rng(0))
    learner = graphol.make("learner", "label-propagation:noise=0")
    state = learner.start(problem)
    assert not everywhere(learner, state, problem).known.any()
    nodes = np.arange(0, 40, 3)
    learner.fit(state, Given(nodes, task.graph.labels[nodes]))
    found = everywhere(learner, state, problem)
    assert found.known.all()
    np.testing.assert_array_equal(found.label[nodes], task.graph.labels[nodes])
