"""The largest component of any kind of task, against cutting it out by hand."""

from typing import ClassVar

import attrs
import numpy as np
import pytest

import graphol
from graphol import Graph, NodeTask, SignalTask, UsageError
from graphol.datasets.largest import Largest
from graphol.tasks.scores import Held

GRAPH = Graph.from_edges(
    ["a", "x", "b", "p"], ["b", "y", "c", "q"], ids="xaybpcq", labels=[0, 1, 1, 0, 1, 1, 0]
)
KEPT = [1, 3, 5]  # a, b, c


def data(task):
    """A data set that is this task."""

    @attrs.frozen
    class Data:
        """One task."""

        name: ClassVar[str] = "data"

        def load(self, rng):
            return task

    return Largest(of=Data()).load(np.random.default_rng(0))


def test_nodes():
    task = data(NodeTask((GRAPH,), name="nodes"))
    assert task.name == "nodes"
    assert task.graph.ids == ("a", "b", "c")
    assert task.graph.labels.tolist() == [1, 0, 1]
    assert task.graph.notes == ("4 node(s) left out: 3 kept",)


def test_signals():
    samples = np.arange(14.0).reshape(2, 7)
    truth, support = np.array([1.0, -1.0]), np.array([0, 3, 5])
    whole = SignalTask(GRAPH, samples, truth, "signals", support=support, test=Held(samples, truth))
    task = data(whole)
    np.testing.assert_array_equal(task.samples, samples[:, KEPT])
    np.testing.assert_array_equal(task.test.samples, samples[:, KEPT])
    assert task.support.tolist() == [1, 2]
    assert task.validation is None


def test_a_connected_graph_stays_as_it_is():
    whole = NodeTask((GRAPH.largest_component(),), name="nodes")
    assert data(whole) is whole


def test_a_kind_of_its_own_is_refused():
    class Own:
        graph, name = GRAPH, "own"

    with pytest.raises(UsageError, match="own is of a kind of its own; leave --component out"):
        data(Own())


def test_fresh_data_are_cut_too():
    spec = "largest:of=(sbm:nodes=60,classes=2,degree_in=2,degree_out=0.5)"
    result = graphol.simulate("gpa", spec, repeats=3, fresh_data=True)
    rounds = [len(trace) for trace in result.traces]
    assert max(rounds) < 60
    assert len(set(rounds)) > 1
