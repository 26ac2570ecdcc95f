"""Exact or by probes, and what is said about it."""

import numpy as np
import pytest

import graphol
from graphol.errors import InputError
from graphol.layers.edges import Layers
from graphol.layers.learning import deviation, learn
from graphol.layers.optimise import START
from graphol.testing.games import blocks
from graphol.testing.layers_reference import random_graph

AUTO = graphol.make("solver", "auto")


def truth_and_noise(seed=0, n=60):
    """A graph with blocks and one that is random: the first should get the weight."""
    good = blocks(n, K=3, seed=seed, isolated=False)
    rng = np.random.default_rng(seed)
    X = np.eye(3)[good.labels] * (rng.random((n, 3)) < 0.5)
    X = np.hstack([X, rng.random((n, 2)) < 0.3])
    layers = Layers.of([good, random_graph(n, 0.1, seed, "noise")], X, names=["good", "noise"])
    nodes = rng.permutation(n)[:24]
    return layers, nodes, good.labels[nodes]


def learned(method="auto", mu_0=30.0, **options):
    layers, nodes, labels = truth_and_noise()
    rng = np.random.default_rng(0)
    return learn(layers, nodes, labels, mu_0, AUTO, rng, method, **options)


def test_the_layer_that_tells_gets_the_weight():
    found = learned()
    weights = found.weights
    assert weights["good"] > 10 * weights["noise"]
    assert weights["feature 0"] > 10 * max(weights["feature 3"], weights["feature 4"])
    assert found.how.startswith("exact gradients for 24 seeds (up to 512), L-BFGS")


@pytest.mark.parametrize("method", ["exact", "probes"])
def test_all_layers_weigh_the_same_at_the_start(method):
    found = learned(method)
    np.testing.assert_allclose(found.iterates[0], START)
    assert np.ptp(found.iterates[1]) > 0.01


@pytest.mark.parametrize("method", ["probes", "paper"])
def test_probes_come_near_the_exact_maximum(method):
    from graphol.layers.learning import one_hot
    from graphol.layers.likelihood import Likelihood

    exact, found = learned(), learned(method)
    layers, nodes, labels = truth_and_noise()
    like = Likelihood.of(layers, nodes, one_hot(labels), 30.0, AUTO)
    start = like.at(np.full(len(layers), 0.1)).objective
    end = like.at(found.alpha).objective
    assert end > exact.objective - 0.05 * (exact.objective - start)
    assert "from the exact gradient" in found.how and "as asked for" in found.how


def test_the_boundary_is_shown(monkeypatch):
    monkeypatch.setattr("graphol.layers.learning.MOST_SEEDS", 24)
    assert learned().how.startswith("exact")
    monkeypatch.setattr("graphol.layers.learning.MOST_SEEDS", 23)
    monkeypatch.setattr("graphol.layers.optimise.STEPS", 2)
    assert "seed probes per step, because 24 seeds are more than 23" in learned().how
    monkeypatch.setattr("graphol.layers.learning.MOST_SEEDS", 24)
    monkeypatch.setattr("graphol.layers.learning.MOST_NUMBERS", 100)
    assert "GB for a column per seed are too much" in learned().how


@pytest.mark.parametrize("method", ["probes", "paper"])
def test_the_check_against_the_exact_gradient(method):
    layers, nodes, labels = truth_and_noise()
    assert deviation(layers, nodes, labels, AUTO, np.random.default_rng(0), method) < 0.2


def test_no_label_at_all():
    layers, _, _ = truth_and_noise()
    none = np.zeros(0, dtype=np.int64)
    with pytest.raises(InputError, match="no label is given"):
        learn(layers, none, none, 30.0, AUTO, np.random.default_rng(0))


def test_a_class_without_a_seed_is_left_out():
    layers, nodes, labels = truth_and_noise()
    rng = np.random.default_rng(0)
    same = learn(layers, nodes, 2 * labels, 30.0, AUTO, rng)
    np.testing.assert_allclose(same.alpha, learned().alpha)
