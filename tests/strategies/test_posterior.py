"""Variances against a dense inverse, exact and estimated."""

import attrs
import numpy as np
import pytest

from graphol import Graph, Situation, make
from graphol.strategies import posterior as room
from graphol.strategies.posterior import Prior, posterior
from graphol.testing.games import blocks

LAM, RHO = 0.3, 0.25


def asked(graph, labelled):
    found = Situation.unasked(graph, classes=3)
    labels = found.labels.copy()
    labels[labelled] = np.arange(len(labelled)) % 3
    return attrs.evolve(found, labels=labels)


def dense(graph, labelled):
    """(L + lam D + M)^-1 and the noise, from the adjacency matrix alone."""
    W = graph.adjacency.toarray()
    d = W.sum(axis=1)
    linked = np.where(d > 0, d, d[d > 0].mean())
    noise = (1 - RHO) / (RHO * (1 + LAM) * linked)
    A = np.diag(linked * (1 + LAM)) - W
    A[labelled, labelled] += 1 / noise[labelled]
    return np.linalg.inv(A), noise


def weighted(seed, n=12):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) < 0.3, 1) * rng.random((n, n))
    return Graph(W + W.T)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("count", [0, 1, 5, 12])
@pytest.mark.parametrize("way", ["dense", "columns"])
def test_against_a_dense_inverse(seed, count, way, monkeypatch):
    graph = weighted(seed)
    labelled = np.random.default_rng(seed).permutation(12)[:count]
    C, noise = dense(graph, labelled)
    if way == "columns":  # as on a large graph, with the first variances given
        before, _ = dense(graph, np.zeros(0, int))
        monkeypatch.setattr(Prior, "_estimated", lambda self, *_: before.diagonal().copy())
        monkeypatch.setattr(room, "_prior", lambda g, lam: Prior(g, lam, exact=0))
    found = posterior(asked(graph, labelled), LAM, RHO)
    waiting = np.ones(12)
    waiting[labelled] = 0
    np.testing.assert_allclose(found.own, C.diagonal(), rtol=1e-7)
    np.testing.assert_allclose(found.reach, C @ waiting, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(found.noise, noise)


def test_many_labels_are_solved_for_anew(monkeypatch):
    graph, labelled = blocks(60).unlabelled, np.arange(0, 60, 2)
    C, _ = dense(graph, labelled)
    monkeypatch.setattr(room, "MOST_ENTRIES", 100)
    found = posterior(asked(graph, labelled), LAM, RHO)
    waiting = np.arange(60) % 2
    np.testing.assert_allclose(found.reach, C @ waiting, rtol=1e-7)
    np.testing.assert_allclose(found.own, C.diagonal(), rtol=0.15)  # 64 draws, of the smaller part


def test_estimates_are_near_on_a_graph_with_hubs():
    task = make("dataset", "sbm:nodes=400").load(np.random.default_rng(0))
    C, _ = dense(task.graph, np.zeros(0, int))
    found = Prior(task.graph, LAM, exact=0).own
    np.testing.assert_allclose(found, C.diagonal(), rtol=0.1)
    assert np.corrcoef(found, C.diagonal())[0, 1] > 0.99


def test_values_do_not_depend_on_what_was_asked_before():
    graph = blocks(40).unlabelled
    made = make("strategy", "variance")
    rng = np.random.default_rng(0)
    other = Graph(graph.adjacency)
    step = [made.values(asked(graph, np.arange(k)), rng) for k in range(6)]
    assert np.array_equal(step[-1], made.values(asked(other, np.arange(5)), rng))
