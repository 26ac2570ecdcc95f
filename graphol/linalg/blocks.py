"""A graph's Laplacian as one block per connected component, the larger components first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.graph import Graph, Laplacian
from graphol.linalg.connected import nonzero_eigenpairs

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from graphol.api import LinearSolver

Vector = NDArray[np.float64]


class Column(NamedTuple):
    """One eigenpair; its vector is 0 but on the rows from ``start`` on, in the order of blocks."""

    value: float
    residual: float
    start: int
    vector: Vector


class Eigenpairs(NamedTuple):
    """Eigenvalues, ascending, and what belongs to them."""

    values: Vector  # (d,)
    vectors: NDArray[np.float64]  # (n, d), orthonormal columns
    residuals: Vector  # (d,), ||L v - λ v|| / mean diagonal of its component
    n_zero: int  # how many eigenvalues, the first ones, are exactly 0
    method: str = "analytic"  # how those of the largest component were found
    why: str = ""


class Blocks:
    r"""L is block diagonal; each block has the eigenvalue 0 once, with a vector that is known.

    It is :math:`1` for the Laplacian :math:`D - S` and :math:`\sqrt{\deg}` for the normalised one,
    on the component; isolated nodes are blocks of one.
    """

    def __init__(self, graph: Graph, kind: Laplacian) -> None:
        self.order = np.argsort(graph.components, kind="stable")  # the larger components first
        self.sizes = np.bincount(graph.components)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.L = graph.laplacian(kind)
        if len(self.sizes) > 1:
            self.L = self.L[self.order][:, self.order]
        r = np.ones(graph.n) if kind == "combinatorial" else np.sqrt(graph.degrees[self.order])
        r[r == 0] = 1.0  # an isolated node
        self.r = r
        self.method, self.why = "analytic", "eigenvalue 0 only"  # of the largest component

    def block(self, j: int) -> csr_array:
        """The Laplacian of the j-th component."""
        part = self._part(j)
        return self.L if len(self.sizes) == 1 else self.L[part, part]

    def _part(self, j: int) -> slice:
        return slice(int(self.starts[j]), int(self.starts[j] + self.sizes[j]))

    def zero(self, first: int, last: int | None = None) -> Column:
        """The eigenvalue 0 of one component, or of all from ``first`` to ``last`` in common."""
        start = int(self.starts[first])
        z = self.r[start : self._part(first if last is None else last).stop]
        return Column(0.0, 0.0, start, z / np.linalg.norm(z))

    def nonzero(
        self, j: int, k: int, rng: np.random.Generator, solver: LinearSolver | None
    ) -> list[Column]:
        """The k smallest non-zero eigenpairs of the j-th component, ascending."""
        block, part = self.block(j), self._part(j)
        found = nonzero_eigenpairs(block, self.r[part], k, rng, solver)
        errors = _residuals(block, found.values, found.vectors) / found.mean
        each = zip(found.values, errors, found.vectors.T, strict=True)
        if j == 0:
            self.method, self.why = found.method, found.why
        return [Column(float(v), float(e), part.start, x) for v, e, x in each]

    def dense(self, columns: Sequence[Column]) -> Vector:
        """The vectors, (n, d) in the graph's order.

        Signs are fixed: the largest entry of every vector is positive, or rather the first entry
        within a per cent of it, for the sake of vectors like (1, -1).
        """
        vectors = np.zeros((len(self.order), len(columns)))
        for k, column in enumerate(columns):
            v, start = column.vector, column.start
            first = np.argmax(np.abs(v) > 0.99 * np.abs(v).max())
            vectors[self.order[start : start + len(v)], k] = v * np.sign(v[first])
        return vectors


def gathered(blocks: Blocks, columns: Sequence[Column], n_zero: int) -> Eigenpairs:
    """These columns, in this order, as eigenpairs of the whole graph."""
    values = np.array([column.value for column in columns])
    residuals = np.array([column.residual for column in columns])
    vectors = blocks.dense(columns)
    return Eigenpairs(values, vectors, residuals, n_zero, blocks.method, blocks.why)


def _residuals(L: csr_array, values: Vector, V: NDArray[np.float64]) -> Vector:
    """||L v - λ v||, a few columns at a time."""
    some = [slice(c, c + 16) for c in range(0, len(values), 16)]
    errors = [np.linalg.norm(L @ V[:, c] - V[:, c] * values[c], axis=0) for c in some]
    return np.concatenate(errors)
