"""Smallest non-zero eigenpairs of the Laplacian of one connected graph."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError
from graphol.linalg.block_lanczos import NoConvergence
from graphol.linalg.chebyshev import chebyshev_eigenpairs
from graphol.linalg.choice import choose, may_factorise
from graphol.linalg.lanczos import lanczos_eigenvectors
from graphol.linalg.memory import require_memory
from graphol.linalg.shift_invert import shift_invert

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from graphol.api import LinearSolver

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

log = logging.getLogger(__name__)

TOLERANCE = 1e-3
"""Residual, relative to the mean diagonal, up to which eigenvectors cost no accuracy downstream."""


class Found(NamedTuple):
    """Eigenpairs of one connected graph, and how they were found."""

    values: Vector  # (k,)
    vectors: Matrix  # (m, k)
    method: str
    why: str
    mean: float
    """Mean diagonal of L, to which residuals are relative."""


def nonzero_eigenpairs(
    L: csr_array, r: Vector, k: int, rng: np.random.Generator, solver: LinearSolver | None = None
) -> Found:
    r"""The k smallest non-zero eigenpairs of L, whose null space is spanned by r > 0.

    r is :math:`1` for the Laplacian :math:`D - S` and :math:`\sqrt{\deg}` for the normalised one.
    It is deflated, never computed, so a component that nearly falls apart cannot mix with it.
    :func:`graphol.linalg.choice.choose` picks the method:

    - ``dense``: eigh of :math:`L + 2\beta z z^\top`, where :math:`z = r / \|r\|`.
    - ``shift-invert``: block Lanczos on the inverse, which ``solver`` factorises (None: ``splu``);
      :func:`graphol.linalg.shift_invert.shift_invert`.
    - ``lanczos``: :func:`graphol.linalg.lanczos.lanczos_eigenvectors`, for few vectors; if that
      does not converge in 700 steps, or will not, the next one.
    - ``chebyshev``: :func:`graphol.linalg.chebyshev.chebyshev_eigenpairs`. If it does not converge
      and a factorisation is possible, shift-invert after all; if not, it returns what it has.

    The first two are exact up to rounding, the others to a residual of :math:`10^{-4}` and
    :math:`10^{-3}` of the mean diagonal.

    :math:`\beta = \max_i (|L| x)_i / x_i` bounds the spectrum for any x > 0 (Gershgorin after
    scaling); the smaller bound of x = r and x = diag(L) is taken. It is 2 for the normalised
    Laplacian, and for the other one the largest sum of a degree and its neighbours' mean degree.
    """
    z = r / np.linalg.norm(r)
    diagonal = L.diagonal()
    mean = float(diagonal.mean())
    beta = _bound(L, np.column_stack([r, diagonal]))
    choice = choose(L, k, beta, mean)
    method = choice.method
    log.info("eigenvectors: %s, %d of %d", method, k, len(r))
    if method == "dense":
        what, advice = f"a dense matrix of {len(r)} nodes", "use fewer dimensions"
        require_memory(3 * 8.0 * len(r) ** 2, what, advice)
        values, vectors = np.linalg.eigh(L.toarray() + 2 * beta * np.outer(z, z))
        return Found(_positive(values[:k], beta), vectors[:, :k], method, choice.why, mean)
    if method == "shift-invert":
        values, vectors = shift_invert(L, r, k, rng, solver)
    if method == "lanczos":
        try:
            found = lanczos_eigenvectors(L, z, k, beta, rng, TOLERANCE * mean)
            values, vectors = _ritz(L, z, found, k)
        except NoConvergence:
            method = "chebyshev"
    if method == "chebyshev":
        filtered = chebyshev_eigenpairs(L, z, k, beta, rng, TOLERANCE * mean)
        values, vectors = filtered.values, filtered.vectors
        if not filtered.converged and may_factorise(L, k):
            with contextlib.suppress(InputError):  # then what there is must do
                values, vectors = shift_invert(L, r, k, rng, solver)
                method = "shift-invert"
    why = choice.why
    if method != choice.method:
        why += f"; {choice.method} did not converge"
    return Found(_positive(values, beta), vectors, method, why, mean)


def _bound(L: csr_array, X: Matrix) -> float:
    """Nothing in the spectrum of L is above this, by the better column of X > 0."""
    return float(np.min(np.max((abs(L) @ X) / X, axis=0)))


def _positive(values: Vector, beta: float) -> Vector:
    """Eigenvalues are known up to rounding, eps β; these are positive, so at least that."""
    return np.maximum(values, np.finfo(float).eps * beta)


def _ritz(L: csr_array, z: Vector, found: Matrix, k: int) -> tuple[Vector, Matrix]:
    """The k smallest Ritz pairs of L in the span of ``found``, orthonormal and orthogonal to z."""
    Q = np.linalg.qr(np.column_stack([z, found]))[0][:, 1:]
    values, C = np.linalg.eigh(Q.T @ (L @ Q))
    return values[:k], Q @ C[:, :k]
