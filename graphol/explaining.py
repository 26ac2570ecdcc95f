"""Why a node gets the label that it gets: the labelled nodes that decide."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import attrs
import numpy as np

from graphol import seeding
from graphol.api import NO_VECTOR, Fits, Given, Influences, Instance, Learner, Vector
from graphol.arena import Arena
from graphol.errors import UsageError
from graphol.matching import check_fit
from graphol.spending import without
from graphol.tasks import NodeTask


@attrs.frozen
class Explanation:
    """What is said of a node, and who decided it."""

    node: Hashable
    label: str
    known: bool
    """Does any label bear on it? If not, it is a guess."""
    labels: int
    """How many labels were known."""
    scores: dict[str, float]
    """By class, as the learner has them, largest first; balance included, where it balances."""
    influences: tuple[dict[str, Any], ...]
    """Labelled nodes, the largest amount first: ``node``, ``label``, ``amount`` that it adds to the
    score of its own class here, and ``share`` of what all labelled nodes add."""


def check_explains(learner: Learner) -> None:
    """Refuse who cannot tell which labels decide."""
    if not isinstance(learner, Influences) or not isinstance(learner, Fits):
        raise UsageError(
            f"{learner.name} cannot tell which labels decide; take one that can, label-propagation"
        )


def explain(
    task: NodeTask, learner: Learner, node: int, given: Given, *, seed: int = 0
) -> Explanation:
    """Fit some labels, without that of the node itself, and ask for the node.

    Parameters
    ----------
    task
        The graph and its classes.
    learner
        Who can be fitted and tells influences.
    node
        The row of the node.
    given
        The labels that are known.
    seed
        Of the learner and the embedding.
    """
    check_explains(learner)
    shown = without(given, node)
    if not len(shown.nodes):
        name = task.graph.ids[node]
        raise UsageError(f"{task.name}: no label beside that of {name!r} is known; give some")
    playing = Arena(task, seed).task(learner).task
    problem = playing.problem(seeding.learner(seed))
    check_fit(playing.target, playing.name, problem, learner)
    state = learner.start(problem)
    assert isinstance(learner, Fits)
    learner.fit(state, shown)
    rows = None if problem.features is None else problem.features.rows
    said = learner.predict(state, Instance(0, node, NO_VECTOR if rows is None else rows[node]))
    assert isinstance(learner, Influences)
    shares = learner.influences(state, node, len(shown.nodes))
    total = sum(abs(each.amount) for each in shares)
    graph = task.graph
    return Explanation(
        node=graph.ids[node],
        label=graph.label_names[int(said.label)],
        known=bool(said.known),
        labels=len(shown.nodes),
        scores={} if said.scores is None else _by_class(graph.label_names, said.scores),
        influences=tuple(
            {
                "node": graph.ids[each.node],
                "label": graph.label_names[each.label],
                "amount": float(each.amount),
                "share": float(each.amount / total) if total else 0.0,
            }
            for each in shares
        ),
    )


def _by_class(names: Sequence[str], scores: Vector) -> dict[str, float]:
    return {names[k]: float(scores[k]) for k in np.argsort(-scores, kind="stable")}
