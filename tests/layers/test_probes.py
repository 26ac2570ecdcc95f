"""Both estimators of the trace are unbiased; the printed one is not."""

import numpy as np
import pytest

import graphol
from graphol.layers.likelihood import Likelihood
from graphol.layers.probes import edge_probes, estimated, seed_probes
from graphol.testing.layers_reference import DenseField, seeds_of, some_layers

EPS = 0.05


def setting():
    layers, _, _ = some_layers()
    nodes, _, Y = seeds_of(layers)
    alpha = np.linspace(0.2, 1.0, len(layers))
    like = Likelihood.of(layers, nodes, Y, 30.0, graphol.make("solver", "splu"), EPS)
    return like, alpha, DenseField(layers, nodes, EPS, alpha)


def scores(draws, exact):
    """How many standard errors the mean over draws is away, (k,)."""
    return (np.mean(draws, axis=0) - exact) / (np.std(draws, axis=0) / np.sqrt(len(draws)))


@pytest.mark.parametrize("trace", [seed_probes, edge_probes])
def test_unbiased(trace):
    like, alpha, dense = setting()
    rng = np.random.default_rng(0)
    draws = [trace(like, alpha, 4, rng) for _ in range(400)]
    assert np.abs(scores(draws, dense.traces())).max() < 3.5


def test_seed_probes_vary_less():
    like, alpha, _ = setting()
    rng = np.random.default_rng(0)
    spread = [
        np.std([trace(like, alpha, 4, rng) for _ in range(300)], axis=0)
        for trace in (seed_probes, edge_probes)
    ]
    assert np.median(spread[0] / spread[1]) < 0.8


def test_the_printed_lemma_fails_and_the_corrected_one_holds():
    """M M' is Sigma with the ridge's part in M, and far from it without."""
    like, alpha, dense = setting()
    layers, seeds = like.layers, like.seeds
    B = np.zeros((layers.vertices, layers.n_edges))
    B[layers.u, np.arange(layers.n_edges)] = 1.0
    B[layers.v, np.arange(layers.n_edges)] = -1.0
    BW = B * np.sqrt(alpha[layers.layer] * layers.w)
    half = np.linalg.solve(dense.L, np.hstack([BW, np.diag(np.sqrt(like.ridge))]))[seeds]
    corrected = np.hstack([np.eye(len(seeds)), half])
    printed = corrected[:, : len(seeds) + layers.n_edges]
    np.testing.assert_allclose(corrected @ corrected.T, dense.Sigma, atol=1e-9)
    off = np.abs(printed @ printed.T - dense.Sigma).max()
    assert off > 0.1 * np.abs(dense.Sigma).max()
    rng = np.random.default_rng(0)
    draws = [edge_probes(like, alpha, 64, rng, printed=True) for _ in range(400)]
    assert np.abs(scores(draws, dense.traces())).max() > 10


@pytest.mark.parametrize("mu_0", [30.0, None])
def test_estimated_gradient(mu_0):
    like, alpha, _ = setting()
    like = Likelihood.of(like.layers, like.seeds, like.Y, mu_0, like.solving.solver, EPS)
    rng = np.random.default_rng(0)
    exact = like.at(alpha)
    found, mu = estimated(like, alpha, 40000, rng, seed_probes)
    assert mu == pytest.approx(exact.mu_0, rel=1e-8)
    assert np.linalg.norm(found - exact.gradient) < 0.05 * np.linalg.norm(exact.gradient)
