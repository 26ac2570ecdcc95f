import numpy as np
from graphol_example.neighbour_vote import NeighbourVote
from graphol_example.periodic import Periodic

import graphol
import graphol.testing


@graphol.testing.learner_checks(NeighbourVote(), NeighbourVote(prior=0.0))
def test_learner_conforms(component, check):
    check(component)


@graphol.testing.feedback_checks(Periodic(), Periodic(every=3))
def test_feedback_conforms(component, check):
    check(component)


def test_votes_are_sums_of_weights():
    """After all labels are known, votes = S Y by dense algebra."""
    graph = graphol.Graph.from_edges(
        ["a", "b", "c", "a"], ["b", "c", "d", "d"], [1, 2, 3, 4], labels=[0, 1, 0, 1]
    )
    task = graphol.NodeTask((graph,), name="square")
    full = graphol.make("feedback", "full")
    state = graphol.play(task, NeighbourVote(), full, np.random.default_rng(0)).state
    onehot = np.eye(2)[graph.labels]
    np.testing.assert_allclose(state.votes, graph.adjacency.toarray() @ onehot)


def test_is_discovered_like_a_built_in():
    result = graphol.simulate("neighbour-vote", "sbm", feedback="periodic:every=4", repeats=1)
    trace = result.traces[0]
    assert trace.n_queries == -(-len(trace) // 4)
    assert result.recipe["versions"]["plugin example"].startswith("graphol-example ")


def test_compiled_learners_play_the_protocol_compiled():
    result = graphol.simulate("molg-f", "sbm", feedback="periodic", repeats=1)
    assert result.traces[0].meta["compiled"]
