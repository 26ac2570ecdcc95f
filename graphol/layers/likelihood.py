"""How likely are the labels of the seeds, if the layers have these weights?"""

from __future__ import annotations

from typing import NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import LinearSolver
from graphol.layers.edges import Layers
from graphol.layers.solving import Solving

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Integers = NDArray[np.int64]

LEAST = 1e-13
"""Eigenvalues of the inverse covariance below this are rounding."""


class Point(NamedTuple):
    """The likelihood at one set of weights."""

    objective: float
    gradient: Vector
    """With respect to the weights, (k,)."""
    mu_0: float
    """As given, or the likeliest one."""


@attrs.frozen(eq=False)
class Likelihood:
    r"""The Gaussian field of all layers together, seen at the seeds through noise.

    With weights :math:`\alpha_i` (relative to :math:`\mu_0`, one over the noise),
    :math:`L = \sum_i \alpha_i L_i + \epsilon I`, :math:`\Pi` the rows of I at the seeds and
    :math:`L_S = L + \Pi^\top \Pi`, the labels Y (|S|, K) have the covariance
    :math:`\Sigma / \mu_0` in every column, :math:`\Sigma = I + \Pi L^{-1} \Pi^\top` and
    :math:`\Sigma^{-1} = I - \Pi L_S^{-1} \Pi^\top` (Lemma 3.1). To be maximised (Theorem 3.3):

    .. math:: K \log\det \Sigma^{-1} - \mu_0 \operatorname{tr} Y^\top \Sigma^{-1} Y

    or, with the likeliest :math:`\mu_0 = K|S| / \operatorname{tr} Y^\top \Sigma^{-1} Y` (Lemma
    3.2), :math:`K \log\det \Sigma^{-1} - K|S| \log \operatorname{tr} Y^\top \Sigma^{-1} Y`. With
    :math:`Z = L_S^{-1} \Pi^\top` and :math:`G = K\Sigma - \mu_0 Y Y^\top` the derivative in
    :math:`\alpha_i` is the sum over the edges of layer i of
    :math:`w \langle Z_u - Z_v, (ZG)_u - (ZG)_v \rangle` (Lemma 4.1): |S| solves, one Cholesky
    factor of size |S| and one pass over the edges for all layers. No centre of a star has an
    :math:`\epsilon`, so a star is the same as what its elimination leaves.

    Parameters
    ----------
    layers
        The graphs and stars.
    seeds
        Nodes whose labels are known, distinct.
    Y
        Their labels, a row each, (\|S\|, K).
    mu_0
        Inverse noise, > 0; None for the likeliest.
    eps
        Ridge, > 0.
    solving
        The linear solver.
    """

    layers: Layers
    seeds: Integers
    Y: Matrix
    mu_0: float | None
    eps: float
    solving: Solving

    @classmethod
    def of(
        cls,
        layers: Layers,
        seeds: Integers,
        Y: Matrix,
        mu_0: float | None,
        solver: LinearSolver,
        eps: float = 1e-4,
    ) -> Likelihood:
        """With any of the linear solvers; ``auto`` is asked once."""
        return cls(layers, seeds, Y, mu_0, eps, Solving(solver, len(seeds)))

    def at(self, alpha: Vector) -> Point:
        """Objective and exact gradient."""
        K = self.Y.shape[1]
        Z = self.solve_seeded(alpha, np.eye(len(self.seeds)))
        precision = np.eye(len(self.seeds)) - Z[self.seeds]
        Sigma, logdet = inverted((precision + precision.T) / 2)
        spread = float(np.sum(self.Y * (precision @ self.Y)))
        mu_0 = self.likeliest(spread)
        fit = mu_0 * spread if self.mu_0 is not None else self.Y[:, 0].size * K * np.log(spread)
        G = K * Sigma - mu_0 * self.Y @ self.Y.T
        return Point(K * logdet - fit, self.layers.energies(Z, Z @ G), mu_0)

    def likeliest(self, spread: float) -> float:
        """mu_0 as given, or Lemma 3.2 with tr Y' Sigma^-1 Y."""
        return self.mu_0 if self.mu_0 is not None else self.Y.size / max(spread, LEAST)

    def solve_seeded(self, alpha: Vector, B: Matrix) -> Matrix:
        """L_S^-1 Pi' B, (vertices, columns of B)."""
        added = self.ridge
        added[self.seeds] += 1.0
        return self._solve(alpha, added, B)

    def solve_free(self, alpha: Vector, B: Matrix) -> Matrix:
        """L^-1 Pi' B, (vertices, columns of B)."""
        return self._solve(alpha, self.ridge, B)

    @property
    def ridge(self) -> Vector:
        """The diagonal of eps at the nodes, (vertices,)."""
        return np.where(self.layers.instances, self.eps, 0.0)

    def _solve(self, alpha: Vector, added: Vector, B: Matrix) -> Matrix:
        whole = B
        if len(B) != self.layers.vertices:
            whole = np.zeros((self.layers.vertices, B.shape[1]))
            whole[self.seeds] = B
        X: Matrix = self.solving.solve(self.layers.laplacian(alpha, added), whole)
        return X


def inverted(P: Matrix) -> tuple[Matrix, float]:
    """The inverse of a symmetric positive definite matrix, and the logarithm of its determinant.

    Where rounding has made it indefinite, its eigenvalues are raised to what rounding leaves.
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    try:
        factor = cho_factor(P, lower=True, check_finite=False)
    except LinAlgError:
        values, vectors = np.linalg.eigh(P)
        values = np.maximum(values, LEAST)
        return (vectors / values) @ vectors.T, float(np.log(values).sum())
    inverse: Matrix = cho_solve(factor, np.eye(len(P)), check_finite=False)
    return (inverse + inverse.T) / 2, 2 * float(np.log(np.diagonal(factor[0])).sum())
