"""Many systems with one pattern: the solver is chosen at the first one."""

from __future__ import annotations

from typing import Any

import attrs

from graphol.api import LinearSolver, PreparedSolver
from graphol.errors import InputError
from graphol.linalg.pcg import NotConverged
from graphol.linalg.shape import Shape
from graphol.linalg.solvers.approx_chol import ApproximateCholesky
from graphol.linalg.solvers.cg import ConjugateGradients
from graphol.linalg.solvers.dense import DenseCholesky, eliminated
from graphol.linalg.system import LaplacianSystem

LARGEST_CORE = 6000
"""Rows of the core that are factorised densely: 0.3 GB."""


@attrs.define(eq=False)
class Solving:
    """Prepares a system for every weighting of the layers, as ``auto`` would and once for all.

    Looking how fast conjugate gradients converge and how full a factor gets takes longer than some
    solves; the weights change, the pattern does not. Where the core that is left by eliminating
    vertices with few neighbours is small, ``dense`` is the fastest by far. A solver that has been
    asked for by name is the one that is used.
    """

    solver: LinearSolver
    columns: int
    """Right-hand sides to expect per system."""
    tol: float = 1e-10
    chosen: LinearSolver | None = None
    explain: str = ""
    """What was chosen and why."""

    def prepare(self, A: Any) -> PreparedSolver:
        """Prepare A, a Laplacian plus a non-negative diagonal."""
        system = LaplacianSystem.of(A)
        if self.solver.name != "auto":
            self.explain = f"{self.solver.name}, as asked for"
            return self.solver.prepare(system)
        if self.chosen is None:
            self._choose(system)
        assert self.chosen is not None
        try:
            return self.chosen.prepare(system)
        except InputError:  # weights over many decades, a pattern that filled after all
            return self.solver.prepare(system)

    def solve(self, A: Any, B: Any) -> Any:
        """X with A X = B, by another solver where the chosen one does not converge."""
        try:
            return self.prepare(A).solve(B)
        except (NotConverged, InputError):
            if self.solver.name != "auto":
                raise
            return self.solver.prepare(A).solve(B)

    def _choose(self, system: LaplacianSystem) -> None:
        shape = Shape(system, self.columns, self.tol)
        iterative = {
            cls.name: (cls.seconds(shape), cls) for cls in (ApproximateCholesky, ConjugateGradients)
        }
        name, (seconds, cls) = min(iterative.items(), key=lambda pair: pair[1][0])
        rows = eliminated(system.grounded())[1].shape[0]
        dense = 1e-2 + 4e-8 * shape.nnz + 1.5e-11 * rows**3 + 3e-10 * self.columns * rows**2
        facts = f"{rows} of {shape.n} rows are left after elimination"
        if rows <= LARGEST_CORE and dense <= seconds:
            self.chosen = DenseCholesky()
            self.explain = f"dense: {facts}, {dense:.2g} s expected, {name} {seconds:.2g} s"
        else:
            self.chosen = cls(tol=self.tol)
            self.explain = f"{name}: {seconds:.2g} s expected; {facts}, dense {dense:.2g} s"
