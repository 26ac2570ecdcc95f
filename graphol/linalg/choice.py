"""Which eigensolver is the fastest for this graph, foretold from its shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphol.linalg.chebyshev import PRODUCTS, block_size
from graphol.linalg.fill import Fill, fill_in
from graphol.linalg.solvers.splu import SuperLU

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SMALL = 600
"""Up to this many nodes dense linear algebra is always the fastest."""
LARGEST_DENSE = 6000
"""Nodes up to which a dense matrix is thought of at all."""
SURE = 5000
"""Nodes up to which an exact method may take a second, however fast the others are."""
FEW = 20
"""Up to this many eigenvectors Lanczos is tried before the block method."""
PREFERENCE = 1.5
"""How many times the seconds of the block method an exact one may take."""
COUNTING = 0.02
"""Part of the block method's time that counting the factor's non-zeros may take."""
STEP = 2e-8
"""Seconds of one step of counting; up to three times as many where nothing is in the cache."""
LARGE = 50_000
"""Nodes beyond which a small world's factor is not even counted: it is always huge."""
TOO_LONG = 600.0
"""Predicted seconds beyond which a factorisation is not attempted, not even as a last resort."""


class Choice(NamedTuple):
    """What to try first, and what was known when that was decided."""

    method: str
    """dense, shift-invert, lanczos or chebyshev."""
    why: str


def choose(L: csr_array, k: int, beta: float, mean: float) -> Choice:
    r"""The method for the k smallest eigenpairs of the Laplacian of one connected graph.

    ``beta`` bounds its spectrum, ``mean`` is its mean diagonal.
    Processor seconds are predicted for m nodes, N non-zeros of L and b = k + 20 or k + k/8:

    - dense: :math:`10^{-10} m^3`;
    - shift-invert: :math:`8 \cdot 10^{-8} f + 5 \cdot 10^{-10} F` for two factorisations with f
      non-zeros and F operations, :math:`3.2 k (10^{-9} f + 8 \cdot 10^{-9} m)` for solving,
      :math:`1.5 \cdot 10^{-10} m (3 k + 40)^2` for orthogonalisation and
      :math:`2 \cdot 10^{-7} N` for the rest;
    - block: :math:`4 \cdot 10^{-10} P N b + 10^{-9} m b^2` with
      :math:`P = \max(72, 5 / \sqrt{\lambda}) \sqrt{\beta / 2\bar d}` products, :math:`\bar d`
      the mean diagonal of L. :math:`\lambda = (\pi k^{1/g} / D)^2 / 2` is a guess at the k-th
      eigenvalue: D is the number of steps from the first node to the one furthest from it, and
      :math:`g = \log m / \log D` the dimension of a body of that depth, 1 for a path. A graph that
      is long has small eigenvalues near 0, which iterations are slow to tell apart, and hubs
      (large :math:`\beta / \bar d`) have the same effect.

    An exact method (one of the first two) is taken if it costs less than 1.5 times the block
    method, or a second with up to 5000 nodes; else Lanczos for up to 20 vectors, else Chebyshev.
    The constants are measured, on one machine; only their proportions matter. Where P is beyond
    what the block method is allowed, it cannot converge and is not started, if a factor can be had.

    f and F are counted (:func:`graphol.linalg.fill.fill_in`), which is given up after 4 N steps (a
    tree takes 2 N) or two per cent of the time of the block method, or a sixth of that where little
    has gone by then: there are too many. For up to 20 vectors of a graph as shallow as said below
    it is given up after 1.5 N steps. Where iterations cannot do, they are counted to the end. It is
    pointless for m > 50 000, more than three neighbours on average and :math:`D < m^{1/3}`: such a
    graph has no small separators.
    """
    m = L.shape[0]
    if m <= SMALL or 2 * k > m:
        return Choice("dense", f"{m} nodes, {k} vectors")
    steps = _depth(L)
    b, products = block_size(k), _products(m, k, steps, beta / (2 * mean))
    block = 4e-10 * products * L.nnz * b + 1e-9 * m * b**2
    slow = products > PRODUCTS
    dense = 1e-10 * m**3 if m <= LARGEST_DENSE else np.inf
    limit = max(1.0 if m <= SURE else 0.0, PREFERENCE * block)  # for an exact method
    if slow:
        limit = max(limit, TOO_LONG)
    if _small_world(L, steps):
        invert = np.inf
    else:
        work = np.inf if slow or m <= SURE else _patience(L, k, steps, block)
        invert = _inversion(L, k, limit, work)
    known = (
        f"{m} nodes, {steps} steps deep; predicted seconds: "
        f"blocks {'too many' if slow else _seconds(block)}, "
        f"shift-invert {_seconds(invert)}, dense {_seconds(dense)}"
    )
    if min(dense, invert) <= limit:
        return Choice("dense" if dense < invert else "shift-invert", known)
    return Choice("lanczos" if k <= FEW else "chebyshev", known)


def may_factorise(L: csr_array, k: int) -> bool:
    """Can shift-invert be the last resort? It may take up to ten minutes."""
    return not _small_world(L, _depth(L)) and _inversion(L, k, TOO_LONG) <= TOO_LONG


def _products(m: int, k: int, steps: int, hubs: float) -> float:
    """How many products with L the block method would need."""
    dimension = max(1.0, np.log(m) / np.log(max(steps, 2)))
    value = (np.pi * k ** (1 / dimension) / max(steps, 1)) ** 2 / 2
    return float(max(72.0, 5 / np.sqrt(value)) * np.sqrt(hubs))


def _inversion(L: csr_array, k: int, limit: float, work: float = np.inf) -> float:
    """Predicted seconds of shift-invert; infinite beyond the limit, or if not counted in time."""
    m = L.shape[0]
    rest = 0.01 + 2e-7 * L.nnz + 2.6e-8 * k * m + 1.5e-10 * m * (3 * k + 40) ** 2

    def seconds(fill: Fill) -> float:
        return rest + (8e-8 + 3.2e-9 * k) * fill.nonzeros + 5e-10 * fill.flops

    if seconds(Fill(m, m)) > limit:
        return np.inf
    most = min(SuperLU().max_fill, (limit - rest) / (8e-8 + 3.2e-9 * k))
    fill = fill_in(L, most, work)
    return seconds(fill) if fill.nonzeros <= most else np.inf


def _patience(L: csr_array, k: int, steps: int, block: float) -> float:
    """Steps of counting after which there are too many non-zeros."""
    if k <= FEW and _shallow(L, steps):
        return 1.5 * L.nnz  # Lanczos is fast there; cliques take less, whatever they hang on
    return max(4.0 * L.nnz, COUNTING * block / STEP)


def _depth(L: csr_array) -> int:
    """Steps from the first node to the one furthest from it."""
    from scipy.sparse.csgraph import breadth_first_order

    order, before = breadth_first_order(L, 0)
    node, steps = order[-1], 0
    while before[node] >= 0:
        node, steps = before[node], steps + 1
    return steps


def _small_world(L: csr_array, steps: int) -> bool:
    return L.shape[0] > LARGE and _shallow(L, steps)


def _shallow(L: csr_array, steps: int) -> bool:
    m = L.shape[0]
    return bool(L.nnz > 4 * m and steps < m ** (1 / 3))


def _seconds(time: float) -> str:
    return f"{time:.2g}" if time < np.inf else "too many"
