"""Chebyshev-filtered subspace iteration: many eigenvectors of a matrix too costly to factorise."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.linalg.parallel import Pieces

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Block = NDArray[np.float32]

GUARD = 20
"""Vectors beyond the wanted ones, at least: the filter does not separate those close to its cut."""
DEGREES = (10, 60)
"""Least and largest degree of the filter."""
GAIN = 7.0
"""Logarithm of the gain that a degree is chosen for; much more than e^7 at once hurts float32."""
WORSE = 3
"""Times that the residual may rise before it gives up; single precision is at its end."""
PRODUCTS = 800
"""Products of L with the block after which it gives up."""
ROUNDING = 1e-6
"""Residual, relative to the largest eigenvalue, below which single precision does not get."""

log = logging.getLogger(__name__)


class Filtered(NamedTuple):
    """What the iteration found, converged or not."""

    values: Vector  # (k,), ascending
    vectors: Matrix  # (n, k), orthonormal and orthogonal to z
    converged: bool
    products: int  # of L with the block
    iterations: int


def block_size(k: int) -> int:
    """How many vectors are iterated to find k."""
    return k + max(GUARD, k // 8)


def chebyshev_eigenpairs(
    L: csr_array, z: Vector, k: int, beta: float, rng: np.random.Generator, tol: float
) -> Filtered:
    r"""The k smallest eigenpairs of L orthogonal to its null vector z; the spectrum ends at beta.

    A block X of b > k vectors, random at first, is replaced by :math:`T_m(\ell(L)) X`, where the
    Chebyshev polynomial :math:`T_m` is at most 1 on the image :math:`[-1, 1]` of
    :math:`[\lambda_{cut}, \beta]` and grows like
    :math:`\exp(2m \sqrt{(\lambda_{cut} - \lambda)/\beta})` below it; then by its Ritz vectors. The
    largest Ritz value is the next cut. It stops when the first k have a residual of at most
    ``tol``, and of a tenth of :math:`\lambda_k` (any smooth vector would do otherwise).

    Unlike single-vector Lanczos it cannot miss copies of a repeated eigenvalue, and one pass over L
    serves b vectors. The block is kept in float32: rounding stays below :math:`10^{-6} \beta`,
    three digits less than is asked for. Inner products, the Rayleigh-Ritz step and the final
    orthonormal basis (Cholesky QR, twice) are float64. Rows are shared out among all processors;
    the result does not depend on their number.

    It gives up, with ``converged`` False, after 800 products, or as soon as the gain that it
    observes foretells more than 4000: then the small eigenvalues are too close to 0 (long paths,
    large grids), and those graphs are the ones that are cheap to factorise. A residual that rises
    says that so strong a filter drowned the guard vectors in rounding errors, as it does where
    communities stand out; from then on the degree may be as low as the gain asks for.

    Cost: a few hundred products with L at the most, :math:`O(\mathrm{nnz}(L)\, b)` each, and some
    ten times :math:`O(n b^2)`. Memory: 16 n b bytes or so, L apart.

    References
    ----------
    Zhou, Saad, Tiago, Chelikowsky. Self-consistent-field calculations using Chebyshev-filtered
    subspace iteration. J. Comput. Phys., 2006.
    """
    n = len(z)
    b = min(block_size(k), n - 1)
    with Pieces(n) as pieces:
        work = _Work(L, (L.data / beta).astype(np.float32), z, pieces)
        X = rng.standard_normal((n, b), dtype=np.float32)
        low, cut, degree = 0.0, 0.5, DEGREES[0]  # in units of beta, as all that follows
        products = iterations = worse = 0
        before, least = np.inf, DEGREES[0]
        while True:
            X = work.filtered(X, low, cut, degree)
            values, residuals = work.ritz(X)
            products, iterations = products + degree + 1, iterations + 1
            worst = float(residuals[:k].max())
            goal = min(tol / beta, 0.1 * float(values[k - 1]))
            log.info("eigenvectors: %d products, residual %.1e, goal %.1e", products, worst, goal)
            converged = worst <= goal
            low, cut = float(values[0]), float(values[-1])
            gain = 2 * np.sqrt(max(cut - values[k - 1], 0.0))  # logarithm, per degree
            hopeless = goal < ROUNDING or (
                iterations > 3 and np.log(max(worst / goal, 1.0)) > 5 * PRODUCTS * gain
            )
            if worst > before:  # a gain of more than e^7 drowned the others in rounding errors
                worse, least = worse + 1, 1
            before = worst
            if converged or products > PRODUCTS or hopeless or worse > WORSE:
                break
            degree = int(np.clip(GAIN / (2 * np.sqrt(max(cut, ROUNDING))), least, DEGREES[1]))
        values, vectors = work.polished(X, k)
    return Filtered(values, vectors, converged, products, iterations)


@attrs.frozen(eq=False)
class _Work:
    """L, L / beta in single precision, and the pieces that their rows are worked on in."""

    L: csr_array
    single: NDArray[np.float32]
    z: Vector
    pieces: Pieces

    def filtered(self, X: Block, low: float, cut: float, degree: int) -> Block:
        """T_m of L / beta on X, scaled to about 1 at the eigenvalue ``low``; X is used up."""
        half, middle = (1 - cut) / 2, (1 + cut) / 2
        first = sigma = half / (low - middle)
        Y = np.zeros_like(X)
        self.step(X, Y, sigma / half, middle, 0.0)
        for _ in range(degree - 1):  # X, Y = two neighbours of the three-term recurrence
            following = 1 / (2 / first - sigma)
            self.step(Y, X, 2 * following / half, middle, sigma * following)
            X, Y, sigma = Y, X, following
        return Y

    def ritz(self, X: Block) -> tuple[Vector, Vector]:
        """Ritz values and residuals of L / beta in the span of X, whose Ritz vectors replace X."""
        squares = self.pieces.sum(lambda r: np.einsum("ij,ij->j", X[r], X[r], dtype=np.float64))
        size = np.sqrt(np.where(squares > 0, squares, 1.0))
        along = self.pieces.sum(lambda r: self.z[r] @ X[r]) / size

        def clean(r: slice) -> None:
            X[r] = X[r] / size - np.outer(self.z[r], along)

        self.pieces.each(clean)
        LX = np.zeros_like(X)
        self.step(X, LX, 1.0, 0.0, 0.0)

        def products(r: slice) -> Matrix:
            A, B = X[r].astype(np.float64), LX[r].astype(np.float64)
            return np.stack([A.T @ A, A.T @ B])

        G, H = self.pieces.sum(products)
        W = _whitening(G)
        H = W.T @ H @ W
        values, C = np.linalg.eigh((H + H.T) / 2)
        turn = (W @ C).astype(np.float32)

        def rotate(r: slice) -> Vector:
            X[r] = X[r] @ turn
            R = LX[r] @ turn - X[r] * values.astype(np.float32)
            squares: Vector = np.einsum("ij,ij->j", R, R, dtype=np.float64)
            return squares

        return values, np.sqrt(self.pieces.sum(rotate))

    def polished(self, X: Block, k: int) -> tuple[Vector, Matrix]:
        """The k smallest Ritz pairs in the span of X, in double precision throughout."""
        Q = X.astype(np.float64)

        def rotate(r: slice) -> None:
            Q[r] = (Q[r] - np.outer(self.z[r], along)) @ W

        for _ in range(2):  # Cholesky QR
            along = self.pieces.sum(lambda r: self.z[r] @ Q[r])
            W = _whitening(self.pieces.sum(lambda r: Q[r].T @ Q[r]) - np.outer(along, along))
            self.pieces.each(rotate)
        if self.pieces.sum(lambda r: np.einsum("ij,ij->j", Q[r], Q[r])).min() < 0.5:
            # X had lost rank: any vectors orthogonal to the others and to z will do
            Q = np.ascontiguousarray(np.linalg.qr(np.column_stack([self.z, Q]))[0][:, 1:])
        LQ = np.zeros_like(Q)
        self.step(Q, LQ, 1.0, 0.0, 0.0)
        H = self.pieces.sum(lambda r: Q[r].T @ LQ[r])
        values, C = np.linalg.eigh((H + H.T) / 2)

        def last(r: slice) -> None:
            LQ[r, :k] = Q[r] @ C[:, :k]

        self.pieces.each(last)
        return values[:k], LQ[:, :k]

    def step(self, X: Matrix | Block, Y: Matrix | Block, *factors: float) -> None:
        """Y <- scale (A - shift I) X - keep Y: A = L / beta in single, L in double precision."""
        from graphol.linalg._filter import step

        data = self.single if X.dtype == np.float32 else self.L.data
        scale, shift, keep = map(X.dtype.type, factors)

        def some(r: slice) -> None:
            step(self.L.indptr, self.L.indices, data, r.start, r.stop, X, Y, scale, shift, keep)

        self.pieces.each(some)


def _whitening(G: Matrix) -> Matrix:
    """W with W' G W = I: from the Cholesky factor, or eigenvectors if G is singular to rounding."""
    try:
        R: Matrix = np.linalg.inv(np.linalg.cholesky(G)).T
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(G)
        R = vectors / np.sqrt(np.maximum(values, 1e-12 * values[-1]))
    return R
