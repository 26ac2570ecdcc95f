"""What direct solvers share: refinement, and no answer that does not solve the system."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError
from graphol.linalg.system import LaplacianSystem

Matrix = NDArray[np.float64]

REFINED = 1e-10
"""Relative residuals above this are worth a step of refinement."""
STEPS = 3
REFUSED = 1e-6
"""Relative residuals above this, after refinement, are an error."""


@attrs.define(eq=False)
class Factorised:
    """A, factorised; :meth:`solve` is two triangular solves per column.

    Weights over many decades leave a residual of about eps ||A|| ||x||; a step of iterative
    refinement with the same factor mends what can be mended.
    """

    system: LaplacianSystem
    back: Callable[[Matrix], Matrix]
    """Solves with the factors of the grounded A."""
    name: str
    iterations: int = 0
    residual: float = 0.0

    def solve(self, B: Matrix) -> Matrix:
        """X with A X = B; see :class:`graphol.api.PreparedSolver`."""
        F = self.system.accept(B)
        X = self.system.centre(self.back(F))
        B = np.asarray(B, dtype=np.float64)
        self.residual = self.system.residual(X, B)
        for _ in range(STEPS):
            if self.residual <= REFINED:
                break
            better = X + self.system.centre(self.back(self.system.centre(F - self.system.A @ X)))
            residual = self.system.residual(better, B)
            if not residual < self.residual / 2:
                break
            X, self.residual = better, residual
        if not self.residual <= REFUSED:
            raise InputError(
                f"{self.name}: residual {self.residual:.1e} in spite of refinement; the weights "
                "span too many decades: scale them, or add a diagonal"
            )
        return X.reshape(B.shape)
