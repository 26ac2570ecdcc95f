"""Nearest neighbours by cosine, against all pairs sorted."""

from __future__ import annotations

import numpy as np
import pytest

from graphol import InputError, UsageError
from graphol.layers import neighbours
from graphol.layers.neighbours import nearest_neighbours


def brute(X, k):
    """Every pair in double precision, sorted; the first of equal ones."""
    norm = np.linalg.norm(X, axis=1, keepdims=True)
    U = np.divide(X, norm, out=np.zeros_like(X), where=norm > 0)
    C = (U @ U.T).round(12)
    W = np.zeros_like(C)
    for i, row in enumerate(C):
        others = [j for j in range(len(C)) if j != i and row[j] > 0]
        for j in sorted(others, key=lambda j: (-row[j], j))[:k]:
            W[i, j] = min(row[j], 1.0)
    return np.maximum(W, W.T)


@pytest.mark.parametrize("k", [1, 3, 50])
@pytest.mark.parametrize("kind", ["dense", "sparse", "binary", "signed"])
def test_all_pairs_agree(kind, k, monkeypatch):
    rng = np.random.default_rng(k)
    X = rng.random((40, 12))
    if kind != "dense":
        X *= rng.random(X.shape) < 0.2
    if kind == "binary":
        X = (X > 0).astype(float)  # many equal cosines
    if kind == "signed":
        X = rng.normal(size=X.shape)
    X[7] = 0.0
    for entries in (2**24, 200):  # one block, and blocks of five rows
        monkeypatch.setattr(neighbours, "ENTRIES", entries)
        found = nearest_neighbours(X, k)
        np.testing.assert_allclose(found.toarray(), brute(X, k), atol=1e-11)
        assert (found != found.T).nnz == 0


def test_what_single_precision_cannot_tell_apart():
    """The second best differs from the best by 1e-9."""
    angles = np.array([0.0, 1e-4, 1e-4 + 1e-9, 1.0])
    found = nearest_neighbours(np.stack([np.cos(angles), np.sin(angles)], axis=1), 1)
    cosines = np.cos(angles[:, None] - angles)
    np.testing.assert_allclose(found.toarray()[0], [0, cosines[0, 1], 0, 0], rtol=1e-11)


def test_dense_and_sparse_products_agree(monkeypatch):
    rng = np.random.default_rng(5)
    X = (rng.random((60, 30)) < 0.2) * rng.random((60, 30))
    found = []
    for dense in (True, False):
        monkeypatch.setattr(neighbours, "_is_dense", lambda U, dense=dense: dense)
        found.append(nearest_neighbours(X, 4).toarray())
    assert np.array_equal(*found)


def test_the_scale_of_a_row_does_not_matter():
    X = np.random.default_rng(0).random((10, 4))
    scaled = X * np.logspace(-150, 90, 10)[:, None]
    np.testing.assert_allclose(
        nearest_neighbours(scaled, 3).toarray(), nearest_neighbours(X, 3).toarray(), rtol=1e-10
    )


def test_refused():
    with pytest.raises(UsageError, match="k must be >= 1, got 0"):
        nearest_neighbours(np.eye(3), 0)
    with pytest.raises(InputError, match="no two nodes have a feature in common"):
        nearest_neighbours(np.eye(3), 2)
