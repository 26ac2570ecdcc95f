"""Shift-invert: the smallest eigenpairs of a Laplacian that is cheap to factorise."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError
from graphol.linalg.block_lanczos import largest_eigenpairs, room
from graphol.linalg.direct import Factorised
from graphol.linalg.memory import require_memory
from graphol.linalg.solvers.splu import SuperLU, symmetric_lu

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from graphol.api import LinearSolver

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

SHIFTS = (0.0, 1e-6, 1e-3)
"""Relative to the mean diagonal; the next where weights over many decades defeat the last."""
TOL = 1e-7
"""Residual of a Ritz pair of the inverse; that of L is as much times the eigenvalue."""
ENOUGH = 1e-5
"""Residual of L, relative to mean diagonal or eigenvalue, with which no other shift is tried."""
BELOW = 1e-4
"""Eigenvalues are counted up to the largest one found, less this part of it."""


def shift_invert(
    L: csr_array, r: Vector, k: int, rng: np.random.Generator, solver: LinearSolver | None = None
) -> tuple[Vector, Matrix]:
    r"""The k smallest non-zero eigenpairs of L, connected, whose null space is spanned by r > 0.

    Block Lanczos (:func:`graphol.linalg.block_lanczos.largest_eigenpairs`) on the pseudo-inverse:
    with :math:`R = \operatorname{diag}(r)`, the matrix :math:`R L R` is an ordinary Laplacian,
    which ``solver`` takes (None: ``splu``), and :math:`L^+ = R (R L R)^+ R` but for the part
    along r, which is projected out. Nothing is nearer to the eigenvalues wanted than 0 itself, so
    no shift separates them better: those of a long path lie between :math:`10^{-9}` and
    :math:`10^{-6}`, where one of :math:`10^{-3}` makes them all alike. A positive shift is for
    weights over so many decades that 0 fails.

    None is missed, whatever the multiplicities: by Sylvester's law of inertia the number of
    negative pivots of :math:`L - \mu I` is the number of eigenvalues below :math:`\mu`.
    """
    what, advice = f"a Krylov basis of {len(r)} nodes", "use fewer dimensions"
    require_memory(8.0 * len(r) * room(len(r), k), what, advice)
    z, mean = r / np.linalg.norm(r), float(L.diagonal().mean())
    for shift in SHIFTS:
        sigma = shift * mean
        try:
            inverse = _inverse(L, r, sigma, solver or SuperLU())
            missing = functools.partial(_missing, L, sigma)
            with np.errstate(all="ignore"):  # weights over a hundred decades: told apart below
                theta, vectors, _ = largest_eigenpairs(inverse, z, k, rng, TOL, missing)
        except InputError:
            if shift == SHIFTS[-1]:
                raise
            continue
        values = 1 / theta - sigma
        worst = np.linalg.norm(L @ vectors - vectors * values, axis=0).max()
        if worst <= ENOUGH * max(mean, values[-1]):
            break
    return values, vectors


def _inverse(
    L: csr_array, r: Vector, sigma: float, solver: LinearSolver
) -> Callable[[Matrix], Matrix]:
    """X -> (L + sigma I)^-1 X; for sigma = 0 up to multiples of r."""
    from scipy.sparse import csr_array, diags_array

    R = diags_array(r)
    weights = csr_array(R @ (diags_array(L.diagonal()) - L) @ R)
    # row sums that are zero to the last bit
    prepared = solver.prepare(diags_array(weights.sum(axis=1) + sigma * r**2) - weights)
    # no refinement: what the whole is worth is looked at in the end
    back = prepared.back if isinstance(prepared, Factorised) else prepared.solve
    scale = r[:, None]
    return lambda X: scale * back(scale * X)


def _missing(L: csr_array, sigma: float, theta: Vector) -> int:
    """How many eigenvalues of L are below the largest 1 / theta - sigma and not among them.

    0 is not counted. If no count can be had: 1, as if there were.
    """
    from scipy.sparse import eye_array

    values = 1 / theta - sigma
    mu = float(values.max()) * (1 - BELOW)
    try:
        factor = symmetric_lu(L - mu * eye_array(L.shape[0]))
    except InputError:
        return 1
    if (factor.perm_r != factor.perm_c).any():
        return 1
    negative = int(np.count_nonzero(factor.U.diagonal() < 0))
    return negative - 1 - int(np.count_nonzero(values < mu))
