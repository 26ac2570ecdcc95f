"""Matrix winnow as it is printed: one dense matrix of size n + p, for tests on small graphs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import expm

from graphol.api import Matrix, Vector


def root(M: Matrix) -> Matrix:
    """The symmetric square root."""
    values, vectors = np.linalg.eigh(M)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def kernel(L: Matrix) -> Matrix:
    """L^+ + R 11' for a dense Laplacian, R the largest diagonal entry of L^+."""
    P = np.linalg.pinv(L, hermitian=True)
    return np.asarray(P + P.diagonal().max())


class DenseWinnow:
    """Algorithm 1 of Herbster, Pasteris, Pontil (JMLR 2015), with any eta and threshold.

    G (n, n) and H (p, p) are the kernels; vertices are numbered as in them.
    """

    class Round(NamedTuple):
        """A prediction and the score behind it, x' exp(A) x."""

        label: int
        score: float

    def __init__(self, G: Matrix, H: Matrix, eta: float, tau: float) -> None:
        self.G, self.H = (
            root(G) / np.sqrt(G.diagonal().max()),
            root(H) / np.sqrt(H.diagonal().max()),
        )
        self.eta, self.tau = eta, tau
        self.A = np.zeros((len(G) + len(H),) * 2)  # log W, but for a constant

    def x(self, i: int, j: int) -> Vector:
        """The vector of a pair, (n + p,)."""
        return np.concatenate([self.G[i], self.H[j]])

    def predict(self, i: int, j: int) -> DenseWinnow.Round:
        """From the matrix exponential itself."""
        x = self.x(i, j)
        score = float(x @ expm(self.A) @ x)
        return self.Round(1 if score >= self.tau else -1, score)

    def learn(self, i: int, j: int, y: int) -> None:
        """After a mistake."""
        x = self.x(i, j)
        self.A += self.eta * y * np.outer(x, x)
