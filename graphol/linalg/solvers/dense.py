"""Dense Cholesky of what is left when the vertices with few neighbours have been eliminated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError
from graphol.linalg.direct import Factorised
from graphol.linalg.system import LaplacianSystem
from graphol.params import param

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Integers = NDArray[np.int64]

ROUNDS = 8
"""Rounds of the search for an independent set; few rows are found after the first five."""
CROWDED = 128
"""Rows with more non-zeros than this are not eliminated: each leaves a clique behind."""
FULL = 0.1
"""Part of a matrix that is non-zero where a dense one is the better form of it."""
WORTH = 0.05
"""Part of the rows that a level must eliminate."""


class Level(NamedTuple):
    """One independent set I, eliminated, and the rest R."""

    gone: Integers  # I
    kept: Integers  # R
    inverse: Vector  # 1 / A_II, (|I|, 1)
    B: csr_array  # A_IR, (|I|, |R|)
    BT: csr_array


@attrs.frozen
class DenseCholesky:
    r"""Direct solver for graphs whose factor fills: hubs, many features, a dense core.

    Level by level, an independent set I of vertices with few neighbours is eliminated, which is a
    division by the diagonal: :math:`A \leftarrow A_{RR} - A_{RI} A_{II}^{-1} A_{IR}`. When that
    has filled, what is left is factorised as a dense matrix. On citations with a star for each of
    1432 words, 2500 of 4140 rows are left; a sparse factor of them is as full and much slower.
    ``auto`` does not choose it; learning the weights of several graphs does, where it pays.

    Parameters
    ----------
    max_rows
        Most rows of the dense matrix, >= 1. Memory is 8 bytes times its square.

    Examples
    --------
    >>> prepared = DenseCholesky().prepare([[1.0, -1.0], [-1.0, 1.0]])
    >>> prepared.solve(np.array([1.0, -1.0]))
    array([ 0.5, -0.5])
    """

    name: ClassVar[str] = "dense"
    max_rows: int = param(10_000, least=1)

    def prepare(self, A: Any) -> Factorised:
        """Factorise A, a graph's Laplacian plus a non-negative diagonal."""
        from scipy.linalg import LinAlgError, cho_solve, cholesky

        system = LaplacianSystem.of(A)
        levels, core = eliminated(system.grounded())
        if core.shape[0] > self.max_rows:
            raise InputError(
                f"dense: {core.shape[0]} rows are left after elimination, at most {self.max_rows} "
                "are allowed; use approx-chol or splu, or raise max_rows"
            )
        try:
            factor = cholesky(core.toarray(), lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            raise InputError(
                "dense: the weights span too many decades; scale them, or add a diagonal"
            ) from None

        def back(F: Matrix) -> Matrix:
            down = []
            for level in levels:
                first = level.inverse * F[level.gone]
                down.append(first)
                F = F[level.kept] - level.BT @ first
            X: Matrix = cho_solve((factor, True), F, check_finite=False) if len(F) else F
            for level, first in zip(reversed(levels), reversed(down), strict=True):
                whole = np.empty((len(level.gone) + len(level.kept), X.shape[1]))
                whole[level.kept] = X
                whole[level.gone] = first - level.inverse * (level.B @ X)
                X = whole
            return X

        return Factorised(system, back, self.name)


def eliminated(A: csr_array) -> tuple[list[Level], csr_array]:
    """Independent sets that were eliminated one after the other, and the matrix that is left."""
    from scipy.sparse import csr_array

    levels: list[Level] = []
    while A.nnz <= FULL * A.shape[0] ** 2:
        out = independent_set(A)
        gone, kept = np.flatnonzero(out), np.flatnonzero(~out)
        if len(gone) < WORTH * A.shape[0]:
            break
        inverse = 1 / A.diagonal()[gone, None]
        B = csr_array(A[gone][:, kept])
        data = B.data * np.repeat(inverse, np.diff(B.indptr))
        scaled = csr_array((data, B.indices, B.indptr), shape=B.shape)
        BT = csr_array(B.T)
        A = csr_array(A[kept][:, kept] - BT @ scaled)
        levels.append(Level(gone, kept, inverse, B, BT))
    return levels, A


def independent_set(A: csr_array) -> NDArray[np.bool_]:
    """Vertices no two of which are neighbours, those with few neighbours first, (n,).

    In every round a vertex is taken if it comes before all its neighbours that are still there.
    """
    n = A.shape[0]
    degree = np.diff(A.indptr)
    order = np.empty(n, dtype=np.int64)
    order[np.argsort(degree, kind="stable")] = np.arange(n)
    row, column = np.repeat(np.arange(n), degree), A.indices
    edge = row != column
    row, column = row[edge], column[edge]
    free, taken = degree <= CROWDED, np.zeros(n, dtype=bool)
    for _ in range(ROUNDS):
        between = free[row] & free[column]
        row, column = row[between], column[between]
        new = free.copy()
        new[row[order[row] > order[column]]] = False
        taken |= new
        free &= ~new
        free[row[new[column]]] = False
        if not free.any():
            break
    return taken
