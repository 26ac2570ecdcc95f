"""The likeliest weights: L-BFGS on their logarithms, or the paper's hybrid steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.layers.likelihood import Likelihood

Vector = NDArray[np.float64]

START = 0.1
"""Every weight at first."""
BOUNDS = (-18.0, 12.0)
"""Of the logarithm of a weight."""
DROPPED = 1e-6
"""A weight below this is 0: its layer plays no part."""
ITERATIONS = 30
STEPS = 150
"""Of the hybrid update."""
STEADY = 60
"""Steps before they get shorter."""


class Path(NamedTuple):
    """Where the weights went."""

    alpha: Vector
    """The end, (k,)."""
    objective: float | None
    """There; None where it is not known."""
    mu_0: float
    iterates: list[Vector]
    """On the way, the start first."""
    evaluations: int


def lbfgs(like: Likelihood, start: Vector | None = None, iterations: int = ITERATIONS) -> Path:
    """L-BFGS with exact gradients. The objective is not concave: this is a local maximum."""
    from scipy.optimize import minimize

    k = len(like.layers)
    seen = []

    def downhill(theta: Vector) -> tuple[float, Vector]:
        point = like.at(np.exp(theta))
        seen.append((point.objective, theta.copy(), point.mu_0))
        return -point.objective, -point.gradient * np.exp(theta)

    first = np.log(np.full(k, START) if start is None else start)
    iterates = [dropped(np.exp(first))]
    minimize(
        downhill, first, jac=True, method="L-BFGS-B", bounds=[BOUNDS] * k,
        options={"maxiter": iterations, "maxcor": 10},
        callback=lambda theta: iterates.append(dropped(np.exp(theta))),
    )  # fmt: skip
    objective, theta, mu_0 = max(seen, key=lambda each: each[0])
    return Path(dropped(np.exp(theta)), objective, mu_0, iterates, len(seen))


def hybrid(
    gradient: Callable[[Vector], tuple[Vector, float]],
    scale: float,
    start: Vector,
    steps: int = STEPS,
) -> Path:
    """The paper's update: grow by a factor that is linear in the gradient, shrink exponentially.

    ``gradient`` answers with an estimate and mu_0; ``scale`` is K|S|, by which the gradient is
    measured, since the traces of all layers add up to less. The mean of the last third counts.
    """
    alpha, mu_0 = start.copy(), 0.0
    iterates = [alpha]
    last = np.zeros_like(alpha)
    for step in range(steps):
        g, mu_0 = gradient(alpha)
        rate = 4 * alpha.mean() / scale * min(1.0, STEADY / (step + 1))
        move = np.clip(rate * g, -1.0, 1.0)
        alpha = dropped(np.where(move >= 0, alpha * (1 + move), alpha * np.exp(move)))
        iterates.append(alpha)
        if step >= steps - max(1, steps // 3):
            last += alpha
    return Path(dropped(last / max(1, steps // 3)), None, mu_0, iterates, steps)


def dropped(alpha: Vector) -> Vector:
    """Weights that are too small to matter are 0."""
    kept: Vector = np.where(alpha < DROPPED, 0.0, alpha)
    return kept
