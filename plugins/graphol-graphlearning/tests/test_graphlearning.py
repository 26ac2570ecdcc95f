import numpy as np
import pytest
from graphol_graphlearning.learners import GlLaplace, GlPoisson

import graphol
import graphol.testing
from graphol.testing.games import blocks, node_game

NORMALIZED = GlLaplace(normalization="normalized")


@graphol.testing.learner_checks(
    GlLaplace(), NORMALIZED, GlLaplace(reweighting="poisson"), GlPoisson()
)
def test_conforms(component, check):
    check(component)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (GlLaplace(tol=1e-10), "label-propagation:noise=0,prior=none"),
        (GlPoisson(tol=1e-10), "poisson"),
    ],
)
def test_says_what_our_own_says(theirs, ours):
    """Two programs of one formula; class 1 has no seed, so that classes are numbered anew."""
    graph = blocks(120, K=4, seed=3, isolated=False).largest_component()
    labels = np.where(graph.labels == 1, 2, graph.labels)
    task = node_game(graph=graph.labelled(labels, names="abcd"))
    runs = [
        graphol.simulate(who, task, feedback="seeds:count=20", repeats=5) for who in (theirs, ours)
    ]
    for one, two in zip(*(run.traces for run in runs), strict=True):
        assert np.mean(one.predicted == two.predicted) > 0.98
