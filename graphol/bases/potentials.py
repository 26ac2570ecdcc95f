"""Potentials of point charges on a graph: what Poisson learning adds up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol.api import Derived, LinearSolver, PreparedSolver
from graphol.graph import Graph


class Potentials(Derived):
    r"""Solves :math:`(D - S) u = b` with :math:`\sum_i d_i u_i = 0` on every component.

    Charges that do not add up to 0 on a component have an even background taken off them. That is
    linear in b, so potentials of single charges add up to that of all. D - S never changes and is
    prepared once; copies and pickles prepare it again.
    """

    def __init__(self, graph: Graph, solver: LinearSolver) -> None:
        from scipy.sparse import csr_array

        n, self.components = graph.n, graph.components
        self.solver, self.L = solver, graph.laplacian("combinatorial")
        ones, nodes = np.ones(n), np.arange(n)
        self._sum = csr_array((ones, (self.components, nodes)), shape=(graph.n_components, n))
        self._weighted = csr_array((graph.degrees, (self.components, nodes)), shape=self._sum.shape)
        self._size = self._sum @ ones
        self._volume = np.maximum(np.asarray(self._weighted @ ones), np.finfo(float).tiny)
        self._prepared: PreparedSolver | None = None

    def of(self, charges: NDArray[np.float64]) -> NDArray[np.float64]:
        """The potential of these charges, (n,) or (n, K)."""
        if self._prepared is None:
            self._prepared = self.solver.prepare(self.L)
        u = self._prepared.solve(self._less(charges, self._sum, self._size))
        return self._less(u, self._weighted, self._volume)

    def of_one(self, node: int) -> NDArray[np.float64]:
        """The potential of one charge, (n,)."""
        e = np.zeros(len(self.components))
        e[node] = 1.0
        return self.of(e)

    def _less(self, B: NDArray[np.float64], total: Any, size: Any) -> NDArray[np.float64]:
        """B less its mean on every component."""
        mean = (total @ B).T / size
        return np.asarray(B - mean.T[self.components])

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_prepared": None}
