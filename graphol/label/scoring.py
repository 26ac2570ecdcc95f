"""What a fitted learner says of many nodes at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    NO_FLIPS,
    NO_VECTOR,
    Compiled,
    Instance,
    Integers,
    KeepsScores,
    Learner,
    Matrix,
    NotCompiled,
    Played,
    Problem,
    State,
    Stretch,
)
from graphol.errors import GrapholError, Overflow
from graphol.tasks.scores import CALMER

BLOCK = 8192
"""Nodes per compiled call, so that Ctrl-C works in between."""
WORTH = 4096
"""Nodes from which on it is worth to compile."""


class Everywhere(NamedTuple):
    """What a learner says of some nodes, by default all of them."""

    label: Integers  # (m,)
    scores: Matrix | None  # (m, K); None where the learner has none
    known: NDArray[np.bool_]  # (m,)


def everywhere(
    learner: Learner,
    state: State,
    problem: Problem,
    nodes: Integers | None = None,
    *,
    often: bool = False,
) -> Everywhere:
    """What a fitted learner says of every node, or of these; the state stays as it is.

    A compiled learner that keeps its scores is asked in one call, with nothing answered; all others
    node by node.

    >>> import graphol
    >>> from graphol.testing.games import node_game
    >>> problem = node_game().problem(np.random.default_rng(0))
    >>> learner = graphol.make("learner", "walk")
    >>> bool(everywhere(learner, learner.start(problem), problem).known.any())
    False
    """
    if problem.graph is None or problem.n_classes is None:
        raise GrapholError(f"{learner.name}: only classes of a graph's nodes are asked for here")
    if nodes is None:
        nodes = np.arange(problem.graph.n)
    worth = often or len(nodes) >= WORTH
    found = _compiled(learner, state, problem, nodes) if worth else None
    found = found or _plain(learner, state, problem, nodes)
    _check(learner, found, problem.n_classes)
    return found


def _compiled(
    learner: Learner, state: State, problem: Problem, nodes: Integers
) -> Everywhere | None:
    """None where nothing is compiled, or it has no scores."""
    if not (isinstance(learner, Compiled) and isinstance(learner, KeepsScores)):
        return None
    rows = None if problem.features is None else problem.features.rows
    if not learner.keeps_scores or (rows is None and learner.needs not in ("graph", "nothing")):
        return None
    if rows is None:
        assert problem.graph is not None
        rows = np.zeros((problem.graph.n, 0))
    m, K = len(nodes), problem.n_classes or 0
    out = Played(
        np.zeros(m, np.int32), np.zeros(m, np.int32), np.ones(m, np.bool_), np.ones(m, np.bool_),
        np.full((m, K), np.nan),
    )  # fmt: skip
    try:
        for lo in range(0, m, BLOCK):
            part = np.ascontiguousarray(nodes[lo : lo + BLOCK], dtype=np.int64)
            none = np.zeros(len(part), np.int64)
            stretch = Stretch(
                rows, part, part, none - 1, none, none.astype(bool), first=lo, flipped=NO_FLIPS
            )
            at = slice(lo, lo + BLOCK)
            columns = Played(
                out.predicted[at], out.updates[at], out.query[at], out.known[at], out.scores[at]
            )
            learner.stream(state, stretch, columns)
    except NotCompiled:
        return None
    return Everywhere(out.predicted.astype(np.int64), out.scores, out.known)


def _plain(learner: Learner, state: State, problem: Problem, nodes: Integers) -> Everywhere:
    rows = None if problem.features is None else problem.features.rows
    m, K = len(nodes), problem.n_classes or 0
    label, known = np.zeros(m), np.zeros(m, dtype=bool)
    scores: Matrix | None = np.full((m, K), np.nan)
    for j, node in enumerate(nodes.tolist()):
        said = learner.predict(state, Instance(0, node, NO_VECTOR if rows is None else rows[node]))
        label[j], known[j] = said.label, said.known
        if scores is None:
            continue
        if said.scores is None or np.shape(said.scores) != (K,):
            scores = None
        else:
            scores[j] = said.scores
    if not np.isfinite(label).all():
        raise Overflow(f"{learner.name} predicted {label[~np.isfinite(label)][0]}; {CALMER}")
    return Everywhere(label.astype(np.int64), scores, known)


def _check(learner: Learner, found: Everywhere, K: int) -> None:
    """Refuse nonsense in one line; a plugin may have said it."""
    if len(found.label) and (found.label.min() < 0 or found.label.max() >= K):
        odd = found.label[(found.label < 0) | (found.label >= K)][0]
        raise GrapholError(f"{learner.name} predicted {odd}, and the classes are 0 to {K - 1}")
    if found.scores is not None and not np.isfinite(found.scores).all():
        raise Overflow(f"{learner.name}: its scores are not finite; {CALMER}")
