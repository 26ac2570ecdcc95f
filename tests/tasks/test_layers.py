"""Several graphs over the same nodes."""

import numpy as np
import pytest

import graphol
from graphol import Graph, InputError, NodeTask

A = Graph.from_edges([0, 1], [1, 2], [2.0, 1.0], ids=range(4), labels=np.array([0, 1, 0, 1]))
B = Graph.from_edges([1, 2], [2, 3], [4.0, 8.0], ids=range(4), name="b", notes=("odd",))


def test_the_sum_is_what_one_graph_learners_see():
    task = NodeTask((A, B), "both")
    wanted = A.adjacency.toarray() + B.adjacency.toarray()
    problem = task.problem(np.random.default_rng(0))
    np.testing.assert_array_equal(problem.graph.adjacency.toarray(), wanted)
    assert problem.graph.labels is None
    assert [graph.n_edges for graph in problem.graphs] == [2, 2]
    assert all(graph.labels is None for graph in problem.graphs)
    assert "b: odd" in task.graph.notes


def test_one_graph_is_its_own_layer():
    problem = NodeTask((A,), "one").problem(np.random.default_rng(0))
    assert problem.graphs == (problem.graph,)


def test_results_name_every_layer_and_say_that_they_are_added_up():
    run = graphol.simulate("gpa", NodeTask((A, B), "both"), repeats=1, embedding="spectral:dim=2")
    assert [layer["name"] for layer in run.recipe["layers"]] == ["graph", "b"]
    assert any("2 layers are added up" in note for note in run.notes)
    other = graphol.simulate(
        "gpa", NodeTask((A.labelled(A.labels), A), "both"), repeats=1, embedding="spectral:dim=2"
    )
    assert other.recipe["layers_hash"] != run.recipe["layers_hash"]


def test_other_nodes_are_refused():
    other = Graph.from_edges("ab", "bc", ids="abcd")
    with pytest.raises(InputError, match="not over the same nodes"):
        NodeTask((A, other), "both")
