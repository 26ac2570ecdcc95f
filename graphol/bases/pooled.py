"""What `pool` keeps: a stack of experts, the weights that guard it, and all that members know."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol import api
from graphol.api import Integers, Matrix, Problem, Vector
from graphol.bases.fixed_share import check_weights
from graphol.bases.guarded import Heard, check_standing
from graphol.bases.inverse import check_inverse
from graphol.bases.memo import Memo
from graphol.bases.stacking import BUCKETS


class Place(Memo):
    """The graph, the nodes' vectors, and what the members last said."""

    def __init__(self, problem: Problem) -> None:
        super().__init__()
        graph, features = problem.graph, problem.features
        assert graph is not None
        S = graph.adjacency
        self.edges = S.indptr.astype(np.int64), S.indices.astype(np.int64)
        self.rows = None if features is None else features.rows
        self.reasons: dict[int, str] = {}
        """Why members failed, in words, where this is known."""
        self.never: frozenset[int] = frozenset()
        """Members that refuse a graph of this size."""


class State(NamedTuple):
    """The stack, who is trusted how much, what is known, and all that the members know."""

    theta: Vector  # (5E,), weights of the experts: for all nodes, then for each bucket
    B: Matrix  # (5E, 5E), the inverse of its precision
    weights: Vector  # (N,), of the mixture: the stack, the experts, the starter
    losses: Vector  # (N + 1,), log losses so far, the last that of the mixture
    label: Integers  # (n,), -1 where not known
    counts: Integers  # (K,), labels shown
    plays: Integers  # (K,), how often a class was said and a bit came back
    fitted: Integers  # (1,), how many labels the starter knows
    standing: Integers  # (M,), whether a member plays, see `graphol.bases.guarded`
    members: tuple[api.State, ...]  # of the experts, and of the starter
    place: Place


class Said(NamedTuple):
    """What is made of the members' predictions in a round."""

    heard: tuple[Heard, ...]
    Q: Matrix
    phi: Matrix
    p: Vector
    mixture: Vector
    c: int


def begin(
    problem: Problem,
    members: tuple[api.State, ...],
    lead: NDArray[np.bool_],
    prior: float,
    trust: float,
) -> State:
    """Nothing known: experts that lead are believed alike, a starter (if there is one) is trusted.

    ``lead`` has an entry per expert; a member more is the starter.
    """
    graph, K, M = problem.graph, problem.n_classes, len(members)
    assert graph is not None and K is not None
    theta = np.zeros((1 + BUCKETS, len(lead)))
    theta[0, lead] = 1.0 / lead.sum()
    spread = np.tile(np.where(lead, 1.0, 0.1) / prior, 1 + BUCKETS)
    weights = np.full(1 + M, 1.0 / (1 + M))
    if len(lead) < M:
        weights[:] = (1.0 - trust) / M
        weights[M] = trust
    return State(
        theta=theta.ravel(),
        B=np.diag(spread),
        weights=weights,
        losses=np.zeros(2 + M),
        label=np.full(graph.n, -1),
        counts=np.zeros(K, np.int64),
        plays=np.zeros(K, np.int64),
        fitted=np.zeros(1, np.int64),
        standing=np.zeros(M, np.int64),
        members=members,
        place=Place(problem),
    )


def seen(state: State) -> NDArray[np.bool_]:
    """Classes that were shown, or said and answered."""
    return np.asarray((state.counts > 0) | (state.plays > 0))


def check(state: State, prior: float) -> None:
    """Raise ValueError where this is no such state; a file may hold anything."""
    check_weights(state.weights)
    check_inverse(state.B, 1.0 / prior)
    check_standing(state.standing)
    if state.label.min() < -1 or state.label.max() >= len(state.counts):
        raise ValueError("labels are not classes")
    if min(state.counts.min(), state.plays.min(), state.fitted.min()) < 0:
        raise ValueError("a class has a negative number of labels")
    if state.fitted[0] > state.counts.sum():
        raise ValueError("the starter knows labels that were never shown")
