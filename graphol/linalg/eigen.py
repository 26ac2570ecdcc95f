"""The smallest eigenpairs of a graph's Laplacian, component by component."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.graph import Graph, Laplacian
from graphol.linalg.connected import TOLERANCE, nonzero_eigenpairs
from graphol.linalg.memory import require_memory

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from graphol.api import LinearSolver


class ResidualWarning(UserWarning):
    """Eigenvectors are less accurate than they should be."""


class Eigenpairs(NamedTuple):
    """Eigenvalues, ascending, and what belongs to them."""

    values: NDArray[np.float64]  # (d,)
    vectors: NDArray[np.float64]  # (n, d), orthonormal columns
    residuals: NDArray[np.float64]  # (d,), ||L v - λ v|| / mean diagonal of its component
    n_zero: int  # how many eigenvalues, the first ones, are exactly 0
    method: str = "analytic"  # how those of the largest component were found
    why: str = ""


def smallest_eigenpairs(
    graph: Graph,
    kind: Laplacian,
    d: int,
    rng: np.random.Generator,
    *,
    zero: bool = True,
    solver: LinearSolver | None = None,
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
    from threadpoolctl import threadpool_limits

    advice = "use fewer dimensions, or a part of the graph"
    require_memory(predicted_memory(graph, d), f"{graph.name}: {d} eigenvectors", advice)
    with threadpool_limits(1, user_api="blas"):  # one order of summation on every machine
        pairs = _smallest_eigenpairs(graph, kind, d, rng, zero, solver)
    warn_if_inaccurate(pairs, graph.name)
    return pairs


def warn_if_inaccurate(pairs: Eigenpairs, name: str) -> None:
    """A warning, if a residual is above the tolerance."""
    worst = float(np.max(pairs.residuals, initial=0.0))
    if worst > TOLERANCE:
        warnings.warn(
            f"{name}: an eigenvector has residual {worst:.1e}, above {TOLERANCE:.0e}; "
            "use fewer dimensions",
            ResidualWarning,
            stacklevel=3,
        )


def _smallest_eigenpairs(
    graph: Graph,
    kind: Laplacian,
    d: int,
    rng: np.random.Generator,
    zero: bool,
    solver: LinearSolver | None,
) -> Eigenpairs:
    order = np.argsort(graph.components, kind="stable")  # the larger components first
    sizes = np.bincount(graph.components)
    starts = np.cumsum(sizes) - sizes
    L = graph.laplacian(kind)
    if len(sizes) > 1:
        L = L[order][:, order]  # block diagonal
    r = np.ones(graph.n) if kind == "combinatorial" else np.sqrt(graph.degrees[order])
    r[r == 0] = 1.0  # an isolated node

    n_zero = min(d, len(sizes)) if zero else 0
    rest = min(d - n_zero, graph.n - len(sizes))
    values, residuals = [np.zeros(n_zero)], [np.zeros(n_zero)]
    blocks: list[tuple[int, NDArray[np.float64]]] = []  # where the vectors start; one vector each
    method, why = "analytic", "eigenvalue 0 only"
    for start, size in zip(starts[:n_zero], sizes[:n_zero], strict=True):
        z = r[start : start + size]
        blocks.append((start, z / np.linalg.norm(z)))
    for start, size in zip(starts, sizes, strict=True):
        k = min(rest, size - 1)
        if k == 0:
            break  # isolated nodes from here on, or nothing more is wanted
        part = slice(start, start + size)
        block = L if size == graph.n else L[part, part]
        pairs = nonzero_eigenpairs(block, r[part], int(k), rng, solver)
        if start == 0:
            method, why = pairs.method, pairs.why
        values.append(pairs.values)
        residuals.append(_residuals(block, pairs.values, pairs.vectors))
        blocks.extend((start, v) for v in pairs.vectors.T)

    found = np.concatenate(values)
    smallest = np.argsort(found, kind="stable")[: n_zero + rest]  # the zeros stay first
    vectors = np.zeros((graph.n, len(smallest)))
    for column, which in enumerate(smallest):
        start, v = blocks[which]
        first = np.argmax(np.abs(v) > 0.99 * np.abs(v).max())
        vectors[order[start : start + len(v)], column] = v * np.sign(v[first])
    worst = np.concatenate(residuals)[smallest]
    return Eigenpairs(found[smallest], vectors, worst, n_zero, method, why)


def predicted_memory(graph: Graph, d: int) -> float:
    """Bytes that d eigenvectors take at the peak: L in four forms, d vectors, the solver's block.

    On the high side: Lanczos and the block method hold 2 d + 20 vectors or the like. A dense or a
    sparse factorisation asks for its own.
    """
    n, d = graph.n, min(d, graph.n)
    return 48.0 * (2 * graph.n_edges + n) + 8.0 * n * (3 * d + 2 * min(d + 20, n))


def _residuals(
    L: csr_array, values: NDArray[np.float64], V: NDArray[np.float64]
) -> NDArray[np.float64]:
    """||L v - λ v|| over the mean diagonal of L, a few columns at a time."""
    some = [slice(c, c + 16) for c in range(0, len(values), 16)]
    errors = [np.linalg.norm(L @ V[:, c] - V[:, c] * values[c], axis=0) for c in some]
    relative: NDArray[np.float64] = np.concatenate(errors) / L.diagonal().mean()
    return relative
