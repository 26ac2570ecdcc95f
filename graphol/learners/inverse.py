"""What second-order learners keep: inverse correlation matrices and the class models they shape.

Never A and never its right-hand sides, but P = A⁻¹ and w_k = A⁻¹ b_k. After a round of weight a,
A <- A + a x x' and b_k <- b_k + a τ_k x, with u = P x, r = x'u, f_k = w_k'x and the gain
c = a / (1 + a r):

    P <- P - c u u',        w_k <- w_k + c (τ_k - f_k) u .
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.api import Matrix, Problem, Vector
from graphol.params import param


class Shared(NamedTuple):
    """One inverse for all classes."""

    P: Matrix  # A⁻¹, (d, d)
    W: Matrix  # rows w_k = A⁻¹ b_k, (K, d)

    @classmethod
    def start(cls, problem: Problem, b: float, precision: str = "double") -> Shared:
        """A = b I, all class models zero."""
        K, d, dtype = problem.n_classes or 1, problem.dim, DTYPE[precision]
        return cls((np.eye(d) / b).astype(dtype), np.zeros((K, d), dtype))

    def grown(self, n_classes: int) -> Shared:
        """New classes start at zero."""
        return self._replace(W=_padded(self.W, n_classes))

    def scores(self, x: Vector) -> Vector:
        """f_k = w_k'x, (K,)."""
        return _row_by_row(self.W, x)

    def absorb(self, u: Vector, gain: float, step: Vector) -> None:
        """P <- P - gain u u' and W <- W + gain step u'."""
        self.P[...] -= gain * np.outer(u, u)
        self.W[...] += gain * np.outer(step, u)


class PerClass(NamedTuple):
    """One inverse per class."""

    P: NDArray[np.float64]  # A_k⁻¹, (K, d, d)
    W: Matrix  # rows w_k = A_k⁻¹ b_k, (K, d)

    @classmethod
    def start(cls, problem: Problem, b: float, precision: str = "double") -> PerClass:
        """Every A_k = b I, all class models zero."""
        K, d, dtype = problem.n_classes or 1, problem.dim, DTYPE[precision]
        return cls(np.tile((np.eye(d) / b).astype(dtype), (K, 1, 1)), np.zeros((K, d), dtype))

    def grown(self, n_classes: int, b: float) -> PerClass:
        """New classes start as all classes did."""
        K, d = self.W.shape
        new = np.tile((np.eye(d) / b).astype(self.P.dtype), (n_classes - K, 1, 1))
        return PerClass(np.concatenate([self.P, new]), _padded(self.W, n_classes))

    def scores(self, x: Vector) -> Vector:
        """f_k = w_k'x, (K,)."""
        return _row_by_row(self.W, x)

    def leverages(self, x: Vector) -> Vector:
        """r_k = x'A_k⁻¹x, (K,)."""
        return _row_by_row(self.P @ x, x)

    def absorb(self, k: int, u: Vector, gain: float, step: float) -> None:
        """P_k <- P_k - gain u u' and w_k <- w_k + gain step u."""
        self.P[k] -= gain * np.outer(u, u)
        self.W[k] += gain * step * u


def rival(f: Vector, y: int) -> int:
    """The best-scored class other than y; ties go to the lowest."""
    others = f.copy()
    others[y] = -np.inf
    return int(np.argmax(others))


def _row_by_row(M: Matrix, x: Vector) -> Vector:
    """M x; equal rows give equal numbers, which BLAS does not promise, so that ties stay ties."""
    return np.asarray(np.einsum("kd,d->k", M, x))


def _padded(W: Matrix, n_classes: int) -> Matrix:
    return np.pad(W, ((0, n_classes - len(W)), (0, 0)))


DTYPE = {"double": np.float64, "single": np.float32}


def precision_param() -> Any:
    """The hyper-parameter ``precision``; its cost is documented where it is used."""
    return param(
        "double",
        "``single`` halves memory and time of the matrix products; see numerics in the docs.",
        choices=tuple(DTYPE),
    )
