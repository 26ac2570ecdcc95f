"""Preconditioned conjugate gradients, many right-hand sides at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError
from graphol.linalg.system import LaplacianSystem
from graphol.params import param

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Preconditioner = Callable[[Matrix, Matrix], None]
"""``apply(R, Z)`` writes M^-1 R into Z, both (n, k) and C-contiguous."""

BLOCK = 32
"""Columns advanced together: one pass over A and over the preconditioner serves them all."""
RESTARTS = 5
"""Fruitless restarts after which a column is given up: rounding keeps it from its goal."""


class NotConverged(InputError):
    """The iterations ran out, or rounding stops them; another solver may do better."""


@attrs.frozen(slots=False)
class Iterative:
    """Base of solvers that iterate: a solver is its preconditioner.

    Parameters
    ----------
    tol
        Relative residual ||A x - b|| / ||b|| to reach in every column, > 0 and < 1.
    max_iterations
        Iterations after which it gives up, >= 1.
    """

    name: ClassVar[str]
    tol: float = param(1e-8, above=0, below=1)
    max_iterations: int = param(1000, least=1)

    def around(self, system: LaplacianSystem, apply: Preconditioner, instead: str) -> Iterated:
        """Conjugate gradients around a preconditioner; ``instead`` says whom else to ask."""
        advice = f"use solver {instead}, or raise max_iterations or tol"
        return Iterated(system, apply, self.tol, self.max_iterations, self.name, advice)


@attrs.define(eq=False)
class Iterated:
    r"""A and a preconditioner M; every :meth:`solve` iterates anew.

    Each column has its own step lengths, so the numbers do not depend on which columns share a
    block; what is shared is the pass over A and over M, which is where the time goes. A column
    leaves the block when it is solved: when its true residual, not the recursively updated one,
    meets ``tol``; if the two disagree the column restarts from where it is. On singular components
    only P and X modulo the null space matter; X is centred before it is judged.
    """

    system: LaplacianSystem
    apply: Preconditioner
    tol: float
    max_iterations: int
    name: str
    advice: str
    """What to do where it does not converge."""
    iterations: int = 0
    residual: float = 0.0
    csr: tuple[Any, Any, Any] = attrs.field(init=False)  # unsigned indices are faster in kernels

    def __attrs_post_init__(self) -> None:
        A = self.system.A
        self.csr = A.indptr, A.indices.astype(np.uint32), A.data

    def solve(self, B: Matrix) -> Matrix:
        """X with A X = B; see :class:`graphol.api.PreparedSolver`."""
        F = self.system.accept(B)
        n, columns = F.shape
        X = np.zeros_like(F)
        self.iterations = 0
        space = np.empty((5, n * min(BLOCK, columns)))  # memory costs as much as arithmetic
        for start in range(0, columns, BLOCK):
            self._iterate(F[:, start : start + BLOCK], X[:, start : start + BLOCK], space)
        B = np.asarray(B, dtype=np.float64)
        self.residual = self.system.residual(X, B)
        if not self.residual <= 1.01 * self.tol:  # B's own rounding error, or that of adding up
            raise self._unsolved(np.array([self.residual / self.tol]), "rounding")
        return X.reshape(B.shape)

    def _iterate(self, F: Matrix, solution: Matrix, space: Matrix) -> None:
        from graphol.linalg import _pcg

        n = len(F)

        def blocks(k: int) -> Iterator[Matrix]:
            return (flat[: n * k].reshape(n, k) for flat in space)

        goal = self.tol * np.linalg.norm(F, axis=0)
        todo = np.flatnonzero(goal > 0)  # columns not solved yet
        X, R, P, Q, Z = blocks(len(todo))
        X[:], R[:] = 0.0, F[:, todo]
        self.apply(R, Z)
        P[:], rho = Z, _pcg.inner(R, Z)  # r' M^-1 r, one per column
        best, fruitless = np.full(len(todo), np.inf), np.zeros(len(todo), dtype=int)
        for iteration in range(1, self.max_iterations + 1):
            if len(todo) == 0:
                return
            self.iterations = max(self.iterations, iteration)
            curvature = _pcg.multiply(*self.csr, P, Q)
            ahead = (curvature > 0) & (rho > 0)  # else rounding has the last word: start afresh
            alpha = np.divide(rho, curvature, out=np.zeros_like(rho), where=ahead)
            size = np.sqrt(_pcg.advance(alpha, P, Q, X, R))
            small = (size <= goal[todo]) | ~ahead
            if small.any():  # the recursion drifts: only the true residual counts
                X[:, small] = self.system.centre(X[:, small])
                _pcg.multiply(*self.csr, X, Q)
                true = self.system.centre(F[:, todo[small]] - Q[:, small])
                R[:, small] = true
                size[small] = np.linalg.norm(true, axis=0)
                fruitless[small] += size[small] > 0.5 * best[small]
                best[small] = np.minimum(best[small], size[small])
                stay = size > goal[todo]
                if (fruitless[stay] >= RESTARTS).any():
                    raise self._unsolved(size / goal[todo], f"{iteration} iterations, and stuck")
                if not stay.all():
                    solution[:, todo[~stay]] = X[:, ~stay]
                    for flat in space[:3]:  # X, R and P
                        _pcg.keep(flat, n, len(todo), np.flatnonzero(stay))
                    todo, rho, small = todo[stay], rho[stay], small[stay]
                    best, fruitless = best[stay], fruitless[stay]
                    X, R, P, Q, Z = blocks(len(todo))
            self.apply(R, Z)
            rho, last = _pcg.inner(R, Z), rho
            beta = np.divide(rho, last, out=np.zeros_like(rho), where=~small & (last > 0))
            _pcg.turn(beta, Z, P)
        if len(todo):
            size = np.linalg.norm(self.system.centre(F[:, todo] - self.system.A @ X), axis=0)
            raise self._unsolved(size / goal[todo], f"{self.max_iterations} iterations")

    def _unsolved(self, excess: Vector, after: str) -> NotConverged:
        return NotConverged(
            f"{self.name}: residual {self.tol * excess.max():.1e} after {after}, tol is "
            f"{self.tol:.0e}; {self.advice}"
        )
