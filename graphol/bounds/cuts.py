r"""Bounds by the cut: how much of a graph's edge weight the labels cut through.

Rows m_t of the embedding make ``||u||²`` the smoothness ``f'Lf`` of f = M u, so that ridge
regression in hindsight is ``min_f ||f - y||² + mu f'Lf``, one linear solve (I + mu L) f = y where
the rows span all of it. For f of plus and minus one ``f'Lf`` is 4 times the weight of the edges
that f cuts: the paper's cut size Phi(f) = f'Lf / 2 is twice that weight.

Gu, Aggarwal, Liu, Han. Selective sampling on graphs for classification. KDD 2013. What is proved
and what is only printed: docs/theory/bounds.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.api import Finished, Matrix, Vector
from graphol.bounds.hindsight import codes, ridge
from graphol.bounds.ingredients import Replay, least, logdet, replay

Rounds = NDArray[np.bool_]


class Side(NamedTuple):
    """One binary model of a game: its class against the rest."""

    tau: Vector
    """Targets of plus and minus one, (T,)."""
    again: Replay
    """The model played again, learning its own sign errors."""


def sides(game: Finished, mu: float) -> Iterator[Side]:
    """The models of a game, one for signs and K for classes."""
    for tau in codes(game.y, game.n_classes).T:
        yield Side(tau, replay(game.X, tau, mu, None))


def cut_size(game: Finished, mu: float) -> float:
    r"""m <= sum_k [min_f (||f - y||² + μ f'Lf) + sum_i ln(1 + λ_i / μ)], λ of sum_Mk x x'."""
    return sum(
        least(game.X, side.tau[:, None], mu) + logdet(game.X[side.again.learnt], mu)
        for side in sides(game, mu)
    )


def corollary5(game: Finished, mu: float, *, of_learner: bool = False) -> float:
    r"""As printed: m <= min_f (||f - y||² + μ f'Lf) / 2 + γ d ln(1 + T B / (d μ)), summed over k.

    B = max ||x||². γ bounds the squared loss of the minimising f, as the statement has it, or of
    the learner before it learns, as the proof has it (``of_learner``).
    """
    T, d = game.X.shape
    B = float(np.max(np.sum(game.X**2, axis=1)))
    total = 0.0
    for side in sides(game, mu):
        u = ridge(game.X, side.tau[:, None], mu)
        scores = side.again.f[side.again.learnt] if of_learner else (game.X @ u.T)[:, 0]
        taus = side.tau[side.again.learnt] if of_learner else side.tau
        gamma = float(np.max((scores - taus) ** 2, initial=0.0))
        total += least(game.X, side.tau[:, None], mu) / 2
        total += gamma * d * np.log1p(T * B / (d * mu))
    return float(total)


class Regret(NamedTuple):
    """What a theorem bounds, and its bound."""

    measured: float
    bound: float


def theorem4(game: Finished, mu: float) -> Regret:
    r"""R = sum_M (f_t - y_t)²/2 - sum_M (u'x_t - y_t)²/2 <= μ ||u||²/2 + γ sum_i ln(1 + λ_i / μ).

    u minimises the bound of all rounds, and γ bounds the learner's own squared loss, as the proof
    has it; summed over the models.
    """
    measured = bound = 0.0
    for side in sides(game, mu):
        M = side.again.learnt
        u = ridge(game.X, side.tau[:, None], mu)
        own = (side.again.f[M] - side.tau[M]) ** 2
        theirs = ((game.X[M] @ u.T)[:, 0] - side.tau[M]) ** 2
        measured += float(own.sum() - theirs.sum()) / 2
        bound += mu * float(np.sum(u**2)) / 2 + float(np.max(own, initial=0.0)) * logdet(
            game.X[M], mu
        )
    return Regret(measured, bound)


def labels_bought(T: int, d: int, mu: float, kappa: float, B: float = 1.0) -> float:
    r"""The largest N with N <= T^κ d ln(1 + N B / (μ d)), found from above; 0 if there is none.

    >>> N = labels_bought(1000, 10, mu=1.0, kappa=0.4)
    >>> bool(abs(N - 1000**0.4 * 10 * np.log1p(N / 10)) < 1e-6 * N)
    True
    """
    slope, scale = T**kappa * d, B / (mu * d)
    if slope * scale <= 1:
        return 0.0
    N = 2 * slope * (1 + np.log1p(slope * scale))  # above the root, whence the steps go down
    for _ in range(200):
        nearer = slope * float(np.log1p(N * scale))
        if N - nearer <= 1e-12 * N:
            break
        N = nearer
    return float(N)


def asked(X: Matrix, tau: Vector, mu: float, kappa: float) -> tuple[Rounds, Rounds]:
    """SSLGC played again for one model: the rounds in which it asks, and those it learns."""
    P, w = np.eye(X.shape[1]) / mu, np.zeros(X.shape[1])
    asks, learns = np.zeros((2, len(X)), dtype=bool)
    for t, x in enumerate(X):
        u = P @ x
        r, f = x @ u, w @ x
        asks[t] = r / (1 + r) > (t + 1.0) ** -kappa
        learns[t] = asks[t] and (f >= 0) != (tau[t] > 0)
        if learns[t]:
            P -= np.outer(u, u) / (1 + r)
            w += (tau[t] - f) / (1 + r) * u
    return asks, learns


def labels_learnt(game: Finished, mu: float, kappa: float) -> float:
    r"""Of the labels asked for, those learnt from: at most T^κ sum_k ln det(A_k / μ).

    Each has r/(1 + r) > t^-κ >= T^-κ, and these add up to at most ln det(A_k / μ).
    """
    each = (asked(game.X, tau, mu, kappa)[1] for tau in codes(game.y, game.n_classes).T)
    return float(len(game.X) ** kappa * sum(logdet(game.X[learns], mu) for learns in each))
