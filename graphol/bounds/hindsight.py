"""The best fixed linear model in hindsight: what one could have had, knowing all labels.

Models are rows: W is (K, d) for K classes, predicting the largest of W x, and (1, d) for signs.
There is no intercept, as the learners have none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.api import Integers, Matrix, Vector

TINY = 1e-10  # of a column's energy: keeps least squares solvable where columns repeat
SMOOTH = 0.1  # width over which the hinge is rounded off while it is minimised
STEPS = 50  # of L-BFGS; more change no figure by a percent


class Hindsight(NamedTuple):
    """A fixed model on the rounds of a game, and what it loses there."""

    fit: str
    """How it was found: ``least squares`` or ``hinge``; or ``labeling``, of those that were hidden.
    """
    W: Matrix  # (K, d), or (1, d) for signs; of a labeling its signs, (1, n)
    wrong: NDArray[np.bool_]  # (T,), the rounds in which it errs

    @property
    def mistakes(self) -> int:
        """Rounds in which it errs."""
        return int(np.count_nonzero(self.wrong))


def codes(y: Integers, n_classes: int | None) -> Matrix:
    """Targets of plus and minus one: (T, K) one against the rest, or (T, 1) for signs.

    >>> codes(np.array([1, 0]), 3)
    array([[-1.,  1., -1.],
           [ 1., -1., -1.]])
    """
    if n_classes is None:
        return y[:, None].astype(np.float64)
    return np.where(y[:, None] == np.arange(n_classes), 1.0, -1.0)


def margins(scores: Matrix, y: Integers) -> Vector:
    """By how much the truth wins: f_y less the best other score, or y f for signs, (T,)."""
    if scores.shape[1] == 1:
        return np.asarray(y * scores[:, 0], dtype=np.float64)
    own = (np.arange(len(y)), y)
    others = scores.copy()
    others[own] = -np.inf
    return np.asarray(scores[own] - others.max(axis=1))


def predictions(scores: Matrix) -> Integers:
    """The class of the highest score, ties to the lowest; or the sign, that of 0 being +1."""
    if scores.shape[1] == 1:
        return np.where(scores[:, 0] >= 0, 1, -1)
    return np.asarray(np.argmax(scores, axis=1))


def squared_loss(scores: Matrix, y: Integers) -> float:
    """Sum over rounds and models of (f - target)², targets being plus and minus one."""
    n_classes = None if scores.shape[1] == 1 else scores.shape[1]
    return float(np.sum((scores - codes(y, n_classes)) ** 2))


def hinge_loss(scores: Matrix, y: Integers) -> float:
    """Sum over rounds of max(0, 1 - margin)."""
    return float(np.maximum(0.0, 1.0 - margins(scores, y)).sum())


def best_labeling(labelings: Integers, node: Integers, y: Integers) -> Hindsight:
    """Of labelings (K, n) the one that, held fixed, is wrong least often; ties to the first.

    >>> two = np.array([[1, 1, -1], [-1, -1, -1]])
    >>> best_labeling(two, np.array([0, 1, 2, 0]), np.array([1, -1, -1, -1])).mistakes
    1
    """
    wrong = labelings[:, node] != y
    k = int(np.argmin(wrong.sum(axis=1)))
    return Hindsight("labeling", labelings[k : k + 1].astype(np.float64), wrong[k])


def ridge(X: Matrix, Y: Matrix, b: float | Vector, a: Vector | None = None) -> Matrix:
    """Rows w_k that minimise sum_i b_i w_ki² + sum_t a_t (w_k'x_t - Y_tk)²; (K, d).

    Solved with columns scaled to one length, which keeps it exact where an embedding has columns
    of very different sizes.
    """
    Xa = X if a is None else a[:, None] * X
    A = Xa.T @ X + np.diag(np.broadcast_to(np.asarray(b, dtype=np.float64), X.shape[1]))
    scale = 1.0 / np.sqrt(np.diag(A))
    scaled = np.linalg.solve(A * np.outer(scale, scale), scale[:, None] * (Xa.T @ Y))
    return np.asarray((scale[:, None] * scaled).T)


def least_squares(X: Matrix, Y: Matrix) -> Matrix:
    """Rows w_k that minimise sum_t (w_k'x_t - Y_tk)², with a ridge that cannot be seen; (K, d)."""
    energy = np.einsum("td,td->d", X, X)
    return ridge(X, Y, np.where(energy > 0, TINY * energy, 1.0))


def least_hinge(X: Matrix, y: Integers, start: Matrix) -> Matrix:
    """Rows that nearly minimise the hinge loss, by L-BFGS on a smooth version of it."""
    from scipy.optimize import minimize

    signs = len(start) == 1
    K, classes = (2, (y > 0).astype(np.int64)) if signs else (len(start), y)
    if signs:
        start = np.concatenate([-start / 2, start / 2])
    size = np.sqrt(np.einsum("td,td->d", X, X) / len(X))
    size[size == 0] = 1.0
    Z = X / size
    own = (np.arange(len(y)), classes)

    def loss(flat: Vector) -> tuple[float, Vector]:
        scores = Z @ flat.reshape(K, -1).T
        z = (1.0 + scores - scores[own][:, None]) / SMOOTH
        z[own] = 0.0
        top = z.max(axis=1)
        soft = np.exp(z - top[:, None])
        total = soft.sum(axis=1)
        value = SMOOTH * float(np.sum(top + np.log(total)))
        soft /= total[:, None]
        soft[own] -= 1.0
        return value / len(y), (soft.T @ Z).ravel() / len(y)

    found: Any = minimize(
        loss, (start * size).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}
    )
    W = found.x.reshape(K, -1) / size
    return W[1:] - W[:1] if signs else np.asarray(W)


def models(X: Matrix, y: Integers, n_classes: int | None) -> dict[str, Matrix]:
    """The candidates: least squares to plus and minus one, and the least hinge loss."""
    W = least_squares(X, codes(y, n_classes))
    return {"least squares": W, "hinge": least_hinge(X, y, W)}


def best(candidates: dict[str, Matrix], X: Matrix, y: Integers) -> Hindsight:
    """The candidate with the fewest mistakes.

    Not the fewest that any linear model could have: that optimum is NP-hard to find.
    """
    tried = [Hindsight(fit, W, predictions(X @ W.T) != y) for fit, W in candidates.items()]
    return min(tried, key=lambda found: found.mistakes)
