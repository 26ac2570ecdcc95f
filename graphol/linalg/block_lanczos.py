"""Block Lanczos with full orthogonalisation: many eigenvectors of an operator that is costly."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

BLOCK = 8
"""Vectors that the operator is applied to at once; 4 and 16 take longer, 32 twice as long."""
RESTARTS = 25
"""Times that the basis is cut down before it gives up."""
LOOKS = 6
"""Blocks of fresh random vectors after which what they show is believed."""
LOOKING = 20
"""Nodes per vector of the basis from which on another look at it costs next to nothing."""
TINY = 1e-13
"""What is left of a vector, relative to the largest eigenvalue, when nothing is left."""

log = logging.getLogger(__name__)


class NoConvergence(InputError):
    """Lanczos did not get there."""

    @classmethod
    def on(cls, n: int) -> NoConvergence:
        """The message for a component of n nodes."""
        return cls(
            f"eigenvectors: Lanczos did not converge on a component of {n} nodes; "
            "use a smaller dim or the normalized Laplacian"
        )


class Largest(NamedTuple):
    """What the iteration found."""

    values: Vector  # (k,), descending
    vectors: Matrix  # (n, k), orthonormal and orthogonal to z
    products: int  # vectors that the operator was applied to


def room(n: int, k: int) -> int:
    """How many vectors the basis may have."""
    return min(n, 1 + 4 * k + 10 * BLOCK)


def largest_eigenpairs(
    apply: Callable[[Matrix], Matrix],
    z: Vector,
    k: int,
    rng: np.random.Generator,
    tol: float,
    missing: Callable[[Vector], int],
) -> Largest:
    r"""The k largest eigenpairs of a positive semi-definite A orthogonal to the unit vector z.

    An orthonormal basis V grows by 8 vectors Q at a time, :math:`A V = V H + Q R`. Its Ritz pairs,
    :math:`H s = \theta s`, have residuals :math:`\|R s\|`, known without a product. When those of
    the k largest are at most ``tol`` times the smallest of them, :math:`A V s / \theta` is
    returned: one more step of the power method, for nothing, so that for the inverse
    :math:`A = L^{-1}` the residual of L is at most ``tol`` :math:`\lambda`.

    A block finds 8 copies of a repeated eigenvalue. Whether there are more, ``missing`` says, which
    is given the values found and returns how many larger ones are not among them. If any are, or if
    there is nothing left of Q, fresh random vectors join the block; the search goes on until none
    is missing, or nothing new turns up.

    Against single vectors with restarts (ARPACK): the same number of products or some more, but
    they come in blocks, and orthogonalisation, most of the time on a graph that is cheap to
    factorise, is matrix products: a second instead of four on a path of 100 000 nodes.

    Cost: 2 k to 4 k products with A, and :math:`2 n m^2` operations for a basis of m vectors, no
    more than 4 k + 80; then it is cut down to the best.

    References
    ----------
    Golub, Underwood. The block Lanczos method for computing eigenvalues. Mathematical Software
    III, 1977.
    Wu, Simon. Thick-restart Lanczos method for large symmetric eigenvalue problems. SIAM J. Matrix
    Anal. Appl., 2000.
    """
    basis = _Basis.of(z, k)
    basis.widen(BLOCK, rng)
    restarts, news = 0, -1
    look = min(2 * k + k // 4 + 4 * BLOCK, basis.n - 1)  # at so many vectors
    before: tuple[int, float] | None = None
    while True:
        if basis.m + basis.Q.shape[1] > basis.V.shape[1]:
            restarts += 1
            if restarts > RESTARTS:
                raise NoConvergence.on(basis.n)
            basis.cut_down(k)
            look, before = basis.m + 2 * BLOCK, None
        basis.step(apply)
        if not np.isfinite(basis.size):
            raise NoConvergence.on(basis.n)
        exhausted = basis.Q.shape[1] == 0
        if basis.m - 1 < k or (basis.m < look and not exhausted):
            if exhausted:
                basis.widen(BLOCK, rng)
            continue
        values, worst = basis.ritz(k)
        log.info("eigenvectors: %d of Lanczos, residual %.1e", basis.m - 1, worst)
        if worst > tol:
            look = basis.m + _further(before, (basis.m, worst), tol, k, basis.n)
            before = basis.m, worst
            continue
        lost = missing(values) if basis.m < basis.n else 0
        if lost <= 0 or lost == news:
            return Largest(values, basis.vectors(k), basis.products)
        news = lost
        basis.widen(min(max(lost, BLOCK), 4 * BLOCK), rng)
        look, before = basis.m + LOOKS * basis.Q.shape[1], None


def _further(
    before: tuple[int, float] | None, now: tuple[int, float], tol: float, k: int, n: int
) -> int:
    """How many more vectors to take before looking again, from how the residual fell so far.

    Looking costs as much as some vectors of small graphs: better a few too many there.
    """
    fall = (11.0 if n < LOOKING * now[0] else 20.0) / k  # logarithm, per vector
    if before is not None and now[1] < before[1]:
        fall = np.log(before[1] / now[1]) / (now[0] - before[0])
    return int(np.clip(np.log(now[1] / tol) / fall, BLOCK, BLOCK + k))


@attrs.define(eq=False)
class _Basis:
    """The orthonormal basis V of the Krylov space, z first, and A in it."""

    V: Matrix  # (n, room), columns together in memory; m are in use
    H: Matrix  # (room, room)
    m: int
    Q: Matrix  # (n, q): the next block
    R: Matrix  # (q, width of the last block)
    last: int = 1
    """The last block starts here; A times the next one has no part further back."""
    products: int = 0
    size: float = 0.0
    """The largest entry of H, about the largest eigenvalue."""
    S: Matrix = attrs.field(factory=lambda: np.zeros((0, 0)))
    """Ritz vectors in terms of V, the largest value first, as of the last look."""
    theta: Vector = attrs.field(factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, z: Vector, k: int) -> _Basis:
        n = len(z)
        most = room(n, k)
        V = np.empty((n, most), order="F")
        V[:, 0] = z
        return cls(V, np.zeros((most, most)), 1, np.empty((n, 0)), np.empty((0, 0)))

    @property
    def n(self) -> int:
        return len(self.V)

    def step(self, apply: Callable[[Matrix], Matrix]) -> None:
        """Q joins the basis; the next one is what A Q has outside it."""
        q, z = self.Q.shape[1], self.V[:, :1]
        start, end = self.m, self.m + q
        self.V[:, start:end] = self.Q
        W = apply(self.V[:, start:end])
        W -= z @ (z.T @ W)
        near, every = self.V[:, self.last : end], self.V[:, :end]
        h = near.T @ W
        W -= near @ h
        rest = every.T @ W
        W -= every @ rest
        h += rest[self.last :]
        self.H[self.last : end, start:end] = h
        self.H[start:end, self.last : end] = h.T
        self.last = start
        self.m, self.products = end, self.products + q
        self.size = float(np.maximum(self.size, np.abs(h).max(initial=0.0)))  # or NaN
        if np.isfinite(self.size):
            self.Q, self.R = self.orthonormal(W)

    def orthonormal(self, W: Matrix) -> tuple[Matrix, Matrix]:
        """W = Q R with Q orthogonal to V; columns of which nothing is left are dropped."""
        from scipy.linalg import qr

        floor = TINY * self.size
        quick = _cholesky_qr(W, max(floor, 1e-5 * float(np.linalg.norm(W))))
        if quick is not None:
            return quick
        Q: Any
        R: Any
        found: Any = qr(W, mode="economic", pivoting=True, check_finite=False)
        Q, R, order = found  # W[:, order] = Q R, its diagonal descending
        rank = min(int(np.count_nonzero(np.abs(np.diag(R)) > floor)), self.n - self.m)
        Q, R = Q[:, :rank], R[:rank][:, np.argsort(order)]
        for _ in range(2):
            Q, turn = np.linalg.qr(self.outside(Q))
            R = turn @ R
        return Q, R

    def outside(self, X: Matrix) -> Matrix:
        """X without its part in the basis."""
        V = self.V[:, : self.m]
        rest: Matrix = X - V @ (V.T @ X)
        return rest

    def widen(self, by: int, rng: np.random.Generator) -> None:
        """Random vectors, orthogonal to all there is, join the next block."""
        q = self.Q.shape[1]
        by = min(by, self.n - self.m - q)
        Q = np.hstack([self.Q, rng.standard_normal((by, self.n)).T])
        for _ in range(2):
            Q[:, q:] = self.outside(Q[:, q:])
            Q[:, q:] -= Q[:, :q] @ (Q[:, :q].T @ Q[:, q:])
            Q[:, q:] = np.linalg.qr(Q[:, q:])[0]
        self.Q, self.R = Q, np.vstack([self.R, np.zeros((by, self.R.shape[1]))])

    def ritz(self, k: int) -> tuple[Vector, float]:
        """The k largest Ritz values, and their worst residual relative to the smallest of them."""
        values, S = np.linalg.eigh(self.H[1 : self.m, 1 : self.m])
        self.theta, self.S = values[::-1], S[:, ::-1]
        residuals = np.linalg.norm(self.R @ self.S[self.last - 1 :, :k], axis=0)
        return self.theta[:k], float(residuals.max() / max(self.theta[k - 1], TINY * self.size))

    def vectors(self, k: int) -> Matrix:
        """A times the k first Ritz vectors over their values."""
        S = self.S[:, :k]
        X: Matrix = self.V[:, 1 : self.m] @ S
        X += self.Q @ (self.R @ S[self.last - 1 :] / self.theta[:k])
        return X

    def cut_down(self, k: int) -> None:
        """Keep the k largest Ritz vectors and half as many more, and the next block."""
        self.ritz(k)
        keep = min(k + k // 2 + BLOCK, self.m // 2 + k // 2)
        S = self.S[:, :keep]
        self.R = self.R @ S[self.last - 1 :]
        self.V[:, 1 : 1 + keep] = self.V[:, 1 : self.m] @ S
        self.H[:] = 0.0
        self.H[range(1, 1 + keep), range(1, 1 + keep)] = self.theta[:keep]
        self.m, self.last = 1 + keep, 1


def _cholesky_qr(W: Matrix, least: float) -> tuple[Matrix, Matrix] | None:
    """W = Q R, twice over; None if a column is nearly dependent or less than ``least``."""
    R = np.eye(W.shape[1])
    for _ in range(2):
        try:
            C = np.linalg.cholesky(W.T @ W)
        except np.linalg.LinAlgError:
            return None
        if np.diag(C).min(initial=np.inf) < least:
            return None
        W, R, least = W @ np.linalg.inv(C).T, C.T @ R, 0.5
    return W, R
