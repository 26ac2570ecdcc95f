"""Several graphs over the same nodes."""

import attrs
import numpy as np
import pytest

import graphol
from graphol import Graph, InputError, NodeTask
from graphol.fusing import fuse

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


@attrs.frozen
class Weighing:
    """Says class 0; its layers weigh what it is told."""

    name = "weighing"
    feedback = "full"
    learns_from = ("label",)
    targets = ("classes",)
    needs = "graph"
    weights: object = None

    def start(self, problem):
        return ()

    def predict(self, state, instance):
        return graphol.Prediction(0)

    def update(self, state, instance, prediction, reveal):
        return 0

    def fit(self, state, given):
        return 0

    def layer_weights(self, state):
        return self.weights


def test_weights_stand_in_the_results():
    run = graphol.simulate(Weighing({"graph": 0.25, "b": 1.5}), NodeTask((A, B), "both"), repeats=2)
    assert run.row()["layer_weights_mean"] == {"b": 1.5, "graph": 0.25}
    assert "weighing in repeat 0: layers weigh 'b' 1.5, 'graph' 0.25" in run.notes


@pytest.mark.parametrize(
    ("weights", "says"),
    [(np.ones(2), "must map names"), ({"b": -1.0}, "weighs -1.0"), ({"b": np.nan}, "weighs nan")],
)
def test_weights_that_are_none(weights, says):
    with pytest.raises(graphol.GrapholError, match=f"weighing: .*{says}"):
        graphol.simulate(Weighing(weights), NodeTask((A, B), "both"), repeats=1)


def test_a_layer_that_is_not_there_is_named_with_who_weighs_it():
    labels = A.labels
    given = graphol.Given(np.arange(4), labels)
    with pytest.raises(graphol.GrapholError, match=r"weighing weighs 'c', .* there are: b, "):
        fuse(NodeTask((A, B), "both"), Weighing({"c": 1.0}), given, np.random.default_rng(0))
