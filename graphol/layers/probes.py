"""Random probes: the trace in the gradient without a solve for every seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from graphol.layers.likelihood import Likelihood

Vector = NDArray[np.float64]

Trace = Callable[[Likelihood, Vector, int, np.random.Generator], Vector]
"""Of a likelihood, at weights, with so many probes: an estimate of Tr(Sigma Z' L_i Z), (k,)."""


def seed_probes(like: Likelihood, alpha: Vector, probes: int, rng: np.random.Generator) -> Vector:
    r"""With signs g at the seeds, the mean of :math:`(Zg)^\top L_i (L^{-1} \Pi^\top g)`.

    Unbiased, since :math:`Z \Sigma = L^{-1} \Pi^\top`. Two solves per probe, and on citation
    networks a fourth of the deviation of :func:`edge_probes`.
    """
    g = _signs(rng, len(like.seeds), probes)
    Zg, U = like.solve_seeded(alpha, g), like.solve_free(alpha, g)
    return like.layers.energies(Zg, U) / probes


def edge_probes(
    like: Likelihood, alpha: Vector, probes: int, rng: np.random.Generator, printed: bool = False
) -> Vector:
    r"""The paper's: with z = Z M b and signs b, the mean of :math:`z^\top L_i z`.

    :math:`M = [I, \Pi L^{-1} (B W^{1/2}, \epsilon^{1/2} I)]` has :math:`M M^\top = \Sigma`; B is
    the incidence matrix, W has the weighted edges. Two solves per probe. As ``printed`` (Lemma
    4.3) M is without :math:`\epsilon` and :math:`M M^\top` is not :math:`\Sigma`.
    """
    layers = like.layers
    heavy = np.sqrt(alpha[layers.layer] * layers.w)[:, None]
    b = heavy * _signs(rng, layers.n_edges, probes)
    rhs = np.zeros((layers.vertices, probes))
    np.add.at(rhs, layers.u, b)
    np.subtract.at(rhs, layers.v, b)
    if not printed:
        rhs += np.sqrt(like.ridge)[:, None] * _signs(rng, layers.vertices, probes)
    M = _signs(rng, len(like.seeds), probes) + like.solve_free(alpha, rhs)[like.seeds]
    z = like.solve_seeded(alpha, M)
    return layers.energies(z, z) / probes


def estimated(
    like: Likelihood, alpha: Vector, probes: int, rng: np.random.Generator, trace: Trace
) -> tuple[Vector, float]:
    """The gradient, its trace by probes and the rest exact, and mu_0: a solve more per class."""
    zy = like.solve_seeded(alpha, like.Y)
    mu_0 = like.likeliest(float(np.sum(like.Y * (like.Y - zy[like.seeds]))))
    fit: Vector = mu_0 * like.layers.energies(zy, zy)
    return like.Y.shape[1] * trace(like, alpha, probes, rng) - fit, mu_0


def _signs(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.float64]:
    signs = 2 * rng.integers(0, 2, (rows, columns)) - 1
    return signs.astype(np.float64)
