"""What a linear system looks like from afar, and how long each solver would take with it."""

from __future__ import annotations

import functools
import math

import attrs
import numpy as np

from graphol.linalg.fill import Fill, fill_in
from graphol.linalg.system import LaplacianSystem

PROBE = 20
"""Iterations of plain conjugate gradients that are tried out."""


@attrs.define(slots=False)
class Shape:
    """The facts that ``seconds`` of a solver class is asked about.

    A solver that ``auto`` shall consider has a static method ``seconds(shape)``: the expected time
    for preparing the system and solving it for ``shape.columns`` right-hand sides. Only what is
    asked for is computed.
    """

    system: LaplacianSystem
    columns: int
    tol: float
    most: float = 1e8
    """Non-zeros of a factor beyond which counting stops: no direct solver would pay."""
    work: float = math.inf
    """Steps after which counting stops, 10 to 25 ns each."""

    @property
    def n(self) -> int:
        """Rows of A."""
        return int(self.system.A.shape[0])

    @property
    def nnz(self) -> int:
        """Non-zeros of A."""
        return int(self.system.A.nnz)

    @functools.cached_property
    def fill(self) -> Fill:
        """The exact Cholesky factor; infinite beyond ``most`` or ``work``."""
        found = fill_in(self.system.A, self.most, self.work)
        return found if found.nonzeros <= self.most else Fill(math.inf, math.inf)

    @functools.cached_property
    def cg_iterations(self) -> float:
        """How many iterations conjugate gradients with the diagonal would need.

        After a few iterations the residual falls at its lasting rate: from the mean logarithm of
        the fifth to eighth to that of the last four of twenty, the least so far each, and on to
        ``tol``.
        Within a factor of two on all graphs of the table in docs/theory/solvers.md but the badly
        weighted grid, which is recognised as hopeless all the same.
        """
        A, diagonal = self.system.A, self.system.A.diagonal()
        inverse = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 0)
        r = np.random.default_rng(0).standard_normal((self.n, 1))
        r = self.system.centre(r)[:, 0]
        z = inverse * r
        p, rho, sizes = z, float(r @ z), [float(np.linalg.norm(r))]
        for _ in range(PROBE):
            q = A @ p
            curvature = float(p @ q)
            if curvature <= 0 or sizes[-1] <= math.sqrt(self.tol) * sizes[0]:
                return 2.0 * len(sizes)  # half-way
            alpha = rho / curvature
            r = r - alpha * q
            z = inverse * r
            rho, last = float(r @ z), rho
            p = z + (rho / last) * p
            sizes.append(max(float(np.linalg.norm(r)), 1e-300))
        heights = np.log(np.minimum.accumulate(sizes) / sizes[0])
        early, late = float(heights[5:9].mean()), float(heights[-4:].mean())
        rate = (early - late) / (PROBE - 4 - 5 + 1)
        if rate <= 0:
            return math.inf
        return PROBE + max(0.0, late - math.log(self.tol)) / rate

    def passes(self, per_nonzero: float, per_row: float) -> float:
        """Seconds for one pass over all columns, at so many nanoseconds each for a single one.

        Columns that are advanced together cost a third each.
        """
        one = 1e-9 * (per_nonzero * self.nnz + per_row * self.n)
        return 4e-5 + one * (self.columns / 3 if self.columns >= 8 else self.columns / 1.5 + 1 / 3)
