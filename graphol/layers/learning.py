"""Learn the weights of layers from the labels of a few nodes, exactly where that is cheaper."""

from __future__ import annotations

from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import LinearSolver
from graphol.errors import InputError
from graphol.layers.edges import Layers
from graphol.layers.likelihood import Likelihood
from graphol.layers.optimise import ITERATIONS, START, hybrid, lbfgs
from graphol.layers.probes import edge_probes, estimated, seed_probes

Vector = NDArray[np.float64]
Integers = NDArray[np.int64]
Method = Literal["auto", "exact", "probes", "paper"]

MOST_SEEDS = 512
"""Up to so many seeds the exact gradient is cheaper than steps with probes."""
MOST_NUMBERS = 2**26
"""Of Z, a column for every seed: 0.5 GB."""
FIRST, FIRST_STEPS, LIGHT = 100.0, 12, 1e-4
"""mu_0 and iterations before it is free, and the least weight to go on from."""
PROBES = 10
CHECKED, CHECKS = 64, 200
"""Seeds and probes of the comparison with the exact gradient."""


@attrs.frozen(eq=False)
class Learned:
    """Weights of layers, and how they were found."""

    layers: Layers
    alpha: Vector
    """A weight for every layer, relative to mu_0, (k,)."""
    mu_0: float
    objective: float | None
    how: str
    """What was chosen and why, in words."""
    iterates: tuple[Vector, ...] = ()
    """Weights on the way, the start first."""

    @property
    def weights(self) -> dict[str, float]:
        """Weight by name of the layer."""
        return dict(zip(self.layers.names, self.alpha.tolist(), strict=True))


def learn(
    layers: Layers,
    nodes: Integers,
    labels: Integers,
    mu_0: float | None,
    solver: LinearSolver,
    rng: np.random.Generator,
    method: Method = "auto",
    eps: float = 1e-4,
    iterations: int = ITERATIONS,
) -> Learned:
    """The likeliest weights.

    ``exact`` is L-BFGS with exact gradients, ``probes`` the hybrid update with seed probes,
    ``paper`` the same with the paper's own; ``auto`` takes ``exact`` for up to 512 seeds (less
    where their columns would not fit) and ``probes`` beyond. A class without a seed is left out.
    """
    if len(nodes) == 0:
        raise InputError("layers: no label is given; weights are learned from labels of some nodes")
    Y = one_hot(labels)
    like = Likelihood.of(layers, nodes, Y, mu_0, solver, eps)
    size = layers.vertices * len(nodes)
    few = len(nodes) <= MOST_SEEDS and size <= MOST_NUMBERS
    if method == "exact" or (method == "auto" and few):
        path = lbfgs(like, _before(like, mu_0), iterations)
        how = f"exact gradients for {len(nodes)} seeds"
        how += f" (up to {MOST_SEEDS}), L-BFGS, {path.evaluations} evaluations"
    else:
        trace = edge_probes if method == "paper" else seed_probes
        # the columns to expect are not |S|, and the two systems are unlike: each has its solver
        path = hybrid(
            lambda alpha: estimated(like, alpha, PROBES, rng, trace),
            Y.size,
            np.full(len(layers), START),
        )
        kind = "the paper's" if method == "paper" else "seed"
        why = "as asked for" if method != "auto" else _why(len(nodes), size)
        off = deviation(layers, nodes, labels, solver, rng, method, eps)
        how = (
            f"{PROBES} {kind} probes per step, {why}; {path.evaluations} hybrid steps; {CHECKS} "
            f"probes at the start, on {min(CHECKED, len(nodes))} of the seeds, are {off:.1%} from "
            "the exact gradient"
        )
    return Learned(
        layers, path.alpha, path.mu_0, path.objective, f"{how}; {like.solving.explain}",
        tuple(path.iterates),
    )  # fmt: skip


def deviation(
    layers: Layers,
    nodes: Integers,
    labels: Integers,
    solver: LinearSolver,
    rng: np.random.Generator,
    method: Method = "probes",
    eps: float = 1e-4,
) -> float:
    """How far the estimate of the trace is from the exact one, at the start and relative to it."""
    some = rng.permutation(len(nodes))[:CHECKED]
    Y = np.zeros((len(some), 1))  # without labels the gradient is the trace
    like = Likelihood.of(layers, nodes[some], Y, 1.0, solver, eps)
    alpha = np.full(len(layers), START)
    exact = like.at(alpha).gradient
    trace = edge_probes if method == "paper" else seed_probes
    found = trace(like, alpha, CHECKS, rng)
    return float(np.linalg.norm(found - exact)) / max(float(np.linalg.norm(exact)), 1e-300)


def one_hot(labels: Integers) -> NDArray[np.float64]:
    """A column for every class that occurs, (|S|, K)."""
    Y: NDArray[np.float64] = (labels[:, None] == np.unique(labels)[None, :]).astype(float)
    return Y


def _before(like: Likelihood, mu_0: float | None) -> Vector | None:
    """Where to start: a free mu_0 has a maximum at infinite weights, away from the one wanted."""
    if mu_0 is not None:
        return None
    return np.maximum(lbfgs(attrs.evolve(like, mu_0=FIRST), None, FIRST_STEPS).alpha, LIGHT)


def _why(seeds: int, size: int) -> str:
    if seeds > MOST_SEEDS:
        return f"because {seeds} seeds are more than {MOST_SEEDS}"
    return f"because {size * 8 / 1e9:.1f} GB for a column per seed are too much"
