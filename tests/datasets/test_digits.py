"""The digits against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from graphol.datasets.digits import Digits


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("k", [1, 10])
def test_digits_match_brute_force_neighbours(k):
    task = Digits(k=k).load(rng())
    pixels, labels = load_digits(return_X_y=True)
    squares = (pixels**2).sum(axis=1)
    distance = squares[:, None] + squares - 2 * pixels @ pixels.T  # whole numbers: exact
    np.fill_diagonal(distance, np.inf)
    kth = np.sort(distance, axis=1)[:, k - 1]
    closer, as_close = distance < kth[:, None], distance <= kth[:, None]
    joined = task.graph.adjacency.toarray() > 0
    assert joined[closer | closer.T].all()
    assert not joined[~(as_close | as_close.T)].any()  # ties may go either way
    assert (joined.sum(axis=1) >= k).all()
    np.testing.assert_array_equal(task.graph.labels, labels)
    np.testing.assert_array_equal(task.graph.features.toarray(), pixels)
    assert task.name == "digits"
    assert Digits(k=k).load(rng(1)).graph.hash == task.graph.hash
