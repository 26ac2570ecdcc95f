"""The nodes' own features as rows that can be compared: rare words count more, length does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphol.errors import InputError, UsageError
from graphol.graph import Graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WEIGHTINGS = ("auto", "tf-idf", "none")


def feature_rows(graph: Graph, weighting: str, asks: str) -> csr_array:
    """Sparse rows (n, m) of norm 1, or 0 where a node has no features.

    ``weighting`` is ``tf-idf``, ``none`` or ``auto``: tf-idf if they are counts. ``asks`` is who
    needs them, for the one line that says there are none.
    """
    if graph.features is None:
        raise UsageError(f"{asks} needs node features; give --features FILE or {INSTEAD}")
    X = graph.features
    if not X.nnz:
        raise InputError(f"{asks}: all features of {graph.name} are 0; give others, or {INSTEAD}")
    if weighting == "tf-idf" or (weighting == "auto" and are_counts(X)):
        X = tf_idf(X)
    return unit(X)


INSTEAD = "use label-propagation"


def are_counts(X: Any) -> bool:
    """Are all values whole numbers >= 0? Weighted already, they hardly ever are."""
    return bool((X.data >= 0).all() and (X.data == np.round(X.data)).all())


def tf_idf(X: Any) -> csr_array:
    r"""Every column times :math:`\ln\frac{1 + n}{1 + df} + 1`, df the rows that have it."""
    from scipy.sparse import csr_array, diags_array

    n, m = X.shape
    df = np.bincount(X.indices, minlength=m)
    return csr_array(X @ diags_array(np.log((1 + n) / (1 + df)) + 1))


def unit(X: Any) -> csr_array:
    """Rows of norm 1; a row of zeros stays one."""
    from scipy.sparse import csr_array, diags_array

    largest = abs(X).max(axis=1).toarray().ravel()  # first, lest a square overflow or vanish
    X = csr_array(diags_array(_inverse(largest)) @ X)
    return csr_array(diags_array(_inverse(np.sqrt(X.multiply(X).sum(axis=1)))) @ X)


def _inverse(size: Any) -> Any:
    return np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
