"""Bounds that add up squared losses: ridge regression on mistakes, and on what was played."""

from __future__ import annotations

import numpy as np

from graphol.api import Finished
from graphol.bounds.ingredients import least, logdet, replay


def shared_ridge(game: Finished, b: float) -> float:
    r"""m <= ½ sum_k min_u [b||u||² + sum (u x - τ_k)²] + ln det(A / b), τ = 2·1[k=y] - 2/K."""
    K = game.n_classes or 2
    tau = np.where(game.y[:, None] == np.arange(K), 2.0, 0.0) - 2.0 / K
    return least(game.X, tau, b) / 2 + logdet(game.X[game.wrong], b)


def played_ridge(game: Finished, b: float) -> float:
    r"""m <= m⁻ + sum_k min_u [b||u||² + sum_{t played k} (u x_t - τ_t)²] + sum_M⁺ r/(1 + r).

    m⁻ counts the mistakes played with a negative score, which nothing bounds; M⁺ are the others.
    """
    return _played(game, b, adaptive=False)


def adaptive_played_ridge(game: Finished, b: float) -> float:
    r"""m <= m⁻ + sum_k min_u [b||u||² + sum_{t played k} a_t (u x_t - τ_t)²], a = 1/(1 - r) on U.

    m⁻ counts the mistakes played with a negative score, which nothing bounds.
    """
    return _played(game, b, adaptive=True)


def _played(game: Finished, b: float, *, adaptive: bool) -> float:
    total = 0.0
    for k in range(game.n_classes or 0):
        S = game.predicted == k
        X, wrong = game.X[S], game.wrong[S]
        tau = np.where(wrong, -1.0, 1.0)
        f, r, _ = replay(X, tau, b, game.learnt[S], adaptive=adaptive)
        total += least(X, tau[:, None], b, 1 / (1 - r) if adaptive else None)
        total += np.count_nonzero(wrong & (f < 0))
        if not adaptive:
            total += np.sum((r / (1 + r))[wrong & (f >= 0)])
    return float(total)
