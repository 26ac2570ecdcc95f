r"""Mistake bounds, evaluated on a run. Proofs are in docs/theory/bounds.md.

Notation: rounds 1..T, M the rounds with a mistake (m of them), U ⊇ M the rounds learnt from,
:math:`r_t = x_t^\top A^{-1} x_t` before round t is learnt. Comparators u (one row per class) are
fixed models, and their losses are summed over *all* rounds: over the mistakes alone u = 0 would
say m <= m. Every bound holds for every u, so it is evaluated at the models found in hindsight,
each at its best scale.

A bound is a function of the learner and the :class:`Game` in :data:`BOUNDS`; add your own there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Integers, Learner, Matrix, Vector
from graphol.report.hindsight import codes, margins, ridge
from graphol.trace import Trace

SCALES = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 121)])
SLACK = 1e-6  # relative; rounding


@attrs.frozen(eq=False)
class Game:
    """A finished run with its vectors, and the fixed models to hold it against."""

    trace: Trace
    X: Matrix  # (T, d), round by round
    n_classes: int | None
    models: tuple[Matrix, ...]

    @property
    def y(self) -> Integers:
        """The truth, round by round."""
        return np.asarray(self.trace.label, dtype=np.int64)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """The rounds with a mistake."""
        return np.asarray(self.trace.predicted != self.trace.label)

    @property
    def centred(self) -> Iterator[tuple[Matrix, Vector]]:
        """The models less their mean over classes, and their margins, which that does not change.

        Of all models with these margins it is the one with the least norms.
        """
        for W in self.models:
            C = W - W.mean(axis=0) if self.n_classes else W
            yield C, margins(self.X @ C.T, self.y)

    @property
    def learnt(self) -> NDArray[np.bool_]:
        """The rounds with an update."""
        return np.asarray(self.trace.updates > 0)


@attrs.frozen
class Bound:
    """A bound on the mistakes of one run."""

    name: str
    """What kind of bound; '' if there is none."""
    value: float
    """The most mistakes it allows; NaN if there is none."""
    holds: bool | None
    """Are the mistakes within it? None if there is no bound, or if it is one on the mean only."""
    mean_only: bool = False
    """Is it a bound on the mean over the learner's own draws?"""
    why: str = ""
    """Why there is none, or what is wrong with the run."""


class Rule(NamedTuple):
    """How a learner's mistakes are bounded."""

    name: str
    value: Callable[[Any, Game], float | None]
    mean_only: bool = False


def bound(learner: Learner, game: Game) -> Bound:
    """The learner's mistake bound on this run.

    One that does not hold is a bug in the learner, in the trace or here: it is returned with
    ``holds=False``, and whoever prints it must say so loudly.
    """
    rule = BOUNDS.get(learner.name)
    value = None
    why = "none known" if rule is None else unusual(game.trace)
    if rule is not None and not why:
        value = rule.value(learner, game)
        why = "none known with these parameters" if value is None else ""
    if rule is None or value is None:
        return Bound("", np.nan, None, why=why)
    if rule.mean_only:
        return Bound(rule.name, value, None, mean_only=True)
    idle = int(np.count_nonzero(game.wrong & ~game.learnt))
    m = int(np.count_nonzero(game.wrong))
    if idle:
        return Bound(rule.name, value, False, why=f"{idle} mistake(s) that it did not learn from")
    if not m <= value * (1 + SLACK) + SLACK:
        return Bound(rule.name, value, False, why=f"{m} mistakes, but a bound of {value:.1f}")
    return Bound(rule.name, value, True)


def unusual(trace: Trace) -> str:
    """What makes the bounds not apply to a game, or ''."""
    if trace.meta.get("engine", {}).get("delay"):
        return "not applicable: answers came late"
    if np.isnan(trace.revealed).any():
        return "not applicable: some rounds were not answered"
    bits = trace.predicted == trace.label
    if not (np.array_equal(trace.revealed, trace.label) or np.array_equal(trace.revealed, bits)):
        return "not applicable: some answers were false"
    return "" if trace.scored.all() else "not applicable: some rounds do not count"


# --- what the proofs are made of


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


def least(X: Matrix, Y: Matrix, b: float, weights: Vector | None = None) -> float:
    """min over u of b ||u||² + sum_t a_t |u x_t - Y_t|²."""
    if not len(X):
        return 0.0
    W = ridge(X, Y, b, weights)
    loss = ((X @ W.T - Y) ** 2).sum(axis=1)
    return float(b * np.sum(W**2) + (loss.sum() if weights is None else weights @ loss))


def hinge_bound(margin: Vector, norm: float, weights: Vector | None = None) -> float:
    """min over scales c >= 0 of sum_t a_t max(0, 1 - c margin_t) + c norm."""
    hinges = (np.maximum(0.0, 1.0 - c * margin) for c in SCALES)
    losses = [h.sum() if weights is None else weights @ h for h in hinges]
    return float(np.min(losses + SCALES * norm))


# --- the bounds


def perceptron(learner: Any, game: Game) -> float | None:
    r"""m <= sum hinge(u) + ||u|| sqrt(c sum_M ||x||²), c = 2 for classes and 1 for signs."""
    if learner.when != "mistakes":
        return None
    energy = float(np.sum(game.X[game.wrong] ** 2)) * (1 if game.n_classes is None else 2)
    return min(hinge_bound(margin, np.sqrt(energy * np.sum(W**2))) for W, margin in game.centred)


def one_vs_rest(learner: Any, game: Game) -> float:
    r"""The second-order perceptron's bound, summed over the models.

    m <= sum_k [sum hinge(u_k) + sqrt((b||u_k||² + sum_Mk (u_k x)²) ln det(A_k / b))] with M_k the
    sign errors of model k: a wrong class is a sign error of at least one model.
    """
    targets = list(codes(game.y, game.n_classes).T)
    if game.n_classes is None:
        errors = [game.wrong]
    else:
        errors = [replay(game.X, tau, learner.mu, None).learnt for tau in targets]
    total = 0.0
    for k, (tau, M) in enumerate(zip(targets, errors, strict=True)):
        V = logdet(game.X[M], learner.mu)
        values = []
        for W in game.models:
            f = game.X @ W[k]
            norm = learner.mu * np.sum(W[k] ** 2) + np.sum(f[M] ** 2)
            values.append(hinge_bound(tau * f, np.sqrt(norm * V)))
        total += min(values)
    return total


def shared_ridge(learner: Any, game: Game) -> float:
    r"""m <= ½ sum_k min_u [b||u||² + sum (u x - τ_k)²] + ln det(A / b), τ = 2·1[k=y] - 2/K."""
    K = game.n_classes or 2
    tau = np.where(game.y[:, None] == np.arange(K), 2.0, 0.0) - 2.0 / K
    return least(game.X, tau, learner.b) / 2 + logdet(game.X[game.wrong], learner.b)


def molg_f(learner: Any, game: Game) -> float:
    r"""The second-order perceptron's bound with weights a = 1/(1 - r) on U and 1 elsewhere.

    m <= sum a hinge(u) + sqrt((b||u||² + sum_U a |u x|²) V) - sum_M (a - 1), where
    V = 2 sum_U a r + sum_U\M min(2, φ a² r).
    """
    U, M = game.learnt, game.wrong
    r = replay(game.X, np.zeros(len(U)), learner.b, U, adaptive=True).r
    a = 1 / (1 - r)  # 1 outside U
    V = 2 * np.sum(a * r) + np.sum(np.minimum(2.0, learner.phi * a**2 * r)[U & ~M])
    values = []
    for W, margin in game.centred:
        norm = learner.b * np.sum(W**2) + a[U] @ np.sum((game.X[U] @ W.T) ** 2, axis=1)
        values.append(hinge_bound(margin, np.sqrt(norm * V), a))
    return float(min(values) - np.sum(a[M] - 1))


def molg_b(learner: Any, game: Game) -> float:
    r"""m <= m⁻ + sum_k min_u [b||u||² + sum_{t played k} a_t (u x_t - τ_t)²], a = 1/(1 - r) on U.

    m⁻ counts the mistakes played with a negative score, which nothing bounds.
    """
    return _played(game, learner.b, adaptive=True)


def played_ridge(learner: Any, game: Game) -> float:
    r"""m <= m⁻ + sum_k min_u [b||u||² + sum_{t played k} (u x_t - τ_t)²] + sum_M⁺ r/(1 + r).

    m⁻ counts the mistakes played with a negative score, which nothing bounds; M⁺ are the others.
    """
    b = (1 + learner.alpha) ** 2 if learner.name == "confidit" else learner.b
    return _played(game, b, adaptive=False)


def _played(game: Game, b: float, *, adaptive: bool) -> float:
    total = 0.0
    for k in range(game.n_classes or 0):
        S = game.trace.predicted == k
        X, wrong = game.X[S], game.wrong[S]
        tau = np.where(wrong, -1.0, 1.0)
        f, r, _ = replay(X, tau, b, game.learnt[S], adaptive=adaptive)
        total += least(X, tau[:, None], b, 1 / (1 - r) if adaptive else None)
        total += np.count_nonzero(wrong & (f < 0))
        if not adaptive:
            total += np.sum((r / (1 + r))[wrong & (f >= 0)])
    return float(total)


def banditron(learner: Any, game: Game) -> float:
    r"""E m <= γ(1-1/K)T + L + D²c/2 + D sqrt(D²c²/4 + cL + eT), L and D hinge loss and norm of u.

    c = X²(1 + K/γ) and e = X²(1-p)/p with p = 1 - γ + γ/K and X = max ||x||.
    """
    T, K, gamma = len(game.X), game.n_classes or 2, learner.gamma
    p = 1 - gamma + gamma / K
    size = float(np.max(np.sum(game.X**2, axis=1)))
    c, e = size * (1 + K / gamma), size * (1 - p) / p
    values = []
    for W, margin in game.centred:
        for scale in SCALES:
            L, D2 = np.maximum(0.0, 1.0 - scale * margin).sum(), scale**2 * np.sum(W**2)
            values.append(L + D2 * c / 2 + np.sqrt((D2 * c / 2) ** 2 + D2 * (c * L + e * T)))
    return float(gamma * (1 - 1 / K) * T + min(values))


BOUNDS: dict[str, Rule] = {
    "gpa": Rule("perceptron", perceptron),
    "ollgc": Rule("second-order perceptron", one_vs_rest),
    "oslg": Rule("ridge", shared_ridge),
    "oslg-bandit": Rule("ridge", played_ridge),
    "confidit": Rule("ridge", played_ridge),
    "molg-f": Rule("adaptive second-order perceptron", molg_f),
    "molg-b": Rule("adaptive ridge", molg_b),
    "banditron": Rule("banditron, in the mean", banditron, mean_only=True),
}
"""Learners with a bound that is proved in docs/theory/bounds.md."""
