"""Which eigensolver is the fastest for this graph, foretold from its shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphol.linalg.chebyshev import block_size
from graphol.linalg.fill import predicted_fill
from graphol.linalg.solvers.splu import SuperLU

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SMALL = 600
"""Up to this many nodes dense linear algebra is always the fastest."""
LARGEST_DENSE = 6000
"""Nodes up to which a dense matrix is thought of at all."""
SURE = 5000
"""Nodes up to which an exact method is looked for in any case."""
FEW = 20
"""Up to this many eigenvectors Lanczos on β I - L is tried before the block method."""
PATIENCE = 1.0
"""Seconds that an exact method may take, however fast the others are."""
LARGE = 50_000
"""Nodes beyond which the fill of a small world is not even predicted: it is always huge."""
TOO_LONG = 600.0
"""Predicted seconds beyond which a factorisation is not attempted, not even as a last resort."""


class Choice(NamedTuple):
    """What to try first, and what was known when that was decided."""

    method: str
    """dense, shift-invert, lanczos or chebyshev."""
    why: str


def choose(L: csr_array, k: int, beta: float) -> Choice:
    r"""The method for the k smallest eigenpairs of the Laplacian of one connected graph.

    Processor seconds are predicted for m nodes, N non-zeros of L and b = k + 20 or k + k/8:

    - dense: :math:`2 \cdot 10^{-10} m^3`;
    - shift-invert: :math:`1.5 \cdot 10^{-8} k f + 10^{-8} m k^2`, f the factor's non-zeros;
    - block: :math:`6 \cdot 10^{-10} P N b + 1.5 \cdot 10^{-9} m b^2` with
      :math:`P = 4 \max(D, 18) \sqrt{\beta / 2\bar d}` products, :math:`\bar d` the mean diagonal
      of L. D is the number of steps from the first node to the one furthest from it: a graph that
      is long has small eigenvalues near 0, which iterations are slow to tell apart, and hubs
      (large :math:`\beta / \bar d`) have the same effect.

    An exact method (one of the first two) is taken if it costs a second or less, or less than twice
    the time of the block method; else Lanczos for up to 20 vectors, else Chebyshev. The constants
    are measured, on one machine; only their proportions matter.

    Predicting f takes a second for 20 000 nodes, which is too long where m > 5000 and the block
    method needs less than 2 s; and it is pointless for m > 50 000 and :math:`D < m^{1/3}`: such a
    graph has no small separators. No factorisation is thought of in these cases.
    """
    m = L.shape[0]
    if m <= SMALL or 2 * k > m:
        return Choice("dense", f"{m} nodes, {k} vectors")
    steps = _depth(L)
    b, mean = block_size(k), float(L.diagonal().mean())
    products = 4 * max(steps, 18) * np.sqrt(beta / (2 * mean))
    block = 6e-10 * products * L.nnz * b + 1.5e-9 * m * b**2
    known = f"{m} nodes, {steps} steps deep; predicted seconds: blocks {block:.2g}"
    iterate = "lanczos" if k <= FEW else "chebyshev"
    if m > SURE and (block <= 2 * PATIENCE or _small_world(m, steps)):
        return Choice(iterate, known)
    dense = 2e-10 * m**3 if m <= LARGEST_DENSE else np.inf
    limit = max(PATIENCE, 2 * block)  # for an exact method
    enough = max(0.0, limit - 1e-8 * m * k**2) / (1.5e-8 * k)
    invert = _inversion(m, k, predicted_fill(L, enough=enough))
    known += f", shift-invert {_seconds(invert)}, dense {_seconds(dense)}"
    if min(dense, invert) <= limit:
        return Choice("dense" if dense < invert else "shift-invert", known)
    return Choice(iterate, known)


def may_factorise(L: csr_array, k: int) -> bool:
    """Can shift-invert be the last resort? It may take up to ten minutes."""
    m = L.shape[0]
    if _small_world(m, _depth(L)):
        return False
    most = min(SuperLU().max_fill, max(0.0, TOO_LONG - 1e-8 * m * k**2) / (1.5e-8 * k))
    return _inversion(m, k, predicted_fill(L, enough=most)) <= TOO_LONG


def _inversion(m: int, k: int, fill: float) -> float:
    """Predicted seconds of shift-invert; infinite where the factor would be refused."""
    if fill > SuperLU().max_fill:
        return np.inf
    return 1.5e-8 * k * fill + 1e-8 * m * k**2


def _depth(L: csr_array) -> int:
    """Steps from the first node to the one furthest from it."""
    from scipy.sparse.csgraph import breadth_first_order

    order, before = breadth_first_order(L, 0)
    node, steps = order[-1], 0
    while before[node] >= 0:
        node, steps = before[node], steps + 1
    return steps


def _small_world(m: int, steps: int) -> bool:
    return bool(m > LARGE and steps < m ** (1 / 3))


def _seconds(time: float) -> str:
    return f"{time:.2g}" if time < np.inf else "too many"
