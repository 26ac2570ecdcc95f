r"""Bounds by cuts and resistances, for games in which hidden labelings take turns.

Observed graph G with Laplacian L, latent graph H over the contexts; w_1..w_K are the labelings, mu
says which one a context has. :math:`R_G = \max_i L^+_{ii}`, the kernel is
:math:`G = L^+ + R_G 11^\top` and :math:`w^\top G^{-1} w = w^\top L w + \bar w^2 / R_G`; likewise
for H. Every bound holds for all labelings and all mu that agree with what was asked, so what was
never asked is set to what costs least.

Herbster, Pasteris, Pontil. Predicting a switching sequence of graph labelings. JMLR, 2015. Proofs
with constants of the two perceptrons: docs/theory/bounds.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from graphol.api import (
    Finished,
    GraphKernel,
    Integers,
    Matrix,
    MistakeBound,
    StatedBound,
    Stream,
)
from graphol.graph import Graph
from graphol.tasks import SwitchTask

C = 5 * math.log(5 / 3) - 2
"""The constant of Theorem 1, 0.554."""


class Measures(NamedTuple):
    """What Theorem 1 is made of, in one game."""

    n: int
    """Nodes of the observed graph."""
    p: int | None
    """Vertices of the latent one, inner ones too; None where it does not tell."""
    K: int
    """Labelings that held in some round, at least 2."""
    cuts: tuple[float, ...]
    """Weight cut by each labeling of the task, whether it held or not."""
    R_G: float
    cut_H: float | None
    """Of the labeling of contexts, who was never asked being free; None as for p."""
    R_H: float | None
    balance: float
    """Sum over the K labelings of their squared means."""
    phi: float
    """The largest w'G⁻¹w of the labelings that held."""
    switches: int | None
    """Rounds at which another labeling took over; None where contexts are no rounds."""
    theta: float | None
    """What the learner must be told at least; None as for p."""


class Theorem1(NamedTuple):
    """The most mistakes of matrix winnow, with the K and theta that it was told."""

    value: float
    """As the proof has it."""
    printed: float
    """As the theorem states it, no less."""


def resistance(graph: Graph, features: object = None) -> float:
    """R_G: the kernel's where it knows it, else computed.

    Exact up to 500 nodes, and of 32 exactly computed candidates on larger graphs.
    """
    if isinstance(features, GraphKernel) and features.resistance is not None:
        return features.resistance
    from graphol.linalg.diagonal import EXACT, largest_diagonal
    from graphol.registry import registry

    L = graph.laplacian("combinatorial")
    if graph.n <= EXACT:
        return float(np.diagonal(np.linalg.pinv(L.toarray(), hermitian=True)).max())
    solver = registry().make("solver", "auto:columns=64").prepare(L)
    return largest_diagonal(graph, solver, np.random.default_rng(0))


def products(graph: Graph, labelings: Integers, R: float) -> Matrix:
    """w_k'G⁻¹w_l = w_k'Lw_l + mean(w_k) mean(w_l) / R, (K, K)."""
    W = np.asarray(labelings, dtype=np.float64)
    means = W.mean(axis=1)
    found: Matrix = W @ (graph.laplacian("combinatorial") @ W.T) + np.outer(means, means) / R
    return found


def measures(task: SwitchTask, stream: Stream) -> Measures:
    """What was hidden in this game, as the theorem measures it.

    Of the latent graph nothing is known where the contexts shown are not the schedule's own, or
    where its kernel is not L⁺ + R.
    """
    assert stream.active is not None
    used, K = np.unique(stream.active), max(2, len(np.unique(stream.active)))
    W = task.labelings.astype(np.float64)
    R_G = resistance(task.graph, task.features)
    cuts = np.einsum("ki,ik->k", W, task.graph.laplacian("combinatorial") @ W.T) / 4
    means = W[used].mean(axis=1)
    phi = float(np.max(4 * cuts[used] + means**2 / R_G))
    balance = float(np.sum(means**2)) + K - len(used)  # a labeling that is missing: all +1
    latent = latent_kernel(task)
    cut_H = R_H = p = theta = None
    if latent is not None:
        cut_H = float(latent.least_cut(context_labels(stream), len(W)))
        R_H, p = latent.resistance, latent.vertices
        assert R_H is not None
        theta = 8 * R_G * float(cuts[used].sum()) + 4 * R_H * cut_H + 2 * balance + 2
    return Measures(
        n=task.graph.n, p=p, K=K, cuts=tuple(cuts.tolist()), R_G=R_G, cut_H=cut_H, R_H=R_H,
        balance=balance, phi=phi, theta=theta,
        switches=None if stream.marks is None else len(stream.marks),
    )  # fmt: skip


def latent_kernel(task: SwitchTask) -> GraphKernel | None:
    """The graph over contexts, where it is one that the theorem is about."""
    latent: object = task.latent_features or task.latent or task.schedule.latent
    if task.shows != "own" or not isinstance(latent, GraphKernel) or latent.resistance is None:
        return None
    return latent


def context_labels(stream: Stream) -> Integers:
    """The labeling of every context up to the last one asked; -1 where it was not asked."""
    assert stream.context is not None and stream.active is not None
    labels = np.full(int(stream.context.max()) + 1, -1, dtype=np.int64)
    labels[stream.context] = stream.active
    return labels


def theorem1(found: Measures, K: int, theta: float) -> Theorem1 | None:
    """Both forms, for a learner that was told K and theta; None where the theorem says nothing.

    It must be told at least as many labelings as held, and at least their theta. A labeling more
    that never held may be any; the constant one adds 2 to theta.
    """
    if found.theta is None or found.p is None or K < found.K:
        return None
    assert found.R_H is not None and found.cut_H is not None
    true = found.theta + 2 * (K - found.K)
    if not theta >= true * (1 - 1e-9):  # told to a few digits less than it was computed with
        return None
    logarithm = math.log(K * (found.n + found.p)) + max(theta / true, 1.0) - 1
    cuts = (found.theta - 4 * found.R_H * found.cut_H - 2 * found.balance - 2) / 4  # 2 R_G Σ cut
    printed = 4 * K / C * (cuts + found.R_H * found.cut_H + K) * logarithm
    return Theorem1(K * true / C * logarithm, printed)


def matrix_winnow(game: Finished, K: int, theta: float) -> MistakeBound | None:
    """m <= (K θ / c) (ln(K (n + p)) + θ̂/θ - 1), for the theory's learning rate and threshold.

    None unless both kernels are those of the theorem, and K and ``theta`` (θ̂) large enough.
    """
    found = _theorem1(game, K, theta)
    return None if found is None else MistakeBound("Theorem 1", found.value)


def matrix_winnow_printed(game: Finished, K: int, theta: float) -> list[StatedBound]:
    """m <= (4 K / c) (2 R_G Σ cut + R_H cut_H + K) (ln(K (n + p)) + θ̂/θ - 1), as printed."""
    found = _theorem1(game, K, theta)
    mistakes = float(np.count_nonzero(game.wrong))
    return (
        []
        if found is None
        else [StatedBound("Theorem 1 as printed", "mistakes", mistakes, found.printed)]
    )


def _theorem1(game: Finished, K: int, theta: float) -> Theorem1 | None:
    task, stream = game.task, game.stream
    if not isinstance(task, SwitchTask) or stream is None or _resistance(task) is None:
        return None
    return theorem1(measures(task, stream), K, theta)


def _resistance(task: SwitchTask) -> float | None:
    """R_G where the learner's kernel is L⁺ + R_G."""
    features: object = task.features
    return features.resistance if isinstance(features, GraphKernel) else None


def tracking_perceptron(game: Finished, phi: float) -> MistakeBound | None:
    r"""m <= ρ w_T'G⁻¹w_T + 2 Σ_switches sqrt(φ (w - w')'G⁻¹(w - w')), w_T the last labeling.

    ρ = 2 R_G, and ``phi`` (φ) is the ball, f'G⁻¹f <= φ. It has to hold ρw of every labeling w that
    held, see :func:`tracking_ball`; None if it does not.
    """
    task, stream = game.task, game.stream
    if not isinstance(task, SwitchTask) or stream is None or stream.active is None:
        return None
    R = _resistance(task)
    if R is None:
        return None
    inner, active = products(task.graph, task.labelings, R), stream.active
    norms = np.diagonal(inner)
    if not phi >= (2 * R) ** 2 * norms[np.unique(active)].max() * (1 - 1e-9):
        return None
    before, after = active[:-1], active[1:]
    moved = np.maximum(norms[before] + norms[after] - 2 * inner[before, after], 0.0)
    value = 2 * R * norms[active[-1]] + 2 * float(np.sqrt(phi * moved).sum())
    return MistakeBound("tracking", float(value))


def tracking_ball(found: Measures) -> float:
    """The ball that the tracking perceptron has to be told: ρ² max_k w_k'G⁻¹w_k, ρ = 2 R_G."""
    return (2 * found.R_G) ** 2 * found.phi


def multitask_perceptron(game: Finished, b: float) -> MistakeBound | None:
    r"""m <= 2 R_G (p+b)/(p(1+b)) (Σ_a w_a'G⁻¹w_a + (b/p) Σ_{a<c} (w_a - w_c)'G⁻¹(w_a - w_c)).

    The sums are over the p contexts that are shown. Those that were never asked take what costs
    least, a multiple of the sum of the others.
    """
    task, stream = game.task, game.stream
    if not isinstance(task, SwitchTask) or stream is None or stream.active is None:
        return None
    R, p = _resistance(task), task.problem(np.random.default_rng(0)).n_contexts
    if R is None or p is None:
        return None
    of_context, inner = context_labels(stream), products(task.graph, task.labelings, R)
    asked = np.bincount(of_context[of_context >= 0], minlength=len(inner))  # contexts per labeling
    free = p - int(asked.sum())
    share = (b / p) / (1 + b / p * asked.sum())  # of the sum, what a free one takes
    together = float(asked @ inner @ asked)
    alone = float(asked @ np.diagonal(inner)) + free * share**2 * together
    norm = (1 + b) * alone - b / p * (1 + free * share) ** 2 * together
    return MistakeBound("multitask", 2 * R * (p + b) / (p * (1 + b)) * norm)
