"""What second-order learners keep: inverse correlation matrices and the class models they shape.

Never A and never its right-hand sides, but P = A⁻¹ and w_k = A⁻¹ b_k. After a round of weight a,
A <- A + a x x' and b_k <- b_k + a τ_k x, with u = P x, r = x'u, f_k = w_k'x and the gain
c = a / (1 + a r):

    P <- P - c u u',        w_k <- w_k + c (τ_k - f_k) u .
"""

from __future__ import annotations

import numpy as np

from graphol.api import Matrix, Stretch, Vector
from graphol.bases.rules import required
from graphol.bases.usual import UsualLearner
from graphol.errors import GrapholError

DTYPE = {"double": np.float64, "single": np.float32}


def scores(W: Matrix, x: Vector) -> Vector:
    """W x; equal rows give equal numbers, which BLAS does not promise, so that ties stay ties."""
    return np.asarray(np.einsum("kd,d->k", W, x))


def padded(W: Matrix, n_classes: int) -> Matrix:
    """Rows of zeros for new classes."""
    return np.pad(W, ((0, n_classes - len(W)), (0, 0)))


def check_inverse(P: Matrix, most: float) -> None:
    """Raise ValueError where P cannot have come from I times ``most``, from which it only shrinks.

    A prediction from such a matrix would be drawn from nothing; a file may hold it.
    """
    slack = most * (1e-2 if P.dtype == np.float32 else 1e-6)
    if P.size and not float(np.abs(P).max()) <= most + slack:
        raise ValueError(f"an inverse has entries above {most:g}, where it began")
    if P.size and not float(np.abs(P - P.swapaxes(-1, -2)).max()) <= slack:
        raise ValueError("an inverse is not symmetric")


def rival(f: Vector, y: int) -> int:
    """The best-scored class other than y; ties go to the lowest."""
    j = 0 if y != 0 else 1
    for k in range(len(f)):
        if k != y and f[k] > f[j]:
            j = k
    return j


class SecondOrder(UsualLearner):
    """What all bases of learners with inverses have."""

    b: float = required()
    precision: str = "double"

    def broken(self, t: int, x: Vector) -> Exception:
        """What is wrong with round t, whose rule says nonsense."""
        return GrapholError(
            f"{self.name}: its rules gave no number in round {t}; a value must be one, and a gain "
            "a finite one that is not negative"
        )

    def unless_broken(self, stretch: Stretch, bad: int) -> None:
        """Refuse what a compiled stream says: the round of the stretch that broke it, or -1."""
        if bad >= 0:
            raise self.broken(stretch.first + bad, stretch.rows[stretch.row[bad]])
