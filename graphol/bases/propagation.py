"""The linear system behind label propagation, prepared for one set of labelled nodes at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphol.api import Derived, Integers, LinearSolver, Matrix, PreparedSolver, Vector

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Propagation(Derived):
    r"""Minimises :math:`\operatorname{tr} F^\top (L + \epsilon I) F + \sum_s |F_s - Y_s|^2/\nu`.

    The sum is over the labelled nodes S. With noise :math:`\nu > 0` the minimum solves
    :math:`(L + \epsilon I + I_S/\nu) F = I_S Y/\nu`; with :math:`\nu = 0` the labelled nodes are
    held at Y and the others solve :math:`(L + \epsilon I)_{UU} F_U = W_{US} Y`. Where
    :math:`\epsilon = 0`, components without a label are left at 0: nothing bears on them.

    L may have more vertices than there are nodes, such as the centres of stars, after the nodes:
    they have no label and no :math:`\epsilon`, and nobody asks for their F. ``weights`` says what
    L is the sum of, by name of the layer.

    The last set of labelled nodes stays prepared; copies and pickles prepare it again.
    """

    def __init__(
        self,
        L: csr_array,
        components: Integers,
        solver: LinearSolver,
        noise: float,
        eps: float,
        weights: Mapping[str, float],
    ) -> None:
        self.L, self.components, self.weights = L, components, weights
        self.solver, self.noise, self.eps = solver, noise, eps
        self._labelled: NDArray[np.bool_] | None = None

    @property
    def n(self) -> int:
        """The nodes; further vertices of L are not among them."""
        return len(self.components)

    def solution(self, labelled: NDArray[np.bool_], Y: Matrix) -> Matrix:
        """F (n, K), for Y (n, K) that is zero where nothing is known."""
        if self.noise:
            return self._inverse(labelled, Y / self.noise)[: self.n]
        B = -(self.L[:, : self.n] @ Y) if len(Y) < self.L.shape[0] else -(self.L @ Y)
        B[: self.n][labelled] = 0.0
        return self._inverse(labelled, B)[: self.n] + Y

    def column(self, labelled: NDArray[np.bool_], s: int, ground: int) -> Vector:
        r"""Column s of the system's inverse, (n,).

        On a component that has labels, though none in ``labelled``, and :math:`\epsilon = 0` the
        system is singular; ``ground`` is the first of its labelled nodes. What is wanted is the
        inverse with that label in the system: :math:`L^+` moved to be 0 at the ground, plus
        :math:`\nu`. Elsewhere ``ground`` is -1.
        """
        e = np.zeros(self.n)
        e[s] = 1.0
        if ground < 0:
            return self._inverse(labelled, e)[: self.n]
        e[ground] -= 1.0
        x = self._inverse(labelled, e)[: self.n]
        here = self.components == self.components[s]
        return np.where(here, x - x[ground] + self.noise, 0.0)

    def shares(self, labelled: NDArray[np.bool_], v: int) -> Vector:
        r"""What every labelled node adds to F at node v, (n,): :math:`F_v = \sum_s z_s Y_s`.

        There must be a label in the component of v, or :math:`\epsilon > 0`.
        """
        e = np.zeros(self.n)
        e[v] = 1.0
        if not self.noise and labelled[v]:
            return e
        g = self._inverse(labelled, e)
        z = g / self.noise if self.noise else -(self.L @ g)
        return np.where(labelled, z[: self.n], 0.0)

    def _inverse(self, labelled: NDArray[np.bool_], B: NDArray[Any]) -> NDArray[np.float64]:
        """X with A X = B on the vertices that are free, 0 on those that are held."""
        self._prepare(labelled)
        beyond = self.L.shape[0] - len(B)
        if beyond:
            B = np.concatenate([B, np.zeros((beyond, *B.shape[1:]))])
        X = np.zeros_like(B)
        if self._prepared is not None:
            X[self._free] = self._prepared.solve(B[self._free])
        return X

    def _prepare(self, labelled: NDArray[np.bool_]) -> None:
        from scipy.sparse import csr_array, diags_array

        if self._labelled is not None and np.array_equal(labelled, self._labelled):
            return
        vertices = self.L.shape[0]
        known = np.concatenate([labelled, np.zeros(vertices - self.n, dtype=bool)])
        A, free = self.L, np.arange(vertices)
        if self.noise:
            A = csr_array(A + diags_array(known / self.noise))
        else:
            free = np.flatnonzero(~known)
            A = A[free][:, free]
        if self.eps:
            A = csr_array(A + diags_array(np.where(free < self.n, self.eps, 0.0)))
        self._free: Integers = free
        self._prepared: PreparedSolver | None = self.solver.prepare(A) if len(free) else None
        self._labelled = labelled.copy()

    def __getstate__(self) -> dict[str, Any]:
        kept = {k: v for k, v in vars(self).items() if k not in ("_prepared", "_free")}
        return kept | {"_labelled": None}
