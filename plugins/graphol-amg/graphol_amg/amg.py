"""Algebraic multigrid as a preconditioner."""

from typing import Any, ClassVar

import attrs
import numpy as np

import graphol
from graphol import param
from graphol.linalg.pcg import Iterated, Iterative
from graphol.linalg.system import LaplacianSystem


@attrs.frozen
class Multigrid(Iterative):
    r"""Iterative solver with algebraic multigrid: a handful of iterations on grids and meshes.

    Conjugate gradients for a block of columns (:class:`graphol.linalg.pcg.Iterated`) around one
    symmetric V-cycle of Ruge-Stuben multigrid per column. The number of iterations hardly grows
    with the graph, where the graph is a mesh; on social graphs the coarse levels fill up, which is
    measured on the first coarse level and refused. Singular components are grounded at one node.

    Parameters
    ----------
    max_growth
        Most non-zeros of the first coarse matrix, as a multiple of A's, > 0.

    Examples
    --------
    >>> prepared = Multigrid().prepare([[1.0, -1.0], [-1.0, 1.0]])
    >>> prepared.solve(np.array([1.0, -1.0])).round(6)
    array([ 0.5, -0.5])

    References
    ----------
    Bell, Olson, Schroder, Southworth. PyAMG: algebraic multigrid solvers in Python. JOSS, 2023.
    """

    name: ClassVar[str] = "amg"
    max_growth: float = param(3.0, above=0)

    def prepare(self, A: Any) -> Iterated:
        """Build the hierarchy for A, a graph's Laplacian plus a non-negative diagonal."""
        system = LaplacianSystem.of(A)
        cycle = self._cycle(system)

        def apply(R: np.ndarray, Z: np.ndarray) -> None:
            for c in range(R.shape[1]):
                Z[:, c] = cycle(np.ascontiguousarray(R[:, c]))

        return self.around(system, apply, "auto")

    def _cycle(self, system: LaplacianSystem) -> Any:
        import pyamg
        from scipy.sparse import csr_matrix

        G = csr_matrix(system.grounded())
        G.indices, G.indptr = G.indices.astype(np.int32), G.indptr.astype(np.int32)
        levels = pyamg.ruge_stuben_solver(G, max_levels=2, coarse_solver=None).levels
        growth = levels[-1].A.nnz / G.nnz if len(levels) > 1 else 0.0
        if growth > self.max_growth:
            raise graphol.InputError(
                f"amg: the first coarse matrix has {growth:.1f} times the non-zeros of A: no mesh; "
                "use solver auto or approx-chol, or raise max_growth"
            )
        smoother = ("gauss_seidel", {"sweep": "symmetric"})
        hierarchy = pyamg.ruge_stuben_solver(G, presmoother=smoother, postsmoother=smoother)
        return hierarchy.aspreconditioner(cycle="V").matvec
