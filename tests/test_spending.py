"""Which labels are given away, and the split that follows."""

from __future__ import annotations

import numpy as np
import pytest

import graphol
from graphol.api import Split
from graphol.spending import spend, without
from graphol.tasks import NodeTask


@pytest.fixture
def task():
    graph = graphol.Graph.from_edges(
        range(20), [(i + 1) % 20 for i in range(20)], labels=[i % 2 for i in range(19)] + [-1]
    )
    split = Split(np.array([3, 4]), np.array([5]), np.array([6, 7, 8]))
    return NodeTask((graph,), "ring", split=split)


def test_all_labels_without_a_protocol(task):
    given, split = spend(task, None)
    assert given.nodes.tolist() == list(range(19)) and split is None
    assert given.labels.tolist() == [i % 2 for i in range(19)]


def test_the_fixed_split(task):
    given, split = spend(task, graphol.make("feedback", "seeds:split=fixed"))
    assert sorted(given.nodes) == [3, 4] and given.validation_nodes.tolist() == [5]
    assert sorted(split.test) == [6, 7, 8]
    assert given.labels.tolist() == [node % 2 for node in given.nodes]


def test_the_same_labels_that_a_game_gives_away(task):
    """Of seed s they are those of repeat 0."""
    for spec in ("seeds:count=5", "seeds:per_class=3,validation=4,test=6"):
        given, split = spend(task, graphol.make("feedback", spec), seed=7)
        played = graphol.simulate("label-propagation", task, feedback=spec, repeats=1, seed=7)
        trace = played.traces[0]
        assert given.nodes.tolist() == trace.node[~trace.scored].tolist()
        assert split.test.tolist() == trace.node[trace.scored].tolist()


def test_one_node_is_kept_secret(task):
    given = without(spend(task, graphol.make("feedback", "seeds:split=fixed")).given, 4)
    assert given.nodes.tolist() == [3] and given.validation_nodes.tolist() == [5]
    assert not len(without(given, 5).validation_labels)


def test_who_gives_nothing_away_is_refused(task):
    with pytest.raises(graphol.UsageError, match="full feedback gives no labels away; take seeds"):
        spend(task, graphol.make("feedback", "full"))
