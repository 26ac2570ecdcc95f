"""Bounds that add up hinge losses, of perceptrons, or squared ones, of ridge regression."""

from __future__ import annotations

import numpy as np

from graphol.api import Finished
from graphol.bounds.hindsight import codes
from graphol.bounds.ingredients import SCALES, centred, hinge_bound, least, logdet, replay


def perceptron(game: Finished) -> float:
    r"""m <= sum hinge(u) + ||u|| sqrt(c sum_M ||x||²), c = 2 for classes and 1 for signs."""
    energy = float(np.sum(game.X[game.wrong] ** 2)) * (1 if game.n_classes is None else 2)
    return min(hinge_bound(margin, np.sqrt(energy * np.sum(W**2))) for W, margin in centred(game))


def second_order_perceptron(game: Finished, b: float) -> float:
    r"""One second-order perceptron per class, or one for signs; A starts at bI.

    m <= sum_k [sum hinge(u_k) + sqrt((b||u_k||² + sum_Mk (u_k x)²) ln det(A_k / b))] with M_k the
    sign errors of model k: a wrong class is a sign error of at least one model.
    """
    targets = list(codes(game.y, game.n_classes).T)
    if game.n_classes is None:
        errors = [game.wrong]
    else:
        errors = [replay(game.X, tau, b, None).learnt for tau in targets]
    total = 0.0
    for k, (tau, M) in enumerate(zip(targets, errors, strict=True)):
        V = logdet(game.X[M], b)
        values = []
        for W in game.models:
            f = game.X @ W[k]
            norm = b * np.sum(W[k] ** 2) + np.sum(f[M] ** 2)
            values.append(hinge_bound(tau * f, np.sqrt(norm * V)))
        total += min(values)
    return total


def adaptive_perceptron(game: Finished, b: float, phi: float) -> float:
    r"""The second-order perceptron's bound with weights a = 1/(1 - r) on U and 1 elsewhere.

    m <= sum a hinge(u) + sqrt((b||u||² + sum_U a |u x|²) V) - sum_M (a - 1), where
    V = 2 sum_U a r + sum_U\M min(2, φ a² r).
    """
    U, M = game.learnt, game.wrong
    r = replay(game.X, np.zeros(len(U)), b, U, adaptive=True).r
    a = 1 / (1 - r)  # 1 outside U
    V = 2 * np.sum(a * r) + np.sum(np.minimum(2.0, phi * a**2 * r)[U & ~M])
    values = []
    for W, margin in centred(game):
        norm = b * np.sum(W**2) + a[U] @ np.sum((game.X[U] @ W.T) ** 2, axis=1)
        values.append(hinge_bound(margin, np.sqrt(norm * V), a))
    return float(min(values) - np.sum(a[M] - 1))


def banditron(game: Finished, gamma: float) -> float:
    r"""E m <= γ(1-1/K)T + L + D²c/2 + D sqrt(D²c²/4 + cL + eT), L and D hinge loss and norm of u.

    c = X²(1 + K/γ) and e = X²(1-p)/p with p = 1 - γ + γ/K and X = max ||x||.
    """
    T, K = len(game.X), game.n_classes or 2
    p = 1 - gamma + gamma / K
    size = float(np.max(np.sum(game.X**2, axis=1)))
    c, e = size * (1 + K / gamma), size * (1 - p) / p
    values = []
    for W, margin in centred(game):
        for scale in SCALES:
            L, D2 = np.maximum(0.0, 1.0 - scale * margin).sum(), scale**2 * np.sum(W**2)
            values.append(L + D2 * c / 2 + np.sqrt((D2 * c / 2) ** 2 + D2 * (c * L + e * T)))
    return float(gamma * (1 - 1 / K) * T + min(values))


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
