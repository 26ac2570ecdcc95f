"""multi-mrf against dense algebra: labels, weights, what validation may do."""

import copy

import numpy as np
import pytest

import graphol
from graphol.api import Given, Instance, Reveal
from graphol.layers.learning import learn
from graphol.testing.games import blocks
from graphol.testing.layers_reference import laplacians, random_graph

RECIPES = ["features=0", "features=2", "features=all", "features=2,weights=1+0.5+2", "weights=0.3"]
recipes = pytest.mark.parametrize("recipe", RECIPES)


def learner(recipe="features=2"):
    return graphol.make("learner", f"multi-mrf:{recipe}")


def game(n=48, features=True, seed=0):
    """Blocks, a random layer, features that tell and features that do not, an isolated node."""
    good = blocks(n, K=3, seed=seed)
    rng = np.random.default_rng(seed)
    X = np.hstack([np.eye(3)[good.labels] * (rng.random((n, 3)) < 0.6), rng.random((n, 3)) < 0.3])
    S = good.adjacency.tolil()
    S[n - 1], S[:, n - 1], X[n - 1] = 0, 0, 0
    more = {"features": X, "ids": good.ids} if features else {"ids": good.ids}
    first = graphol.Graph(S.tocsr(), labels=good.labels, name="good", **more)
    T = random_graph(n, 0.08, seed).adjacency.tolil()
    T[n - 1], T[:, n - 1] = 0, 0
    return graphol.NodeTask((first, graphol.Graph(T.tocsr(), ids=good.ids, name="noise")), "two")


def fitted(who, task, seeds=18, **validation):
    state = who.start(task.problem(np.random.default_rng(0)))
    nodes = np.random.default_rng(3).permutation(task.graph.n - 1)[:seeds]
    labels = task.graph.labels[nodes]
    assert who.fit(state, Given(nodes, labels, **validation)) == 3
    return state, nodes, labels


def dense(who, task, state):
    """F by dense algebra from the weights and labels of the state."""
    columns = np.flatnonzero(state.features > 0)
    layers = state.fusion.layers(columns)
    alpha = np.concatenate([state.graphs, state.features[layers.feature[2:]]])
    A = np.tensordot(alpha, laplacians(layers), 1)
    known = np.flatnonzero(state.label >= 0)
    A[np.arange(layers.n), np.arange(layers.n)] += who.eps
    A[known, known] += 1.0
    Y = np.zeros((layers.vertices, state.F.shape[1]))
    Y[known, state.label[known]] = 1.0
    return np.linalg.solve(A, Y)[: layers.n]


@recipes
def test_labels_are_those_of_dense_algebra(recipe):
    task, who = game(), learner(recipe)
    state, _, _ = fitted(who, task)
    F = dense(who, task, state)
    np.testing.assert_allclose(state.F, F, atol=1e-9)
    balance = 1 / F.mean(axis=0)
    for v in range(task.graph.n - 1):
        said = who.predict(state, Instance(0, v))
        if said.known:
            np.testing.assert_allclose(said.scores, F[v] * balance, rtol=1e-7, atol=1e-9)
    assert not who.predict(state, Instance(0, task.graph.n - 1)).known


@recipes
def test_one_label_at_a_time_equals_a_fresh_solve(recipe, monkeypatch):
    """After every label, at the weights of the fit; to 1e-8, before and after the room is full."""
    monkeypatch.setattr("graphol.bases.harmonic.ROOM", 7)
    task, who = game(), learner(recipe)
    state, nodes, _ = fitted(who, task, 9)
    weights = who.layer_weights(state)
    rest = np.setdiff1d(np.arange(task.graph.n), nodes)
    for t, v in enumerate(np.random.default_rng(0).permutation(rest)):
        asked = Instance(t, int(v))
        said = who.predict(state, asked)
        who.update(state, asked, said, Reveal(label=int(task.graph.labels[v])))
        np.testing.assert_allclose(state.F, dense(who, task, state), atol=1e-8)
    assert who.layer_weights(state) == weights


def test_online_from_the_start_every_graph_counts_1():
    task, who = game(), learner("features=2")
    run = graphol.play(task, who, graphol.make("feedback", "full"), np.random.default_rng(0))
    assert who.layer_weights(run.state) == {"good": 1.0, "noise": 1.0}
    np.testing.assert_allclose(run.state.F, dense(who, task, run.state), atol=1e-8)


def test_the_weights_are_the_likeliest():
    task, who = game(), learner("features=all")
    state, nodes, _ = fitted(who, task)
    order = np.sort(nodes)
    layers = state.fusion.layers(np.arange(6))
    rng = np.random.default_rng(0)
    found = learn(layers, order, task.graph.labels[order], who.mu_0, who.solver, rng, eps=who.eps)
    used = {name: w for name, w in found.weights.items() if w > 0 or name in ("good", "noise")}
    assert who.layer_weights(state) == pytest.approx(used)
    assert min(state.features[:3]) > 5 * max(state.features[3:])  # those that tell
    graphs, _, _ = fitted(learner("features=0"), task)
    assert graphs.graphs[0] > 5 * graphs.graphs[1]


def test_given_weights_and_selected_features():
    task, who = game(), learner("features=3,weights=1+0.5+2")
    state, _, _ = fitted(who, task)
    assert state.graphs.tolist() == [1.0, 0.5]
    assert state.features.tolist() == [2.0, 2.0, 2.0, 0.0, 0.0, 0.0]  # those that tell
    same = learner("features=3,weights=1")
    assert set(same.layer_weights(fitted(same, task)[0]).values()) == {1.0}


def test_validation_labels_choose_and_are_never_learnt():
    """With any validation labels the field is that of one of the candidates, from seeds alone."""
    task, who = game(), learner("features=2+4")
    rng = np.random.default_rng(0)
    sizes = [fitted(learner(f"features={f}"), task)[0].features > 0 for f in (2, 4)]
    for _ in range(3):
        held = rng.permutation(task.graph.n - 1)[18:40]
        wrong = rng.integers(0, 3, len(held))
        state, nodes, _ = fitted(who, task, validation_nodes=held, validation_labels=wrong)
        assert set(np.flatnonzero(state.label >= 0)) == set(nodes)
        np.testing.assert_allclose(state.F, dense(who, task, state), atol=1e-9)
        used = state.features > 0
        assert any((used <= size).all() for size in sizes)
    alone, _, _ = fitted(who, task)
    nobody, _, _ = fitted(
        learner("features=2+4,choose=false"), task, validation_nodes=held,
        validation_labels=task.graph.labels[held],
    )  # fmt: skip
    np.testing.assert_array_equal(nobody.F, alone.F)


def test_a_state_comes_back_with_its_weights():
    """What is derived belongs to a fresh start; the weights in the state make the system anew."""
    task, who = game(), learner()
    state, nodes, _ = fitted(who, task)
    fresh = who.start(task.problem(np.random.default_rng(0)))
    again = copy.deepcopy(state)._replace(fusion=fresh.fusion)
    who.check_state(again, task.graph.n)
    v = int(np.setdiff1d(np.arange(task.graph.n - 1), nodes)[0])
    for each in (state, again):
        who.update(each, Instance(0, v), who.predict(each, Instance(0, v)), Reveal(label=1))
    np.testing.assert_array_equal(state.F, again.F)
    again.graphs[:] = -1.0
    with pytest.raises(ValueError, match="weights of layers must be >= 0"):
        who.check_state(again, task.graph.n)


@recipes
def test_influences_add_up_to_the_scores(recipe):
    task, who = game(), learner(recipe)
    state, _, _ = fitted(who, task)
    for v in range(0, task.graph.n, 5):
        said, total = who.predict(state, Instance(0, v)), np.zeros(3)
        for share in who.influences(state, v, task.graph.n):
            total[share.label] += share.amount
        if said.known:
            np.testing.assert_allclose(total, said.scores, atol=1e-7)


def test_a_class_without_a_seed_is_never_said():
    task, who = game(), learner()
    state = who.start(task.problem(np.random.default_rng(0)))
    nodes = np.flatnonzero(task.graph.labels < 2)[:12]
    who.fit(state, Given(nodes, task.graph.labels[nodes]))
    said = {who.predict(state, Instance(0, v)).label for v in range(task.graph.n)}
    assert said <= {0, 1} and np.isfinite(state.F).all()


@pytest.mark.parametrize("count", [0, 1])
def test_no_seed_and_one_seed(count):
    task, who = game(), learner()
    state = who.start(task.problem(np.random.default_rng(0)))
    nodes = np.arange(count)
    assert who.fit(state, Given(nodes, task.graph.labels[nodes])) == (3 if count else 0)
    said = who.predict(state, Instance(0, 5))
    assert np.isfinite(said.scores).all() and (count or not said.known)


def test_without_features_there_are_no_stars():
    task, who = game(features=False), learner("features=10")
    state, _, _ = fitted(who, task)
    assert set(who.layer_weights(state)) == {"good", "noise"}


@pytest.mark.parametrize(
    ("recipe", "said"), [
        ("weights=x", "numbers >= 0 joined by"), ("weights=1+2", "has 2 weights for 3: .* stars"),
        ("features=-1", "features must be a number >= 0"),
        ("features=ten", "or several joined by"), ("features=10+", "such as 10.20, got '10.'"),
        ("mu_0=0", "mu_0 must be > 0 or free"),
    ],
)  # fmt: skip
def test_what_cannot_be(recipe, said):
    with pytest.raises(graphol.UsageError, match=said):
        fitted(learner(recipe), game())


def test_results_say_how_the_weights_were_found(monkeypatch):
    monkeypatch.setattr("graphol.layers.learning.MOST_SEEDS", 30)
    notes = [
        graphol.simulate(learner(), game(), feedback=f"seeds:count={count}", repeats=1).notes
        for count in (30, 31)
    ]
    assert any("exact gradients for 30 seeds" in note for note in notes[0])
    assert any("because 31 seeds are more than 30" in note for note in notes[1])
