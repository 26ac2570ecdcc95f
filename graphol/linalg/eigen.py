"""The smallest eigenpairs of a graph's Laplacian, component by component."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.graph import Graph, Laplacian
from graphol.linalg.connected import nonzero_eigenpairs

TOLERANCE = 1e-3
"""Residuals above this are warned about; up to it they cost no accuracy downstream."""


class ResidualWarning(UserWarning):
    """Eigenvectors are less accurate than they should be."""


class Eigenpairs(NamedTuple):
    """Eigenvalues, ascending, and what belongs to them."""

    values: NDArray[np.float64]  # (d,)
    vectors: NDArray[np.float64]  # (n, d), orthonormal columns
    residuals: NDArray[np.float64]  # (d,), ||L v - λ v|| / mean diagonal of its component
    n_zero: int  # how many eigenvalues, the first ones, are exactly 0


def smallest_eigenpairs(
    graph: Graph, kind: Laplacian, d: int, rng: np.random.Generator, *, zero: bool = True
) -> Eigenpairs:
    r"""The d smallest eigenpairs of L, or the d smallest non-zero ones; all, if there are fewer.

    L is block diagonal over the c connected components. Each block has the eigenvalue 0 exactly
    once, with the eigenvector :math:`1` (or :math:`\sqrt{\deg}`, normalised Laplacian) on its
    component: these c pairs are written down, the larger components first. The others are computed
    block by block and merged. This is not a matter of speed: Lanczos on the whole of a disconnected
    graph returns too few zeros and no error (37 of 78 on the full Cora).

    Signs are fixed: the largest entry of every vector is positive, or rather the first entry within
    a per cent of it, for the sake of vectors like (1, -1). Within a repeated eigenvalue the columns
    are one orthonormal basis out of many.

    Cost: see :func:`graphol.linalg.connected.nonzero_eigenpairs`; memory :math:`O(n d)`.

    >>> path = Graph.from_edges([0, 1], [1, 2])
    >>> pairs = smallest_eigenpairs(path, "combinatorial", 3, np.random.default_rng(0))
    >>> pairs.values.round(12)
    array([0., 1., 3.])
    """
    order = np.argsort(graph.components, kind="stable")  # the larger components first
    sizes = np.bincount(graph.components)
    starts = np.cumsum(sizes) - sizes
    L = graph.laplacian(kind)[order][:, order]  # block diagonal
    r = np.ones(graph.n) if kind == "combinatorial" else np.sqrt(graph.degrees[order])
    r[r == 0] = 1.0  # an isolated node

    n_zero = min(d, len(sizes)) if zero else 0
    rest = min(d - n_zero, graph.n - len(sizes))
    values, residuals = [np.zeros(n_zero)], [np.zeros(n_zero)]
    blocks: list[tuple[int, NDArray[np.float64]]] = []  # where the vectors start; one vector each
    for start, size in zip(starts[:n_zero], sizes[:n_zero], strict=True):
        z = r[start : start + size]
        blocks.append((start, z / np.linalg.norm(z)))
    for start, size in zip(starts, sizes, strict=True):
        k = min(rest, size - 1)
        if k == 0:
            break  # isolated nodes from here on, or nothing more is wanted
        part = slice(start, start + size)
        block = L[part, part]
        λ, V = nonzero_eigenpairs(block, r[part], int(k), rng)
        values.append(λ)
        residuals.append(np.linalg.norm(block @ V - V * λ, axis=0) / block.diagonal().mean())
        blocks.extend((start, v) for v in V.T)

    found = np.concatenate(values)
    smallest = np.argsort(found, kind="stable")[: n_zero + rest]  # the zeros stay first
    vectors = np.zeros((graph.n, len(smallest)))
    for column, which in enumerate(smallest):
        start, v = blocks[which]
        first = np.argmax(np.abs(v) > 0.99 * np.abs(v).max())
        vectors[order[start : start + len(v)], column] = v * np.sign(v[first])
    worst = np.concatenate(residuals)[smallest]
    if np.max(worst, initial=0.0) > TOLERANCE:
        warnings.warn(
            f"{graph.name}: an eigenvector has residual {worst.max():.1e}, above {TOLERANCE:.0e}; "
            "use fewer dimensions",
            ResidualWarning,
            stacklevel=2,
        )
    return Eigenpairs(found[smallest], vectors, worst, n_zero)
