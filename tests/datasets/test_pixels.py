"""Digits as the weights of a linear model."""

import numpy as np
import pytest

import graphol


@pytest.mark.parametrize("weights", ["normalized", "constant", "gaussian"])
def test_digit_pixels_are_an_exact_linear_model(weights):
    """Least squares on the support alone explains the held-out samples."""
    spec = f"digit-pixels:digit=3,weights={weights}"
    task = graphol.make("dataset", spec).load(np.random.default_rng(0))
    w, *_ = np.linalg.lstsq(task.samples[:, task.support], task.truth)
    assert np.allclose(task.test.samples[:, task.support] @ w, task.test.truth)
    assert np.all(w == pytest.approx(1)) == (weights == "constant")
    assert weights == "gaussian" or (w.min() > 0 and w.max() == pytest.approx(1))


@pytest.mark.data
def test_mnist_pixels_are_connected(data_dir):
    from scipy.sparse.csgraph import connected_components

    for digit in range(10):
        task = graphol.make("dataset", f"mnist-pixels:digit={digit},train=5").load(
            np.random.default_rng(0)
        )
        inside = task.graph.adjacency[task.support][:, task.support]
        assert task.graph.n == 784
        assert connected_components(inside, directed=False)[0] == 1
