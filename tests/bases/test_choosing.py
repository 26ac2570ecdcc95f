"""Choosing by validation labels."""

import numpy as np

from graphol.bases.choosing import best


def test_right_more_often_comes_before_likelier():
    labels = np.array([0, 0, 1])
    often = np.array([[0.51, 0.49], [0.51, 0.49], [0.49, 0.51]])
    sure = np.array([[0.99, 0.01], [0.99, 0.01], [0.6, 0.4]])
    assert best([("sure", sure), ("often", often)], labels, 2) == ["often", "sure"]


def test_among_equals_the_likelier_and_then_the_first():
    labels, low, high = np.array([1]), np.array([[1.0, 2.0]]), np.array([[1.0, 9.0]])
    assert best([("a", low), ("b", high), ("c", 5 * high)], labels, 3) == ["b", "c", "a"]


def test_scores_that_are_all_zero_are_no_reason_to_fail():
    zero = np.zeros((2, 3))
    assert best([("a", zero), ("b", zero)], np.array([1, 2])) == ["a"]
