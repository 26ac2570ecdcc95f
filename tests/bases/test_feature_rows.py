"""What is made of node features before they are compared."""

import numpy as np
import pytest

import graphol
from graphol.bases.feature_rows import are_counts, feature_rows, unit


def graph(features):
    return graphol.Graph.from_edges([0, 1, 2], [1, 2, 3], features=features, name="path")


WORDS = np.array([[1, 0, 2], [0, 0, 0], [1, 3, 0], [1, 0, 0]])


def test_counts_are_weighted_by_how_rare_they_are():
    idf = np.log(5 / (1 + np.array([3, 1, 1]))) + 1
    wanted = WORDS * idf
    wanted /= np.maximum(np.linalg.norm(wanted, axis=1, keepdims=True), 1e-300)
    found = feature_rows(graph(WORDS), "auto", "who")
    np.testing.assert_allclose(found.toarray(), wanted, atol=1e-15)


@pytest.mark.parametrize("change", [lambda X: X * 0.5, lambda X: -X])
def test_what_is_no_count_is_only_scaled(change):
    X = change(WORDS)
    found = feature_rows(graph(X), "auto", "who").toarray()
    np.testing.assert_allclose(found, unit(graph(X).features).toarray(), atol=0)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), [1, 0, 1, 1])
    assert not are_counts(graph(X).features)


def test_the_largest_and_the_smallest_numbers():
    found = feature_rows(graph(WORDS * 1e300), "none", "who").toarray()
    np.testing.assert_allclose(found, feature_rows(graph(WORDS), "none", "who").toarray())
    found = feature_rows(graph(WORDS * 1e-300), "none", "who").toarray()
    np.testing.assert_allclose(found, feature_rows(graph(WORDS), "none", "who").toarray())


def test_no_features_and_none_that_says_anything():
    with pytest.raises(graphol.UsageError, match="^who needs node features; give --features FILE"):
        feature_rows(graph(None), "auto", "who")
    with pytest.raises(graphol.InputError, match="^who: all features of path are 0; give others"):
        feature_rows(graph(np.zeros((4, 2))), "auto", "who")
