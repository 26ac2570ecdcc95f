"""The pool from one bit: what a wrong answer does, and to whom."""

import numpy as np
import pytest

import graphol
from graphol import Instance, Reveal
from graphol.learners.experts.pool_b import PoolB
from graphol.testing.games import blocks, node_game

EXPERTS = "(neighbour-bayes)+(ridge-bandit)"


def told(rounds=12):
    """A state after some rounds in which every class was said."""
    pool = PoolB(experts=EXPERTS, starter=False)
    state, graph = pool.start(node_game().problem(np.random.default_rng(0))), blocks()
    for t in range(rounds):
        instance = Instance(t, t, state.place.rows[t])
        said = pool.predict(state, instance)
        pool.update(state, instance, said, Reveal(correct=bool(said.label == graph.labels[t])))
    return pool, state


def test_every_class_is_tried_at_first():
    _, state = told(3)
    assert state.plays.tolist() == [1, 1, 1]


def test_a_wrong_answer_charges_by_one_less_its_probability():
    pool, state = told()
    instance = Instance(12, 20, state.place.rows[20])
    said = pool.predict(state, instance)
    a, before = int(said.label), state.weights.copy()
    seen = pool._said(state, instance)
    pool.update(state, instance, said, Reveal(correct=False))
    wanted = before * (1 - np.append(seen.p[a], seen.Q[:, a]))
    np.testing.assert_allclose(state.weights, wanted / wanted.sum(), rtol=1e-12)
    assert pool.predict(state, instance).scores[a] < said.scores[a]
    assert state.label[20] == -1 and state.plays[a] == 1 + (told()[1].plays)[a]


def test_learns_and_hears_labels_too():
    run = graphol.simulate("pool-b", "sbm:nodes=200", repeats=1)
    full = graphol.simulate("pool-b", "sbm:nodes=200", repeats=1, feedback="full")
    assert full.error_rate_mean <= run.error_rate_mean < 0.5


@pytest.mark.parametrize("classes", [4, 5])
def test_a_new_class_is_tried(classes):
    pool, state = told()
    state = pool.grow(state, classes)
    instance = Instance(12, 20, state.place.rows[20])
    assert pool.predict(state, instance).label == 3
