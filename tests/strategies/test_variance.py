"""What a label takes from the variance, against dense inverses with and without it."""

import attrs
import numpy as np
import pytest

from graphol import Graph, Situation
from graphol.strategies.variance import Variance

LAM, RHO = 0.2, 0.3


def covariance(graph, labelled):
    W = graph.adjacency.toarray()
    d = W.sum(axis=1)
    A = np.diag(d * (1 + LAM)) - W
    A[labelled, labelled] += RHO * (1 + LAM) * d[labelled] / (1 - RHO)
    return np.linalg.inv(A)


def ring(n, seed):
    rng = np.random.default_rng(seed)
    more = rng.permutation(n)
    return Graph.from_edges(
        [*range(n), *range(n // 2)], [*np.roll(range(n), -1), *(more[: n // 2] + n)],
        rng.random(n + n // 2) + 0.1,
    )  # fmt: skip


def labelled_at(graph, rows):
    situation = Situation.unasked(graph, classes=2)
    labels = situation.labels.copy()
    labels[rows] = 0
    return attrs.evolve(situation, labels=labels)


@pytest.mark.parametrize("seed", range(5))
def test_a_survey_is_what_a_label_takes_from_the_variance_of_the_sum(seed):
    graph = ring(8, seed)
    rows = np.random.default_rng(seed).permutation(graph.n)[:3]
    waiting = np.ones(graph.n)
    waiting[rows] = 0
    before = waiting @ covariance(graph, rows) @ waiting
    found = Variance("survey", LAM, RHO).values(labelled_at(graph, rows), np.random.default_rng(0))
    for i in np.flatnonzero(waiting):
        after = waiting @ covariance(graph, np.append(rows, i)) @ waiting
        assert found[i] == pytest.approx(before - after, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_own_is_the_diagonal(seed):
    graph = ring(8, seed)
    found = Variance("own", LAM, RHO).values(labelled_at(graph, [0, 3]), np.random.default_rng(0))
    np.testing.assert_allclose(found, covariance(graph, [0, 3]).diagonal(), rtol=1e-7)


def test_a_second_component_is_asked_about_after_the_first():
    """Nothing is known of it, so its nodes are worth more than any where a label is."""
    graph = Graph.from_edges("abcxyz", "bcayzx")
    found = Variance().values(labelled_at(graph, [0]), np.random.default_rng(0))
    assert found[3:].min() > found[:3].max()
