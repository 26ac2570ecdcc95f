"""What the proofs are made of: ridge regression played again, determinants, hinge losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.api import Finished, Matrix, Vector
from graphol.bounds.hindsight import margins, ridge

SCALES = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 121)])
"""A model is tried at each of these multiples."""


def centred(game: Finished) -> Iterator[tuple[Matrix, Vector]]:
    """The models less their mean over classes, and their margins, which that does not change.

    Of all models with these margins it is the one with the least norms.
    """
    for W in game.models:
        C = W - W.mean(axis=0) if game.n_classes else W
        yield C, margins(game.X @ C.T, game.y)


class Replay(NamedTuple):
    """One ridge model played again: its score before each round, and what it learnt from."""

    f: Vector
    r: Vector
    """x'A⁻¹x before the round is learnt; 0 where it was not."""
    learnt: NDArray[np.bool_]


def replay(
    X: Matrix, tau: Vector, b: float, learn: NDArray[np.bool_] | None, *, adaptive: bool = False
) -> Replay:
    """Ridge regression from A = bI to targets tau on the rounds ``learn`` (None: on sign errors).

    A round is learnt with weight a = 1, or a = 1/(1 - r) where ``adaptive``.
    """
    T, d = X.shape
    P, w = np.eye(d) / b, np.zeros(d)
    out = Replay(np.zeros(T), np.zeros(T), np.zeros(T, dtype=bool))
    for t, x in enumerate(X):
        f = out.f[t] = w @ x
        if (f >= 0) == (tau[t] > 0) if learn is None else not learn[t]:
            continue
        u = P @ x
        r = out.r[t] = x @ u
        gain = 1.0 if adaptive else 1 / (1 + r)
        P -= gain * np.outer(u, u)
        w += gain * (tau[t] - f) * u
        out.learnt[t] = True
    return out


def logdet(X: Matrix, b: float) -> float:
    """ln det(I + X'X / b), the sum of ln(1 + λ_i / b)."""
    return float(np.log1p(np.linalg.svd(X, compute_uv=False) ** 2 / b).sum()) if len(X) else 0.0


def least(X: Matrix, Y: Matrix, b: float, a: Vector | None = None) -> float:
    """min over u of b ||u||² + sum_t a_t |u x_t - Y_t|², a = 1 if not given."""
    if not len(X):
        return 0.0
    W = ridge(X, Y, b, a)
    loss = ((X @ W.T - Y) ** 2).sum(axis=1)
    return float(b * np.sum(W**2) + (loss.sum() if a is None else a @ loss))


def hinge_bound(margin: Vector, norm: float, a: Vector | None = None) -> float:
    """min over scales c >= 0 of sum_t a_t max(0, 1 - c margin_t) + c norm, a = 1 if not given."""
    hinges = (np.maximum(0.0, 1.0 - c * margin) for c in SCALES)
    losses = [h.sum() if a is None else a @ h for h in hinges]
    return float(np.min(losses + SCALES * norm))
