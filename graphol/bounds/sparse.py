"""Linear models over signals in hindsight: on a given support, or on a connected one that is found.

The loss is the learners' own: logistic for signs, half the square for numbers. A model has p
weights and an intercept at the end; only those on its support and the intercept may differ from 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphol.api import Integers, Matrix, Vector
from graphol.graph import Graph
from graphol.projections.wgm import WgmTail

RESTARTS, STEPS = 20, 6
"""How often the search begins anew, and how often each goes on from where it is."""
FIT_STEPS = 100  # of L-BFGS; separable signs have no least loss


class Fit(NamedTuple):
    """A fixed model, and what it loses in all rounds together."""

    w: Vector  # (p + 1,)
    loss: float


def losses(scores: Vector, y: Vector, *, real: bool) -> Vector:
    """The loss of every round: (s - y)²/2 for numbers, ln(1 + exp(-y s)) for signs."""
    return 0.5 * (scores - y) ** 2 if real else np.logaddexp(0.0, -y * scores)


def slopes(scores: Vector, y: Vector, *, real: bool) -> Vector:
    """The derivative of the loss by the score, in every round."""
    if real:
        return scores - y
    return np.asarray(-y * np.exp(-np.logaddexp(0.0, y * scores)))


def refitted(X: Matrix, y: Vector, support: Integers, *, real: bool) -> Fit:
    """The least loss of a model on this support, in one go with all rounds known."""
    from scipy.optimize import minimize

    Z = np.column_stack([X[:, support], np.ones(len(X))])
    if real:
        v = np.linalg.lstsq(Z, y, rcond=None)[0]
    else:

        def total(v: Vector) -> tuple[float, Vector]:
            s = Z @ v
            return float(losses(s, y, real=False).sum()), Z.T @ slopes(s, y, real=False)

        found: Any = minimize(
            total, np.zeros(Z.shape[1]), jac=True, method="L-BFGS-B",
            options={"maxiter": FIT_STEPS},
        )  # fmt: skip
        v = found.x
    w = np.zeros(X.shape[1] + 1)
    w[support], w[-1] = v[:-1], v[-1]
    return Fit(w, float(losses(Z @ v, y, real=real).sum()))


def connected(
    X: Matrix, y: Vector, graph: Graph, s: int, rng: np.random.Generator, *, real: bool
) -> Fit:
    """The best model on a connected set of about s nodes that a search with restarts finds.

    Iterative thresholding: project a gradient step onto the weighted graph model, refit, go on;
    each start but the first begins with noise on the first gradient. Sets have up to 1.1 s nodes,
    as the learners' own. How far it is from the best of all is not known: that is hard to find.
    """
    tail = WgmTail(s=min(s, graph.n)).bind(graph, graph.n)
    first = -X.T @ slopes(np.zeros(len(X)), y, real=real)
    step = (1.0 if real else 4.0) / max(float(np.linalg.norm(X, 2)) ** 2, 1e-300)
    best: Fit | None = None
    for start in range(RESTARTS):
        v = step * (first + (start > 0) * first.std() * rng.normal(size=len(first)))
        for _ in range(STEPS):
            fit = refitted(X, y, tail(v)[1], real=real)
            best = fit if best is None or fit.loss < best.loss else best
            scores = X @ fit.w[:-1] + fit.w[-1]
            v = fit.w[:-1] - step * (X.T @ slopes(scores, y, real=real))
    assert best is not None
    return best


def convex_figure(X: Matrix, y: Vector, scores: Vector, w: Vector, *, real: bool) -> float:
    """2 D L sqrt(T), D the norm of the fixed model and L that of the largest gradient met.

    Dual averaging on a convex set has no more regret than that. The weighted graph model is not
    convex, so for learners in it this is an orientation and no bound. Signs that can be separated
    have no least loss, and models of any length: D is then that of the shortest multiple of w that
    loses at most 1 more, in all rounds together.
    """
    sizes = np.abs(slopes(scores, y, real=real)) * np.sqrt(1 + np.sum(X**2, axis=1))
    shortest = 1.0 if real else _shortest(X @ w[:-1] + w[-1], y)
    return float(2 * shortest * np.linalg.norm(w) * sizes.max() * np.sqrt(len(X)))


def _shortest(scores: Vector, y: Vector) -> float:
    """The least multiple of a model for signs that loses at most 1 more."""
    scales = np.geomspace(1e-4, 1.0, 201)
    lost = np.array([losses(c * scores, y, real=False).sum() for c in scales])
    return float(scales[np.argmax(lost <= lost[-1] + 1.0)])
