"""Uncertainty on probabilities that were written down by hand."""

import attrs
import numpy as np
import pytest
from scipy.stats import entropy

import graphol
from graphol import Graph, Situation
from graphol.strategies.uncertainty import Uncertainty

P = np.array([[0.5, 0.5, 0.0], [0.4, 0.3, 0.3], [1.0, 0.0, 0.0], [0.1, 0.2, 0.7]])


@pytest.fixture
def situation():
    graph = Graph.from_edges("abcd", "bcda")
    return attrs.evolve(Situation.unasked(graph, classes=3), probabilities=P)


def values(strategy, situation):
    return strategy.values(situation, np.random.default_rng(0))


def test_by_hand(situation):
    found = {by: values(Uncertainty(by), situation) for by in ("margin", "entropy", "doubt")}
    np.testing.assert_allclose(found["margin"], [1.0, 0.9, 0.0, 0.5])
    np.testing.assert_allclose(found["doubt"], [0.5, 0.6, 0.0, 0.3])
    np.testing.assert_allclose(found["entropy"], entropy(P, base=3, axis=1), atol=1e-12)


def test_measures_disagree_about_two_classes_and_three(situation):
    """Torn between two of three: the margin says unsure, the entropy says less than all three."""
    assert values(Uncertainty("margin"), situation).argmax() == 0
    assert values(Uncertainty("entropy"), situation).argmax() == 1


def test_an_unknown_measure_is_refused():
    with pytest.raises(graphol.UsageError, match="margin"):
        graphol.make("strategy", "uncertainty:by=margn")
