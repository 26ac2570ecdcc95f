"""Poisson learning against dense algebra, in one go and one label at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol.api import Given
from graphol.learners.nodes.poisson import Poisson
from graphol.learners.nodes.poisson_ridge import PoissonRidge
from graphol.testing.games import blocks, node_game

PRIORS = ["seen", "uniform", "0.2/0.3/0.5"]
priors = pytest.mark.parametrize("prior", PRIORS)


def learner(prior="seen"):
    return graphol.make("learner", f"poisson:prior={prior}")


def islands(seed=0):
    """Blocks, a path and a pair, each apart from the others, and three isolated nodes."""
    S = np.zeros((40, 40))
    S[:25, :25] = blocks(25, K=3, seed=seed, isolated=False).adjacency.toarray()
    rng = np.random.default_rng(seed)
    for i in (*range(25, 34), 35):
        S[i, i + 1] = S[i + 1, i] = 0.5 + rng.random()
    return graphol.Graph(S, labels=np.arange(40) % 3, name="islands")


def dense(graph, label, K, prior):
    """Weighted potentials by least squares, component by component; NaN where there is no label."""
    S = graph.adjacency.toarray()
    d = S.sum(axis=1)
    scores = np.full((len(S), K), np.nan)
    for c in range(graph.n_components):
        here = np.flatnonzero(graph.components == c)
        known = here[label[here] >= 0]
        if len(known) == 0:
            continue
        mean = np.bincount(label[known], minlength=K) / len(known)
        b = np.zeros((len(S), K))
        b[known] = np.eye(K)[label[known]] - mean
        L = np.diag(d[here]) - S[np.ix_(here, here)]
        # the paper's condition is one more equation
        rows = np.vstack([L, d[here]])
        u = np.linalg.lstsq(rows, np.vstack([b[here], np.zeros(K)]), rcond=None)[0]
        share = {"seen": mean, "uniform": np.ones(K)}.get(prior)
        share = np.array([0.2, 0.3, 0.5])[:K] if share is None else share
        q = np.divide(share, mean, out=np.zeros(K), where=mean > 0)
        scores[here] = np.where(mean > 0, u * q, -np.inf)
    return scores


def told(who, problem, nodes, labels):
    state = who.start(problem)
    for t, (node, label) in enumerate(zip(nodes.tolist(), labels.tolist(), strict=True)):
        instance = graphol.Instance(t, node)
        said = who.predict(state, instance)
        who.update(state, instance, said, graphol.Reveal(label=label))
    return state


def assert_dense(who, state, graph, K):
    scores = dense(graph, state.label, K, who.prior)
    for i in range(graph.n):
        said = who.predict(state, graphol.Instance(0, i))
        assert said.known == (not np.isnan(scores[i]).any())
        if said.known:
            seen = np.isfinite(scores[i])
            u = scores[i][seen] - scores[i][seen].mean()
            mine = who.potential(state, np.array([i]))[0]
            np.testing.assert_allclose(mine[seen], u, rtol=0, atol=1e-8)
            assert said.scores.sum() == pytest.approx(1) and not said.scores[~seen].any()
            assert scores[i][int(said.label)] >= scores[i].max() - 1e-8
        else:
            counts = np.bincount(state.label[state.label >= 0], minlength=K)
            np.testing.assert_allclose(said.scores, counts / counts.sum())


@priors
@settings(max_examples=5, deadline=None)
@given(n=st.integers(12, 50), seed=st.integers(0, 10**6))
def test_equals_dense_algebra_in_every_round(prior, n, seed):
    graph, who = blocks(n, K=3, seed=seed), learner(prior)
    problem = node_game(graph=graph).problem(np.random.default_rng(0))
    rng = np.random.default_rng(seed)
    nodes, labels = rng.permutation(n), rng.integers(3, size=n)
    for rounds in (1, 2, 5, n):
        assert_dense(who, told(who, problem, nodes[:rounds], labels[:rounds]), graph, 3)


@priors
def test_every_component_is_neutral(prior):
    graph, who = islands(), learner(prior)
    problem = node_game(graph=graph).problem(np.random.default_rng(0))
    nodes = np.random.default_rng(1).permutation(40)
    for rounds in (1, 4, 12, 40):
        state = told(who, problem, nodes[:rounds], graph.labels[nodes[:rounds]])
        assert_dense(who, state, graph, 3)


@priors
def test_in_one_go_is_one_at_a_time_and_the_last_label_counts(prior):
    graph, who = islands(), learner(prior)
    problem = node_game(graph=graph).problem(np.random.default_rng(0))
    rng = np.random.default_rng(2)
    nodes, labels = rng.integers(40, size=60), rng.integers(3, size=60)
    together = who.start(problem)
    assert who.fit(together, Given(nodes, labels)) == 3
    assert who.fit(together, Given(nodes[-1:], labels[-1:])) == 0
    apart = told(who, problem, nodes, labels)
    assert together.label.tolist() == apart.label.tolist()
    for name in ("V", "counts", "lead"):
        one, two = getattr(together, name), getattr(apart, name)
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-9)


def test_the_papers_iteration_ends_there():
    """Algorithm 1 of the paper, u <- u + D^-1 (b - L u), run long enough."""
    graph = blocks(30, K=3, isolated=False).largest_component()
    who, problem = learner(), node_game(graph=graph).problem(np.random.default_rng(0))
    nodes = np.arange(7)
    state = told(who, problem, nodes, graph.labels[nodes])
    L, d = graph.laplacian().toarray(), graph.degrees[:, None]
    b, u = np.zeros((graph.n, 3)), np.zeros((graph.n, 3))
    b[nodes] = np.eye(3)[graph.labels[nodes]]
    b[nodes] -= b[nodes].mean(axis=0)
    for _ in range(3000):
        u += (b - L @ u) / d
    np.testing.assert_allclose(who.potential(state, np.arange(graph.n)), u, rtol=0, atol=1e-8)


@pytest.mark.parametrize("prior", ["sen", "0.5/x", "0.5/0/1", "1/inf", ""])
def test_a_prior_that_is_none_is_refused(prior):
    for kind in (Poisson, PoissonRidge):
        message = f"^{kind.name}: prior must be seen, uniform, or"
        with pytest.raises(graphol.UsageError, match=message):
            kind(prior=prior)


def test_a_prior_for_another_number_of_classes_is_refused():
    with pytest.raises(graphol.UsageError, match="prior has 2 numbers for 3 classes"):
        graphol.simulate(learner("0.5/0.5"), node_game(), repeats=1)


def test_a_damaged_state_is_refused():
    who = learner()
    state = who.start(node_game().problem(np.random.default_rng(0)))
    who.check_state(state, 40)
    state.label[3] = 1
    with pytest.raises(ValueError, match="the counts are not those of the labels"):
        who.check_state(state, 40)


@pytest.mark.data
def test_fifty_labels_on_cora(data_dir):
    """An independent program (conjugate gradients, 1e-6 D added) had 28.94 on these shuffles."""
    run = graphol.simulate(
        "poisson", dataset="cora", feedback="seeds:count=50", repeats=range(10, 20)
    )
    assert 100 * run.error_rate_mean == pytest.approx(28.94, abs=0.05)
