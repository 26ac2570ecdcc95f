"""A x = b for A a graph's Laplacian plus a non-negative diagonal: what every solver must check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

OUTSIDE = 1e-9
"""A right-hand side further than this (relative) from the range of A is refused."""


@attrs.frozen(eq=False)
class LaplacianSystem:
    r"""The matrix, checked once, and its null space, known in closed form.

    :math:`A = L + \operatorname{diag}(c)`, :math:`c \ge 0`, is block diagonal over the connected
    components. A block is singular iff c vanishes on the whole component, and then its null space
    is the constants; a block with any :math:`c_i > 0` is positive definite. So the rows of
    ``null`` (c, n), :math:`1/\sqrt{|C|}` on a singular component C, are an orthonormal basis of
    the null space of A, and no rank is ever guessed from pivots or eigenvalues. Row sums that are
    zero up to the rounding error of adding up the row count as zero.

    A solver does three things with it: :meth:`accept` a right-hand side, solve (a direct one with
    :meth:`grounded`, an iterative one with ``A`` itself), :meth:`centre` the result.

    Examples
    --------
    >>> system = LaplacianSystem.of([[1, -1, 0], [-1, 1, 0], [0, 0, 2]])
    >>> system.null.toarray().round(3)
    array([[0.707, 0.707, 0.   ]])
    >>> system.accept(np.array([1.0, 0.0, 0.0]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    graphol.errors.InputError: linear system: b must sum to 0 on a component ..., got 1; ...
    """

    A: csr_array  # (n, n)
    null: csr_array  # (c, n), orthonormal rows

    @classmethod
    def of(cls, A: Any) -> LaplacianSystem:
        """Check that A is a Laplacian plus a non-negative diagonal, and find its null space.

        What has been checked is not checked again.
        """
        if isinstance(A, LaplacianSystem):
            return A
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        A = csr_array(A, dtype=np.float64)
        if A.ndim != 2 or A.shape[0] != A.shape[1] or A.shape[0] == 0:
            raise InputError(f"linear system: A must be square and not empty, got shape {A.shape}")
        A.sum_duplicates()
        if not np.isfinite(A.data).all():
            raise InputError("linear system: A holds NaN or infinity")
        difference = abs(A - A.T)
        if difference.nnz and difference.max() > 1e-9 * abs(A.data).max():
            raise InputError("linear system: A is not symmetric")
        n, entries = A.shape[0], np.diff(A.indptr)
        off = A.indices != np.repeat(np.arange(n), entries)
        if (A.data[off] > 0).any():
            raise InputError("linear system: A has a positive entry off its diagonal; no Laplacian")
        sums = A.sum(axis=1)
        rounding = _rounding(A)
        if (sums < -rounding).any():
            i = int(np.argmin(sums))
            raise InputError(
                f"linear system: row {i} of A sums to {sums[i]:.3g} < 0; "
                "A must be a Laplacian plus a non-negative diagonal"
            )
        count, component = connected_components(A, directed=False)
        regular = np.zeros(count, dtype=bool)
        np.logical_or.at(regular, component, sums > rounding)
        nodes = np.flatnonzero(~regular[component])
        _, row = np.unique(component[nodes], return_inverse=True)
        weight = 1 / np.sqrt(np.bincount(row))[row] if len(row) else np.zeros(0)
        null = csr_array((weight, (row, nodes)), shape=(int((~regular).sum()), n))
        return cls(A, null)

    def accept(self, B: Any) -> Matrix:
        """A new (n, k) array: B, checked and freed of its rounding error outside the range."""
        B = np.asarray(B, dtype=np.float64)
        n = self.A.shape[0]
        if B.ndim not in (1, 2) or B.shape[0] != n:
            raise InputError(f"linear system: b must have {n} rows, got shape {B.shape}")
        if not np.isfinite(B).all():
            raise InputError("linear system: b holds NaN or infinity")
        F = B.reshape(n, -1).copy()
        outside = self.null @ F  # (c, k)
        far = np.abs(outside) > OUTSIDE * np.linalg.norm(F, axis=0)
        if far.any():
            c, k = np.argwhere(far)[0]
            total = outside[c, k] * np.sqrt(self.null.indptr[c + 1] - self.null.indptr[c])
            raise InputError(
                "linear system: b must sum to 0 on a component without added diagonal, "
                f"got {total:.3g}; subtract its mean there, or add a diagonal"
            )
        return self.centre(F)

    def centre(self, X: Matrix) -> Matrix:
        """X (n, k) without its part in the null space."""
        if self.null.shape[0] == 0:
            return X
        centred: Matrix = X - self.null.T @ (self.null @ X)
        return centred

    def edge_weights(self) -> tuple[csr_array, Vector]:
        """The graph's weights, -A off the diagonal (n, n), and the added diagonal (n,).

        What is zero up to rounding, or lies on a singular component, is no added diagonal.
        """
        from scipy.sparse import csr_array, diags_array

        W = csr_array(diags_array(self.A.diagonal()) - self.A)
        W.setdiag(0)
        W.eliminate_zeros()
        W.sort_indices()
        sums = self.A.sum(axis=1)
        added = np.where(sums > _rounding(self.A), sums, 0.0)
        added[self.null.indices] = 0.0
        return W, added

    def grounded(self) -> csr_array:
        r"""A plus a positive number at one node g per singular component: positive definite.

        For b in the range, summing the rows of :math:`(A + \alpha e_g e_g^\top) x = b` over the
        component leaves :math:`\alpha x_g = 0`, so x solves A x = b too, with node g held at 0.
        """
        from scipy.sparse import csr_array, diags_array

        diagonal = self.A.diagonal()
        ground = np.zeros_like(diagonal)
        for c in range(self.null.shape[0]):
            nodes = self.null.indices[self.null.indptr[c] : self.null.indptr[c + 1]]
            g = nodes[np.argmax(diagonal[nodes])]
            ground[g] = diagonal[g] or 1.0  # 1 at an isolated node
        return csr_array(self.A + diags_array(ground))

    def residual(self, X: Matrix, B: Matrix) -> float:
        """Largest relative residual ||A x - b|| / ||b|| over the columns; 0 where b = 0."""
        B = B.reshape(X.shape)
        size = np.linalg.norm(B, axis=0)
        error = np.linalg.norm(self.A @ X - B, axis=0)
        return float(np.max(error / np.where(size > 0, size, 1.0), initial=0.0))


def _rounding(A: csr_array) -> Vector:
    """How far from zero rounding may leave the row sums of a Laplacian."""
    rounding: Vector = 4 * np.finfo(float).eps * np.diff(A.indptr) * abs(A).sum(axis=1)
    return rounding
