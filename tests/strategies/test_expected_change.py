"""Expected change against fitting anew for every node and every answer."""

import attrs
import numpy as np
import pytest

from graphol import Graph, Situation
from graphol.strategies.expected_change import ExpectedChange

LAM, RHO, K = 0.3, 0.4, 3


def fitted(graph, labels):
    """Kernel ridge that is drawn to 1 / K: probabilities, by one dense solve."""
    W = graph.adjacency.toarray()
    d = W.sum(axis=1)
    precision = np.where(labels >= 0, RHO * (1 + LAM) * d / (1 - RHO), 0.0)
    A = np.diag(d * (1 + LAM)) - W + np.diag(precision)
    Y = np.where((labels >= 0)[:, None], np.eye(K)[labels], 0.0)
    return np.linalg.solve(A, precision[:, None] * Y + LAM * d[:, None] / K)


@pytest.mark.parametrize("seed", range(6))
def test_against_brute_force_refits(seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((9, 9)) * (rng.random((9, 9)) < 0.5), 1)
    W[np.arange(8), np.arange(1, 9)] = 1.0  # connected
    graph = Graph(W + W.T)
    labels = np.full(9, -1)
    labels[rng.permutation(9)[: 1 + seed % 3]] = rng.integers(K)
    p = fitted(graph, labels)
    assert np.allclose(p.sum(axis=1), 1) and p.min() > 0
    situation = attrs.evolve(Situation.unasked(graph, K), labels=labels, probabilities=p)
    found = ExpectedChange(LAM, RHO).values(situation, rng)
    waiting = np.flatnonzero(labels < 0)
    for i in waiting:
        change = 0.0
        for k in range(K):
            told = labels.copy()
            told[i] = k
            change += p[i, k] * abs(fitted(graph, told) - p)[waiting].sum()
        assert found[i] == pytest.approx(change, rel=1e-6)


def test_who_is_sure_changes_nothing():
    graph = Graph.from_edges("abc", "bcd")
    p = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.9, 0.1]])
    situation = attrs.evolve(Situation.unasked(graph, 2), probabilities=p)
    found = ExpectedChange().values(situation, np.random.default_rng(0))
    assert found[0] == found[2] == 0 and found[1] > found[3] > 0
