"""The smallest eigenpairs of a graph's Laplacian, component by component."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from graphol.graph import Graph, Laplacian
from graphol.linalg.blocks import Blocks, Eigenpairs, gathered
from graphol.linalg.connected import TOLERANCE
from graphol.linalg.memory import require_memory

if TYPE_CHECKING:
    from graphol.api import LinearSolver


class ResidualWarning(UserWarning):
    """Eigenvectors are less accurate than they should be."""


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

    Signs are fixed (:meth:`graphol.linalg.blocks.Blocks.dense`). Within a repeated eigenvalue the
    columns are one orthonormal basis out of many.

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


def inaccuracy(pairs: Eigenpairs) -> str:
    """What there is to say of the largest residual, if it is above the tolerance."""
    worst = float(np.max(pairs.residuals, initial=0.0))
    if worst <= TOLERANCE:
        return ""
    return f"an eigenvector has residual {worst:.1e}, above {TOLERANCE:.0e}; use fewer dimensions"


def warn_if_inaccurate(pairs: Eigenpairs, name: str) -> None:
    """A warning, if a residual is above the tolerance."""
    what = inaccuracy(pairs)
    if what:
        warnings.warn(f"{name}: {what}", ResidualWarning, stacklevel=3)


def _smallest_eigenpairs(
    graph: Graph,
    kind: Laplacian,
    d: int,
    rng: np.random.Generator,
    zero: bool,
    solver: LinearSolver | None,
) -> Eigenpairs:
    blocks = Blocks(graph, kind)
    sizes = blocks.sizes
    n_zero = min(d, len(sizes)) if zero else 0
    rest = min(d - n_zero, graph.n - len(sizes))
    columns = [blocks.zero(j) for j in range(n_zero)]
    for j, size in enumerate(sizes):
        k = min(rest, int(size) - 1)
        if k == 0:
            break  # isolated nodes from here on, or nothing more is wanted
        columns += blocks.nonzero(j, k, rng, solver)
    columns = sorted(columns, key=lambda column: column.value)[: n_zero + rest]  # zeros stay first
    return gathered(blocks, columns, n_zero)


def predicted_memory(graph: Graph, d: int) -> float:
    """Bytes that d eigenvectors take at the peak: L in four forms, d vectors, the solver's block.

    On the high side: Lanczos and the block method hold 2 d + 20 vectors or the like. A dense or a
    sparse factorisation asks for its own.
    """
    n, d = graph.n, min(d, graph.n)
    return 48.0 * (2 * graph.n_edges + n) + 8.0 * n * (3 * d + 2 * min(d + 20, n))
