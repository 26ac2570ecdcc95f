"""Lanczos from one vector, in single precision: few eigenvectors where products are cheap."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.linalg.block_lanczos import NoConvergence

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Rows = NDArray[Any]  # (some, n), a vector a row, all in single or all in double precision

STEPS = 500
"""Products after which it gives up, or when it is foretold that it will need more."""
LOOK = 3
"""One step of looking for missed copies for so many of the search; see ``smallest_beyond``."""
SINGLE = 1e-5
"""Residual, relative to the largest eigenvalue, down to which single precision is used."""
FIRST = 0.1
"""Part of the residual allowed that is asked for as long as the basis was not cut down."""
CLOSE = 0.01
"""Part of an eigenvalue by which a missed one may be smaller, if residuals are no larger."""
GUARD = 20
"""Vectors beyond the wanted ones that are kept when the basis is cut down."""
SAFE = 0.1
"""What is left of A q, relative to the largest eigenvalue, with which one vector may be trusted."""
EPS = {4: 10 * float(np.finfo(np.float32).eps), 8: 10 * float(np.finfo(np.float64).eps)}
"""What rounding leaves of a vector of length 1, by the bytes of its numbers."""
PIECE = 8192
"""Nodes at a time when the basis is cut down, in place."""

log = logging.getLogger(__name__)


def lanczos_eigenvectors(
    L: csr_array, z: Vector, k: int, beta: float, rng: np.random.Generator, tol: float
) -> Matrix:
    r"""A basis (n, >= k) of the k smallest eigenvectors of L orthogonal to its null vector z.

    beta bounds the spectrum. Residuals are at most ``tol``, and a tenth of :math:`\lambda_k`, but
    for rounding: single precision for ``tol`` :math:`\ge 10^{-4} \beta`, else double.

    The basis grows a vector at a time, each made orthogonal to the two before it, and every other
    one to all: rounding errors grow about eightfold where that is left out, to :math:`10^{-6}`. So
    the basis may have 4 (k + 20) vectors before it is cut down, and where k communities stand out
    it never is. Until then a tenth of ``tol`` is asked for, which costs a few products there.

    One starting vector may miss copies of a repeated eigenvalue, so it looks again in the
    orthogonal complement of what it found until nothing smaller turns up there.

    Cost: at most some 500 products in search and a third as many for copies, and :math:`O(n k)` for
    each. Memory: 16 n (k + 20) bytes, L apart. It raises NoConvergence as soon as the residuals
    foretell more.

    References
    ----------
    Wu, Simon. Thick-restart Lanczos method for large symmetric eigenvalue problems. SIAM J. Matrix
    Anal. Appl., 2000.
    """
    from scipy.sparse import csr_array

    goal = tol / beta
    dtype = np.float32 if FIRST * goal >= SINGLE else np.float64
    data: Any = (L.data / beta).astype(dtype)
    A = csr_array((data, L.indices, L.indptr), shape=L.shape)
    values, found = np.zeros(0), z[None].astype(dtype)
    wanted = k
    while True:
        basis = Basis.beside(found, A, wanted)
        values = np.append(values, basis.search(wanted, rng, goal))
        found = np.vstack([found, basis.vectors(wanted)])
        if len(values) >= k:
            largest = float(np.sort(values)[k - 1])
            least = largest - max(min(FIRST * goal, CLOSE * largest), _tiny(found))
            near_zero = min(5 / max(largest, 1e-3) ** 0.5, 100)  # steps that tell these apart
            steps = max(basis.products // LOOK, int(near_zero))
            if smallest_beyond(A, found, steps, rng) >= least:
                return found[1:].T.astype(np.float64)
        wanted = 1 if wanted == k else 2 * wanted


def smallest_beyond(A: csr_array, found: Rows, steps: int, rng: np.random.Generator) -> float:
    """The smallest eigenvalue of A orthogonal to ``found``, or something above it; A ends at 1.

    Plain Lanczos, two vectors, no restarts and no orthogonalisation: copies of Ritz values do no
    harm here, and what it finds is never below the smallest eigenvalue. A third of the steps of
    the search is enough: with one of the vectors found left out, block models of 20 000 nodes show
    that it is missing after 7 to 16 steps of 17 where communities stand out, 98 of 111 elsewhere.
    """
    from scipy.linalg import eigvalsh_tridiagonal

    q = _outside(_normal(found, rng), found)
    before, size = np.zeros_like(q), float(np.linalg.norm(q))
    diagonal: list[float] = []
    beside: list[float] = []
    while len(diagonal) < min(steps, len(q) - len(found)):
        q /= size
        w = _outside(q - A @ q, found)  # I - A: what is projected out is not the end sought for
        diagonal.append(float(q @ w))
        w -= diagonal[-1] * q
        w -= size * before  # nothing is before the first
        q, before, size = w, q, float(np.linalg.norm(w))
        if size <= _tiny(w):
            break
        beside.append(size)
    n = len(diagonal)
    return 1.0 - float(eigvalsh_tridiagonal(diagonal, beside[: n - 1])[-1]) if n else np.inf


def _outside(x: Rows, found: Rows) -> Rows:
    """x without its part in ``found``."""
    rest: Rows = x - (found @ x) @ found
    return rest


def _normal(rows: Rows, rng: np.random.Generator) -> Rows:
    """A random vector of the same length and precision."""
    drawn: Any = rng.standard_normal(rows.shape[1], dtype=rows.dtype.type)
    return np.asarray(drawn)


def _tiny(x: Rows) -> float:
    """What is left of a vector when nothing is left."""
    return EPS[x.dtype.itemsize]


@attrs.define(eq=False)
class Basis:
    """An orthonormal basis V of the Krylov space beside some vectors, and A, which ends at 1."""

    A: csr_array
    V: Rows  # (room, n); m are in use, and the first ``others`` are not of the Krylov space
    H: Matrix  # (room, room)
    others: int
    m: int
    near: int
    """A times the next vector has no part between the others and this one."""
    products: int = 0
    clean: bool = False
    """Was the next vector made orthogonal to all of V?"""
    theta: Vector = attrs.field(factory=lambda: np.zeros(0))
    """Ritz values, ascending, as of the last look."""
    S: Matrix = attrs.field(factory=lambda: np.zeros((0, 0)))
    """Their vectors in terms of V."""

    @classmethod
    def beside(cls, found: Rows, A: csr_array, k: int) -> Basis:
        """Nothing yet but what was found."""
        c, n = found.shape
        room = min((4 if found.dtype == np.float32 else 2) * (k + GUARD), n - c)
        V = np.empty((c + room, n), found.dtype)
        V[:c] = found
        return cls(A, V, np.zeros((c + room, c + room)), c, c, c)

    def search(self, k: int, rng: np.random.Generator, tol: float) -> Vector:
        """The k smallest Ritz values, once their residuals are at most tol."""
        room, n = self.V.shape
        k = min(k, room - self.others)
        look = min(self.others + 2 * k + GUARD, room)
        cuts: list[tuple[int, float]] = []
        q = self.random(rng)
        while True:
            w, size = self.step(q)
            if not np.isfinite(size):
                raise NoConvergence.on(n)
            if self.m >= look:
                worst = self.ritz(k, size)
                goal = max(min(tol, 0.1 * float(self.theta[k - 1])), _tiny(w))
                log.info("eigenvectors: %d products, residual %.1e", self.products, worst)
                if worst <= (goal if cuts else FIRST * goal) or self.m == n:
                    return self.theta[:k]
                if self.m == room:
                    cuts.append((self.products, float(np.log(worst / goal))))
                    if _foretold(cuts) > STEPS:
                        raise NoConvergence.on(n)
                    self.cut_down(k)
                look = min(self.m + (4 if worst < 30 * goal else 8), room)
            q = self.random(rng) if size == 0.0 else w / w.dtype.type(size)

    def step(self, q: Rows) -> tuple[Rows, float]:
        """q joins the basis; what A q has outside it, and its norm, 0 if that is rounding."""
        start, end = self.m, self.m + 1
        self.V[start] = q
        w = self.A @ q
        near = self.V[self.near : end]
        h = near @ w
        w -= h @ near
        size = float(np.linalg.norm(w))
        exact = self.others == 1  # z alone; A leads back to what was found to a residual
        self.clean = not (exact and self.clean and size > SAFE)
        if self.clean:
            w -= (self.V[:end] @ w) @ self.V[:end]
            size = float(np.linalg.norm(w))
        self.H[self.near : end, start] = self.H[start, self.near : end] = h
        self.near, self.m, self.products = start, end, self.products + 1
        return w, 0.0 if size <= _tiny(w) else size

    def random(self, rng: np.random.Generator) -> Rows:
        """A random unit vector, orthogonal to all there is."""
        q = _normal(self.V, rng)
        for _ in range(3):
            q /= np.linalg.norm(q)
            q = _outside(q, self.V[: self.m])
        q /= np.linalg.norm(q)
        return q

    def ritz(self, k: int, size: float) -> float:
        """The worst residual of the k smallest Ritz values."""
        own = slice(self.others, self.m)
        self.theta, self.S = np.linalg.eigh(self.H[own, own])
        return float(np.abs(self.S[-1, :k]).max() * size)

    def vectors(self, k: int) -> Rows:
        """The Ritz vectors of the k smallest."""
        X: Rows = self.S[:, :k].T.astype(self.V.dtype) @ self.V[self.others : self.m]
        return X

    def cut_down(self, k: int) -> None:
        """Keep the k smallest Ritz vectors and some more, and go on from there."""
        c, keep = self.others, min(k + GUARD, (self.m - self.others + k) // 2)
        turn = self.S[:, :keep].T.astype(self.V.dtype)
        for lo in range(0, self.V.shape[1], PIECE):
            some = slice(lo, lo + PIECE)
            self.V[c : c + keep, some] = turn @ self.V[c : self.m, some]
        self.H[:] = 0.0
        self.H[range(c, c + keep), range(c, c + keep)] = self.theta[:keep]
        self.m, self.near, self.clean = c + keep, c, False


def _foretold(cuts: list[tuple[int, float]]) -> float:
    """Products in all, from how the logarithm of residual over goal fell since the first cut."""
    (first, high), (last, low) = cuts[0], cuts[-1]
    if len(cuts) == 1:
        return last
    return last + low * (last - first) / (high - low) if low < high else np.inf
