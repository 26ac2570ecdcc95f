import numpy as np
import pytest
from graphol_example.candidate_vote import CandidateVote
from graphol_example.neighbour_vote import NeighbourVote
from graphol_example.partial import Partial

import graphol
import graphol.testing


@graphol.testing.learner_checks(CandidateVote(), CandidateVote(prior=0.0))
def test_learner_conforms(component, check):
    check(component)


@graphol.testing.feedback_checks(Partial(), Partial(p=0.0), Partial(p=1.0))
def test_feedback_conforms(component, check):
    check(component)


def test_candidates_hold_the_truth_and_wrong_classes_by_chance():
    trace = graphol.simulate(CandidateVote(), "sbm", feedback=Partial(p=0.3), repeats=1).traces[0]
    rows, truth = trace.kept["candidates"], np.arange(4) == trace.label[:, None]
    assert rows.dtype == bool and rows.shape == (1000, 4)
    assert rows[truth].all()
    assert abs(rows[~truth].mean() - 0.3) < 0.03
    assert np.isnan(trace.revealed).all() and trace.answered.all() and trace.n_queries == 1000


def test_votes_are_shared_among_the_candidates():
    """When every node was asked, votes = S C by dense algebra, the rows of C summing to one."""
    run = graphol.play(
        graphol.make("dataset", "sbm:nodes=80").load(np.random.default_rng(0)),
        CandidateVote(), Partial(p=0.4), np.random.default_rng(0),
    )  # fmt: skip
    rows = run.trace.kept["candidates"]
    C = np.zeros((80, 4))
    C[run.trace.node] = rows / rows.sum(axis=1, keepdims=True)
    S = graphol.make("dataset", "sbm:nodes=80").load(np.random.default_rng(0)).graph.adjacency
    np.testing.assert_allclose(run.state.votes, S.toarray() @ C)


def test_a_set_of_one_is_a_label():
    """With p = 0, or told labels, it is the neighbours' vote."""
    games = [
        (CandidateVote(), Partial(p=0.0)),
        (CandidateVote(), "full"),
        (NeighbourVote(), "full"),
    ]
    said = [
        graphol.simulate(learner, "sbm", feedback=feedback, repeats=1).traces[0].predicted.tolist()
        for learner, feedback in games
    ]
    assert said[0] == said[1] == said[2]


def test_noise_delay_and_jobs():
    options = {"feedback": "partial:p=0.2", "noise": 0.2, "delay": 3, "repeats": 2}
    one, two = (graphol.simulate("candidate-vote", "sbm", jobs=jobs, **options) for jobs in (1, 2))
    assert (one.error_rates == two.error_rates).all()
    rows, truth = one.traces[0].kept["candidates"], one.traces[0].label
    assert 0.75 < rows[np.arange(1000), truth].mean() < 0.9  # 0.8, and 0.2 of the other 0.2


def test_a_predictor_is_told_candidates():
    graph = graphol.Graph.from_edges(["ann", "bob"], ["bob", "cyd"])
    predictor = graphol.Predictor(CandidateVote(), graph, classes=["cat", "dog", "eel"])
    assert predictor.tell(predictor.ask("ann"), candidates=["dog", "eel"]) == 2
    assert predictor.tell(predictor.ask("cyd"), candidates=np.array([True, False, True])) == 2
    ticket = predictor.ask("bob")
    assert (ticket.label, ticket.scores.round(1).tolist()) == ("eel", [0.5, 0.5, 1.0])
    with pytest.raises(graphol.UsageError, match="candidates must be a list of classes"):
        predictor.tell(ticket, candidates="eel")
    with pytest.raises(graphol.UsageError, match="and nothing else, got candidates, label"):
        predictor.tell(ticket, candidates=["eel"], label="eel")
    assert predictor.tell(ticket, label="eel") == 1
