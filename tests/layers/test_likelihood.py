"""Objective and gradient against dense formulas and finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import random_array

import graphol
from graphol.layers.edges import Layers
from graphol.layers.likelihood import Likelihood, inverted
from graphol.layers.optimise import lbfgs
from graphol.testing.games import blocks
from graphol.testing.layers_reference import DenseField, random_graph, seeds_of, some_layers

EPS = 1e-3


def likelihood(layers, nodes, Y, mu_0=50.0, solver="splu", eps=EPS):
    return Likelihood.of(layers, nodes, Y, mu_0, graphol.make("solver", solver), eps)


def test_sigma_and_its_inverse():
    layers, _, _ = some_layers()
    nodes, _, _ = seeds_of(layers)
    dense = DenseField(layers, nodes, EPS, np.full(len(layers), 0.3))
    precision = np.eye(len(nodes)) - dense.Pi @ dense.Z
    np.testing.assert_allclose(dense.Sigma @ precision, np.eye(len(nodes)), atol=1e-9)


@pytest.mark.parametrize("solver", ["splu", "cg:tol=1e-12", "dense", "auto"])
@pytest.mark.parametrize("mu_0", [None, 20.0])
def test_objective_is_the_dense_one(mu_0, solver):
    layers, _, _ = some_layers()
    nodes, _, Y = seeds_of(layers)
    rng = np.random.default_rng(1)
    for _ in range(3):
        alpha = np.exp(rng.normal(size=len(layers)))
        found = likelihood(layers, nodes, Y, mu_0, solver).at(alpha)
        assert found.objective == pytest.approx(
            DenseField(layers, nodes, EPS, alpha).objective(Y, mu_0), rel=1e-7
        )


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), profiled=st.booleans())
def test_gradient_is_the_central_difference(seed, profiled):
    """Steps of 1e-4 in the logarithm of every weight, 1e-6 of the norm."""
    layers, _, _ = some_layers(seed=seed % 7)
    nodes, _, Y = seeds_of(layers, seed=seed)
    like = likelihood(layers, nodes, Y, None if profiled else 30.0)
    theta, h = np.random.default_rng(seed).normal(size=len(layers)), 1e-4
    exact = like.at(np.exp(theta)).gradient * np.exp(theta)
    numeric = [
        (like.at(np.exp(theta + d)).objective - like.at(np.exp(theta - d)).objective) / (2 * h)
        for d in h * np.eye(len(layers))
    ]
    assert np.linalg.norm(exact - numeric) <= 1e-6 * np.linalg.norm(exact)


def test_mu_0_is_the_likeliest():
    """At the profiled mu_0 both objectives have one gradient, and no other mu_0 is likelier."""
    layers, _, _ = some_layers()
    nodes, _, Y = seeds_of(layers)
    alpha = np.full(len(layers), 0.2)
    free = likelihood(layers, nodes, Y, None).at(alpha)
    held = likelihood(layers, nodes, Y, free.mu_0).at(alpha)
    np.testing.assert_allclose(free.gradient, held.gradient, rtol=1e-10)

    def density(mu_0):  # that of the labels, with the constant that a fixed mu_0 may forget
        return likelihood(layers, nodes, Y, mu_0).at(alpha).objective + Y.size * np.log(mu_0)

    assert density(free.mu_0) > max(density(1.01 * free.mu_0), density(0.99 * free.mu_0))


def test_labels_by_kernel_ridge():
    """L_S F = Pi' Y is F = U Sigma^-1 Y with U = L^-1 Pi'."""
    layers, _, _ = some_layers()
    nodes, _, Y = seeds_of(layers)
    alpha = np.full(len(layers), 0.4)
    like, dense = likelihood(layers, nodes, Y), DenseField(layers, nodes, EPS, alpha)
    U = like.solve_free(alpha, np.eye(len(nodes)))
    F = U @ np.linalg.solve(dense.Sigma, Y)
    np.testing.assert_allclose(like.solve_seeded(alpha, Y), F, atol=1e-9)
    np.testing.assert_allclose(F, np.linalg.solve(dense.LS, dense.Pi.T @ Y), atol=1e-9)


def test_the_order_of_nodes_does_not_matter():
    layers, graphs, X = some_layers()
    nodes, _, Y = seeds_of(layers)
    order = np.random.default_rng(5).permutation(layers.n)
    moved = Layers.of([graph.subgraph(order) for graph in graphs], X[order])
    alpha = np.exp(np.random.default_rng(1).normal(size=len(layers)))
    at = np.argsort(order)[nodes]
    one = likelihood(layers, nodes, Y).at(alpha)
    other = likelihood(moved, at, Y).at(alpha)
    assert one.objective == pytest.approx(other.objective, rel=1e-10)
    np.testing.assert_allclose(one.gradient, other.gradient, rtol=1e-8)
    learned = [
        lbfgs(likelihood(x, s, Y), iterations=200).alpha for x, s in ((layers, nodes), (moved, at))
    ]
    np.testing.assert_allclose(*learned, rtol=1e-3, atol=1e-5)


def test_a_graph_in_two_halves():
    """Two halves of a graph with weights a and b are the graph with weight (a + b)/2.

    So only their sum is determined; from equal starts they stay equal, and the mean is learned.
    """
    graph = blocks(60, K=3, seed=0, isolated=False)
    other = random_graph(60, 0.1, 0)
    layers = Layers.of([graph, other])
    nodes = np.random.default_rng(0).permutation(60)[:24]
    Y = np.eye(3)[graph.labels[nodes]]
    half = graphol.Graph(graph.adjacency / 2, name="half")
    split = Layers.of([half, half, other])
    alpha = np.array([0.7, 0.2])
    one = likelihood(layers, nodes, Y).at(alpha)
    two = likelihood(split, nodes, Y).at(np.array([0.7, 0.7, 0.2]))
    assert one.objective == pytest.approx(two.objective, rel=1e-12)
    np.testing.assert_allclose(two.gradient[:2], one.gradient[0] / 2, rtol=1e-9)
    uneven = likelihood(split, nodes, Y).at(np.array([1.4, 0.0, 0.2]))
    assert uneven.objective == pytest.approx(one.objective, rel=1e-12)
    whole = lbfgs(likelihood(layers, nodes, Y), iterations=200)
    apart = lbfgs(likelihood(split, nodes, Y), iterations=200)
    assert whole.alpha[0] > 1e-2
    np.testing.assert_allclose(apart.alpha[:2], whole.alpha[0], rtol=1e-2)
    assert apart.objective == pytest.approx(whole.objective, rel=1e-6)


def test_without_the_determinant_all_weights_vanish():
    """tr Y' Sigma^-1 Y alone falls with every weight: without log det the best of all is 0."""
    layers, _, _ = some_layers()
    nodes, _, Y = seeds_of(layers)
    for scale in (10.0, 1.0, 0.1, 1e-3):
        like = likelihood(layers, nodes, Y, 30.0)
        alpha = np.full(len(layers), scale)
        Z = like.solve_seeded(alpha, Y)
        assert (-30.0 * layers.energies(Z, Z) < 0).all()  # the derivative without log det
    spread = [np.sum(Y * (Y - like.solve_seeded(np.full(len(layers), a), Y)[nodes]))
              for a in (10.0, 1.0, 0.1, 1e-3)]  # fmt: skip
    assert np.all(np.diff(spread) < 0) and spread[-1] < 0.1 * spread[0]
    assert lbfgs(likelihood(layers, nodes, Y, 30.0)).alpha.max() > 1e-3  # with it, they do not


def test_a_thousand_layers_in_one_pass():
    """1434 layers are one list of edges: a gradient takes one system, not one per layer."""
    n, rng = 300, np.random.default_rng(0)
    X = random_array((n, 1433), density=0.02, rng=rng, data_sampler=lambda size: np.ones(size))
    layers = Layers.of([random_graph(n, 0.02, 0)], X)
    nodes, _, Y = seeds_of(layers, 20, 4)
    asked = []

    class Counting(type(graphol.make("solver", "splu"))):
        def prepare(self, A):
            asked.append(A)
            return super().prepare(A)

    like = Likelihood.of(layers, nodes, Y, 50.0, Counting(), EPS)
    alpha = np.exp(rng.normal(size=len(layers)))
    found = like.at(alpha)
    assert len(asked) == 1 and len(layers) > 1400
    dense = DenseField(layers.only(np.arange(len(layers)) < 40), nodes, EPS, alpha[:40])
    assert dense.Ls.shape[0] == 40
    step = np.where(np.arange(len(layers)) == 700, 1e-4, 0.0)
    up, down = like.at(alpha * np.exp(step)), like.at(alpha * np.exp(-step))
    numeric = (up.objective - down.objective) / 2e-4
    assert found.gradient[700] * alpha[700] == pytest.approx(numeric, rel=1e-4, abs=1e-6)


def test_inverse_of_what_rounding_made_indefinite():
    P = np.diag([1.0, -1e-17])
    inverse, logdet = inverted(P)
    assert np.isfinite(inverse).all() and np.isfinite(logdet)
    np.testing.assert_allclose(inverted(np.diag([2.0, 4.0]))[0], np.diag([0.5, 0.25]))
