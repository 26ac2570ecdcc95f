"""A graph of node features: every node with the nodes most like it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError, UsageError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Vector = NDArray[np.float64]
Integers = NDArray[np.int64]

ENTRIES = 2**24
"""Similarities of a block of nodes with all others: 64 MB."""
DENSE = 2**26
"""Numbers of a table that may be made dense: 256 MB."""
PAIRS = 2**16
"""Cosines computed again at a time."""
DIGITS = 12
"""Cosines that agree to so many are equal."""


def nearest_neighbours(features: Any, k: int, name: str = "features") -> csr_array:
    r"""Symmetric weights (n, n): the cosine of the features where one is among the other's k best.

    :math:`w_{ij} = x_i^\top x_j / |x_i| |x_j|`, if j is one of the k nodes with the largest cosine
    to i, or i one of j's. Of equal cosines the nodes that come first are taken. Only cosines above
    0 count, so a node without features has no neighbour, and others may have fewer than k.

    All pairs are looked at, a block of rows at a time, in single precision; whoever may be among
    the k best by that is looked at again in double precision, so the result is exact. O(n^2 m)
    operations at the most, and memory for 16 million cosines.

    >>> nearest_neighbours(np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]]), k=1).toarray().round(2)
    array([[0.  , 1.  , 0.71],
           [1.  , 0.  , 0.  ],
           [0.71, 0.  , 0.  ]])
    """
    from scipy.sparse import csr_array

    if k < 1:
        raise UsageError(f"{name}: k must be >= 1, got {k}")
    U = _unit_rows(csr_array(features, dtype=np.float64))
    n, chosen = U.shape[0], []
    small = U.astype(np.float32)
    dense = _is_dense(U)
    other: Any = np.ascontiguousarray(small.T.toarray()) if dense else small.T.tocsr()
    step = max(1, ENTRIES // max(n, 1))
    for start in range(0, n, step):
        block = small[start : start + step]
        cosines = block.toarray() @ other if dense else (block @ other).toarray()
        row, column = _candidates(cosines, start, min(k, n - 1), _slack(U))
        row += start
        chosen.append(_best(row, column, _cosines(U, row, column), k))
    row, column, cosine = (np.concatenate(parts) for parts in zip(*chosen, strict=True))
    if not len(cosine):
        raise InputError(
            f"{name}: no two nodes have a feature in common, so none has neighbours; give features "
            "that are shared"
        )
    one_way = csr_array((cosine, (row, column)), shape=(n, n))
    return one_way.maximum(one_way.T)


def _unit_rows(X: csr_array) -> csr_array:
    from scipy.sparse import diags_array

    largest = abs(X).max(axis=1).toarray().ravel() if X.shape[1] else np.zeros(X.shape[0])
    X = diags_array(_inverse(largest)) @ X  # squares of very large or small numbers are none
    unit: csr_array = (diags_array(_inverse(np.sqrt((X**2).sum(axis=1)))) @ X).tocsr()
    return unit


def _inverse(values: Vector) -> Vector:
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)


def _is_dense(U: csr_array) -> bool:
    """Is the product of dense tables cheaper? A sparse one costs 100 times as much per term."""
    n, m = U.shape
    held = np.bincount(U.indices, minlength=m).astype(float)
    return n * m <= DENSE and 100 * float(held @ held) > float(n) ** 2 * m


def _slack(U: csr_array) -> float:
    """How far a cosine in single precision may be from the true one."""
    terms = int(np.diff(U.indptr).max(initial=0))
    return (terms + 3) * float(np.finfo(np.float32).eps)


def _candidates(
    cosines: NDArray[np.float32], start: int, k: int, slack: float
) -> tuple[Integers, Integers]:
    """Row and column of whoever may be among the k best of a row."""
    here = np.arange(len(cosines))
    cosines[here, start + here] = 0.0
    if k < 1:
        return here[:0], here[:0]
    last = cosines.shape[1] - k
    least = np.partition(cosines, last, axis=1)[:, last]  # the k-th largest
    row, column = np.nonzero(cosines >= np.maximum(least - 2 * slack, np.float32(1e-30))[:, None])
    return row.astype(np.int64), column.astype(np.int64)


def _cosines(U: csr_array, row: Integers, column: Integers) -> Vector:
    """In double precision."""
    parts = [
        np.asarray(U[row[at : at + PAIRS]].multiply(U[column[at : at + PAIRS]]).sum(axis=1)).ravel()
        for at in range(0, len(row), PAIRS)
    ]
    found: Vector = np.clip(np.concatenate([*parts, np.zeros(0)]).round(DIGITS), 0.0, 1.0)
    return found


def _best(
    row: Integers, column: Integers, cosine: Vector, k: int
) -> tuple[Integers, Integers, Vector]:
    """The k largest of every row that are above 0, the first of equal ones."""
    order = np.lexsort((column, -cosine, row))
    row, column, cosine = row[order], column[order], cosine[order]
    rank = np.arange(len(row)) - np.searchsorted(row, row)
    kept = (rank < k) & (cosine > 0)
    return row[kept], column[kept], cosine[kept]
