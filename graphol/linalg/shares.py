"""The dimensions of an embedding, shared out among the components of a graph."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.graph import Graph, Laplacian
from graphol.linalg.blocks import Blocks, Column, Eigenpairs, gathered
from graphol.linalg.bulk import bulk_edges
from graphol.linalg.eigen import predicted_memory, warn_if_inaccurate
from graphol.linalg.memory import require_memory

if TYPE_CHECKING:
    from graphol.api import LinearSolver

Counts = NDArray[np.int64]
Vector = NDArray[np.float64]

DIM = 100
"""Dimensions that one component gets at most."""
FEW = 8
"""Dimensions of a whole graph, at least."""
SMOOTH = 0.1
"""Vectors of smaller eigenvalues are smooth on any graph, also where a random one has no edge."""
SMALL, SMOOTH_IN_SMALL = 32, 0.5
"""Nodes of components to which randomness is no yardstick, and the eigenvalue that counts there."""
MOST, MOST_OPERATIONS, MOST_NUMBERS = 2000, 4e10, 2e7
"""Dimensions that many components get together, at most; n d² and n d, at most."""
GLANCE, LARGE = 20, 50_000
"""In components with so many nodes so many vectors are looked at first: they may be enough."""


class Shared(NamedTuple):
    r"""Eigenpairs in which every component has its share.

    The eigenvalue 0 of a component of s nodes out of n counts as :math:`m (s / n)^{1/4}`, where m
    is the geometric mean of the smallest and the median of its other eigenvalues in use. So the
    constant vector of a large component weighs about as much as its other vectors do, no more
    (classes differ there), and that of a small one more (often it has one class).
    """

    pairs: Eigenpairs
    stand_in: Vector  # (n_zero,), what the eigenvalue 0 of each column counts as
    loose: int = 0  # nodes that have one dimension in common, the last of the n_zero first
    blank: int = 0  # nodes that have none
    crowded: int = 0  # nodes among both that are not isolated


def shared_eigenpairs(
    graph: Graph, kind: Laplacian, dim: int | None, rng: np.random.Generator,
    solver: LinearSolver | None = None,
) -> Shared:  # fmt: skip
    """``dim`` eigenpairs, or all there are; or those that have something to tell.

    A component of s nodes gets the eigenvalue 0 and its smallest others: as many as
    :func:`apportion` gives it, or as have something to tell. All nodes of components that get none
    have one dimension in common, an eigenvector of 0 too, if they are worth one. Memory and time
    are those of :func:`graphol.linalg.eigen.smallest_eigenpairs`.
    """
    from threadpoolctl import threadpool_limits

    advice = "use fewer dimensions, or a part of the graph"

    def solve(j: int, k: int) -> list[Column]:
        if k < 1:
            return []
        need = predicted_memory(graph, k + 1)
        require_memory(need, f"{graph.name}: {k + 1} eigenvectors", advice)
        return blocks.nonzero(j, k, rng, solver)

    with threadpool_limits(1, user_api="blas"):  # one order of summation on every machine
        blocks = Blocks(graph, kind)
        if dim is None:
            found, need = _telling(graph, kind, blocks.sizes, solve)
            seats, loose = _with_loose(blocks.sizes, need, _room(graph.n))
        else:
            seats, loose = _with_loose(blocks.sizes, blocks.sizes, dim)
            found = [solve(j, int(k) - 1) for j, k in enumerate(seats)]
        shared = _shared(blocks, found, seats, loose)
    warn_if_inaccurate(shared.pairs, graph.name)
    return shared


def _telling(
    graph: Graph, kind: Laplacian, sizes: Counts, solve: Callable[[int, int], list[Column]]
) -> tuple[list[list[Column]], Counts]:
    r"""Eigenpairs of every component, and how many of them have something to tell.

    These are the eigenvalue 0 and up to 99 eigenvalues that are smaller than a random graph with
    such degrees would have (:func:`graphol.linalg.bulk.bulk_edges`), or than 0.1; 0.5 with at most
    32 nodes, where randomness is no yardstick. :math:`\log_2(s / 32)` more are taken from s nodes:
    one too many costs little, one too few a class. The combinatorial Laplacian's are divided by the
    mean degree first. A graph gets 8 dimensions at least. An isolated node has none of its own:
    nobody can learn from it about another one.
    """
    limits = bulk_edges(graph, graph.components, least=SMOOTH)
    limits[sizes <= SMALL] = np.maximum(limits[sizes <= SMALL], SMOOTH_IN_SMALL)
    if kind == "combinatorial":
        limits *= np.bincount(graph.components, weights=graph.degrees) / sizes
    found: list[list[Column]] = []
    for j, size in enumerate(sizes):
        k = min(DIM, int(size)) - 1 if j < _room(graph.n) else 0  # others get no dimension
        first = min(k, GLANCE) if size > LARGE else k
        found.append(solve(j, first))
        if first < k and found[j][-1].value < limits[j]:
            found[j] = solve(j, k)
    each = zip(found, limits, strict=True)
    telling = [sum(column.value < limit for column in some) for some, limit in each]
    linked, margin = sizes > 1, np.log2(np.maximum(sizes / SMALL, 1)).astype(np.int64)
    there = linked * (1 + np.array([len(some) for some in found]))
    need = np.minimum(there, linked * (1 + np.array(telling) + margin))
    if need.sum() < FEW:
        need = np.maximum(need, apportion(sizes, there, FEW))
    return found, need


def apportion(sizes: Counts, most: Counts, seats: int) -> Counts:
    """How many of the ``seats`` every component gets: the i-th for s nodes is worth s / i².

    That is about what they save: the 75th eigenvector of a citation network of 2000 nodes saves
    half a mistake, the first dimension of a component of 5 nodes two or three.

    >>> apportion(np.array([900, 90, 9]), np.array([900, 90, 9]), 12).tolist()
    [9, 3, 0]
    """
    given = np.zeros(len(sizes), dtype=np.int64)
    queue = [(-float(size), j) for j, size in enumerate(sizes) if most[j] > 0]
    heapq.heapify(queue)
    while seats and queue:
        _, j = heapq.heappop(queue)
        given[j] += 1
        seats -= 1
        if given[j] < most[j]:
            heapq.heappush(queue, (-float(sizes[j]) / float(given[j] + 1) ** 2, j))
    return given


def _with_loose(sizes: Counts, most: Counts, seats: int) -> tuple[Counts, bool]:
    """Seats by :func:`apportion`, and whether those without have one in common."""
    given = apportion(sizes, most, seats)
    without = int(sizes[given == 0].sum())
    if without == 0 or given.sum() < seats:
        return given, without > 0
    last = np.min(sizes[given > 0] / given[given > 0].astype(float) ** 2)
    if without <= last:
        return given, False
    return apportion(sizes, most, seats - 1), True


def _room(n: int) -> int:
    """Dimensions of all components together, at most."""
    return int(max(DIM, min(MOST, np.sqrt(MOST_OPERATIONS / n), MOST_NUMBERS / n)))


def _shared(blocks: Blocks, found: list[list[Column]], seats: Counts, loose: bool) -> Shared:
    seated = int(np.count_nonzero(seats))  # the larger components
    zeros = [blocks.zero(j) for j in range(seated)]
    taken = [some[: k - 1] for some, k in zip(found, seats[:seated], strict=False)]
    n = len(blocks.order)
    stand_in = [
        _middle([column.value for column in some]) * float(size / n) ** 0.25
        for some, size in zip(taken, blocks.sizes, strict=False)
    ]
    rest = blocks.sizes[seated:]
    if loose:
        zeros.append(blocks.zero(seated, len(seats) - 1))
        stand_in.append(1.0)
    others = sorted((c for some in taken for c in some), key=lambda column: column.value)
    pairs = gathered(blocks, [*zeros, *others], len(zeros))
    without = int(rest.sum())
    return Shared(
        pairs, np.array(stand_in), without * loose, without * (not loose), int(rest[rest > 1].sum())
    )


def _middle(values: list[float]) -> float:
    """The geometric mean of the smallest and the median; 1 of nothing."""
    return float(np.sqrt(values[0] * np.median(values))) if values else 1.0
