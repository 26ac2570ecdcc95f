"""Smallest non-zero eigenpairs of the Laplacian of one connected graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError
from graphol.linalg.fill import predicted_fill
from graphol.linalg.solvers.splu import SuperLU

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Operator = Callable[[Vector], Vector]

DENSE = 600
"""Up to this many nodes a dense eigendecomposition is the fastest."""
CHEAP_FILL = 250
"""Shift-invert pays up to this many non-zeros of the factor per node; beyond it, plain Lanczos."""
SHIFT = 1e-3
"""Shift of shift-invert, relative to the mean diagonal."""
RESTARTS = 30
"""Restarts that Lanczos is allowed, about k steps each; where it needs more, factors are cheap."""


def nonzero_eigenpairs(
    L: csr_array, r: Vector, k: int, rng: np.random.Generator
) -> tuple[Vector, Matrix]:
    r"""The k smallest non-zero eigenpairs of L, whose null space is spanned by r > 0.

    r is :math:`1` for the Laplacian :math:`D - S` and :math:`\sqrt{\deg}` for the normalised one.
    It is deflated, never computed, so a component that nearly falls apart cannot mix with it.

    - Small: eigh of :math:`L + 2\beta z z^\top`, where :math:`z = r / \|r\|`.
    - Cheap to factorise: Lanczos on :math:`(L + \sigma I)^{-1} = R (R L R + \sigma R^2)^{-1} R`
      with :math:`R = \operatorname{diag}(r)`; the matrix in the middle is an ordinary Laplacian
      plus a positive diagonal, which any of our solvers takes.
    - Else (expanders, social graphs: their small eigenvalues are not small): Lanczos on
      :math:`\beta I - L`.

    :math:`\beta = \max_i (|L| r)_i / r_i` bounds the spectrum (Gershgorin after scaling by R); it
    is 2 for the normalised Laplacian and twice the largest degree for the other.
    """
    m = L.shape[0]
    z = r / np.linalg.norm(r)
    beta = float(np.max((abs(L) @ r) / r))
    if m <= DENSE or 4 * k > m:
        values, vectors = np.linalg.eigh(L.toarray() + 2 * beta * np.outer(z, z))
        return _positive(values[:k], beta), vectors[:, :k]
    mean = float(L.diagonal().mean())
    shift, most = SHIFT * mean, SuperLU().max_fill
    cheap = min(CHEAP_FILL * m * beta / (2 * mean), most)  # hubs slow plain Lanczos down
    fill = predicted_fill(L, enough=cheap)
    if fill <= cheap:
        found = _search(_inverse(L, r, shift), z, k, rng, tol=1e-8)
    else:
        try:  # to a residual of 1e-4 mean
            found = _search(lambda x: beta * x - L @ x, z, k, rng, 1e-4 * mean / beta)
        except InputError:
            if fill > most:
                raise
            found = _search(_inverse(L, r, shift), z, k, rng, tol=1e-8)
    values, vectors = _ritz(L, z, found, k)
    return _positive(values, beta), vectors


def _positive(values: Vector, beta: float) -> Vector:
    """Eigenvalues are known up to rounding, eps β; these are positive, so at least that."""
    return np.maximum(values, np.finfo(float).eps * beta)


def _inverse(L: csr_array, r: Vector, shift: float) -> Operator:
    """x -> (L + shift I)^-1 x."""
    from scipy.sparse import diags_array, eye_array

    R = diags_array(r)
    solver = SuperLU().prepare(R @ (L + shift * eye_array(len(r))) @ R)
    return lambda x: r * solver.solve(r * x)


def _search(apply: Operator, z: Vector, k: int, rng: np.random.Generator, tol: float) -> Matrix:
    """A basis (m, >= k) of the k largest eigenvectors of ``apply`` orthogonal to z.

    Lanczos from one vector may miss copies of a repeated eigenvalue, so it looks again in the
    orthogonal complement of what it found until nothing larger turns up there.
    """
    values, found = np.zeros(0), z[:, None]
    wanted = k
    while True:
        new, vectors = _lanczos(apply, found, wanted, rng, tol)
        known = len(values) >= k and new.max() <= np.sort(values)[-k] * (1 + 1e-6)
        if known:
            return found[:, 1:]
        wanted = 1 if len(values) == 0 else 2 * wanted
        values, found = np.append(values, new), np.hstack([found, vectors])


def _lanczos(
    apply: Operator, found: Matrix, k: int, rng: np.random.Generator, tol: float
) -> tuple[Vector, Matrix]:
    """The k largest eigenpairs of ``apply`` in the orthogonal complement of ``found``."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    def project(x: Vector) -> Vector:
        complement: Vector = x - found @ (found.T @ x)
        return complement

    m = len(found)
    operator = LinearOperator(
        (m, m), matvec=lambda x: project(apply(project(x.ravel()))), dtype=np.float64
    )
    seeded: Any = {"rng": rng} if "rng" in inspect.signature(eigsh).parameters else {}
    v0 = project(rng.standard_normal(m))
    restarts = max(RESTARTS, 1000 // k)  # of k steps or so each
    try:
        values, vectors = eigsh(
            operator, k=k, which="LA", v0=v0, tol=tol, maxiter=restarts, **seeded
        )
    except ArpackNoConvergence:
        raise InputError(
            f"eigenvectors: Lanczos did not converge on a component of {m} nodes; "
            "use a smaller dim or the normalized Laplacian"
        ) from None
    return values, vectors


def _ritz(L: csr_array, z: Vector, found: Matrix, k: int) -> tuple[Vector, Matrix]:
    """The k smallest Ritz pairs of L in the span of ``found``, orthonormal and orthogonal to z."""
    Q = np.linalg.qr(np.column_stack([z, found]))[0][:, 1:]
    values, C = np.linalg.eigh(Q.T @ (L @ Q))
    return values[:k], Q @ C[:, :k]
