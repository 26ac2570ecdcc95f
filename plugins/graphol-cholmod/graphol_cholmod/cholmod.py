"""Sparse Cholesky by CHOLMOD."""

from typing import Any, ClassVar

import attrs
import numpy as np

import graphol
from graphol import param
from graphol.linalg.direct import Factorised
from graphol.linalg.system import LaplacianSystem


@attrs.define(eq=False)
class Cholesky(Factorised):
    """A, factorised, with what only a Cholesky factor can do."""

    face: Any = None

    @property
    def logdet(self) -> float:
        """log det A of a regular A; minus infinity for a singular one."""
        return self.face.logdet() if self.system.null.shape[0] == 0 else -np.inf

    def updated(self, C: Any) -> "Cholesky":
        r"""A + C C^\top prepared, for C (n, k) sparse: k rank-one updates, no new factorisation.

        A column :math:`\sqrt w (e_i - e_j)` adds an edge of weight w, :math:`\sqrt w e_i` adds w to
        the diagonal. A must be regular, and A + C C^\top a Laplacian plus a diagonal again.
        """
        from scipy.sparse import csc_array

        if self.system.null.shape[0]:
            raise graphol.InputError("cholmod: a singular system cannot be updated; add a diagonal")
        C = csc_array(C, dtype=np.float64)
        face = self.face.updated(C, 1)
        system = LaplacianSystem.of(self.system.A + C @ C.T)
        return Cholesky(system, face.solve, self.name, face=face)


@attrs.frozen
class Cholmod:
    r"""Direct solver: sparse Cholesky by CHOLMOD, the fastest for many right-hand sides.

    :math:`P A P^\top = L L^\top` with the better of an AMD and a METIS ordering, supernodal where
    that pays. Singular components are grounded at one node and the solution is centred
    (:class:`graphol.linalg.system.LaplacianSystem`). The size of the factor is known after the
    ordering; more than ``max_fill`` is refused before anything numeric happens: on citation
    networks and planar graphs it is small, on large social graphs hopeless.

    Parameters
    ----------
    max_fill
        Largest factor attempted, in non-zeros, > 0. Memory is about 10 bytes each.

    Examples
    --------
    >>> prepared = Cholmod().prepare([[2.0, -1.0], [-1.0, 2.0]])
    >>> prepared.solve(np.array([1.0, 1.0])), round(prepared.logdet, 6)
    (array([1., 1.]), 1.098612)

    References
    ----------
    Chen, Davis, Hager, Rajamanickam. Algorithm 887: CHOLMOD, supernodal sparse Cholesky
    factorization and update/downdate. ACM Trans. Math. Software, 2008.
    """

    name: ClassVar[str] = "cholmod"
    max_fill: float = param(5e7, above=0)

    def prepare(self, A: Any) -> Cholesky:
        """Factorise A, a graph's Laplacian plus a non-negative diagonal."""
        from scipy.sparse import csc_array

        from graphol_cholmod.adapter import symbolic

        system = LaplacianSystem.of(A)
        G = csc_array(system.grounded())
        face = symbolic(G, self.max_fill)
        if face.fill.nonzeros > self.max_fill:
            raise graphol.InputError(
                f"cholmod: the factor of this {G.shape[0]} x {G.shape[0]} matrix would have more "
                f"than {self.max_fill:.0e} non-zeros; use solver auto or approx-chol, or raise "
                "max_fill"
            )
        face.factorise(G)
        return Cholesky(system, face.solve, self.name, face=face)

    @staticmethod
    def seconds(shape: Any) -> float:
        """Expected time; see :class:`graphol.linalg.shape.Shape`.

        Where AMD's factor is dense, CHOLMOD tries METIS too, which takes longer and halves it.
        """
        fill, flops = shape.fill
        dense = flops > 500 * fill
        setup = 3e-8 * fill + flops / (2e10 if dense else 1e10)
        setup += (1.6e-6 if dense else 5e-7) * shape.nnz
        return setup + shape.columns * (1e-9 * fill + 5e-8 * shape.n) + 5e-4
