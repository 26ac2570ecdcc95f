"""Which labels a learner gets before anything is asked of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphol import seeding
from graphol.api import Feedback, Given, GivesAway, Integers, Split
from graphol.errors import UsageError
from graphol.tasks import NodeTask
from graphol.tasks.splits import on_split


class Spent(NamedTuple):
    """Labels that are given in one go, and the split of all nodes that follows from it."""

    given: Given
    split: Split | None
    """None where all labels are given."""


def spend(task: NodeTask, feedback: Feedback | None, seed: int = 0) -> Spent:
    """What a protocol gives away in its first game, or all labels without one.

    >>> import graphol
    >>> task = graphol.make("dataset", "sbm:nodes=60").load(np.random.default_rng(0))
    >>> spent = spend(task, graphol.make("feedback", "seeds:per_class=2,validation=5"))
    >>> len(spent.given.nodes), len(spent.given.validation_nodes), len(spent.split.test)
    (6, 5, 49)
    """
    labels = task.graph.labels
    assert labels is not None
    if feedback is None:
        nodes = np.flatnonzero(labels >= 0)
        return Spent(Given(nodes, labels[nodes]), None)
    if not isinstance(feedback, GivesAway):
        raise UsageError(f"{feedback.name} feedback gives no labels away; take seeds:per_class=20")
    rng = seeding.order(seed, 0)
    game, rules = on_split(task, feedback, rng)
    assert isinstance(rules, GivesAway)
    stream = game.stream(rng)
    given = rules.given(len(stream))
    held = np.zeros(0, dtype=np.int64) if stream.validation is None else stream.validation.nodes
    nodes = stream.node[given]
    return Spent(
        Given(nodes, labels[nodes], held, labels[held]), Split(nodes, held, stream.node[~given])
    )


def without(given: Given, node: int) -> Given:
    """The same without what is known of one node."""

    def kept(nodes: Integers) -> Integers:
        return np.flatnonzero(nodes != node)

    learnt, held = kept(given.nodes), kept(given.validation_nodes)
    return Given(
        given.nodes[learnt], given.labels[learnt],
        given.validation_nodes[held], given.validation_labels[held],
    )  # fmt: skip
