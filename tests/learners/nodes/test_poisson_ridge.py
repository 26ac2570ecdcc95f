"""Poisson learning plus ridge regression against both, and dense algebra."""

import numpy as np
import pytest

import graphol
from graphol.api import Given
from graphol.learners.nodes.poisson_ridge import PoissonRidge
from graphol.testing.games import blocks, node_game, random_rows


def game(seed=0):
    graph = blocks(40, K=4, seed=seed)
    rng = np.random.default_rng(seed)
    return node_game(graph=graph), graph, rng.permutation(40), rng.integers(3, size=40)


def told(who, problem, nodes, labels):
    state = who.start(problem)
    for t, (node, label) in enumerate(zip(nodes.tolist(), labels.tolist(), strict=True)):
        instance = graphol.Instance(t, node)
        who.update(state, instance, who.predict(state, instance), graphol.Reveal(label=label))
    return state


def leading(F):
    """Z of the docstring, over the first three classes."""
    F = F[:, :3] - F[:, :3].mean(axis=1, keepdims=True)
    return F / F.max(axis=1).mean()


@pytest.mark.parametrize("b", [0.3, 1.0])
@pytest.mark.parametrize("rounds", [5, 20, 40])
def test_is_the_sum_of_both(b, rounds):
    """The fourth class has no label and no share."""
    task, graph, nodes, labels = game(rounds)
    problem = task.problem(np.random.default_rng(0))
    nodes, labels = nodes[:rounds], labels[:rounds]
    assert set(labels) == {0, 1, 2}
    state = told(PoissonRidge(b=b), problem, nodes, labels)
    X = problem.features.rows
    Y = np.eye(4)[labels]
    W = np.linalg.solve(b * np.eye(X.shape[1]) + X[nodes].T @ X[nodes], X[nodes].T @ Y)
    reach = np.flatnonzero(graph.components == 0)  # the other component is one node
    L = graph.laplacian().toarray()
    charges = np.zeros((40, 4))
    inside = np.isin(nodes, reach)
    charges[nodes[inside]] = Y[inside] - Y[inside].mean(axis=0)
    u = np.linalg.pinv(L) @ charges
    u[reach] -= graph.degrees[reach] @ u[reach] / graph.degrees.sum()
    lead = u[reach].max(axis=1).mean()
    z = u[:, :3] / lead + leading(X @ W)
    for i in reach.tolist():
        said = PoissonRidge(b=b).predict(state, graphol.Instance(0, i))
        p = 3.0 ** z[i]
        np.testing.assert_allclose(said.scores[:3], p / p.sum(), rtol=1e-7)
        assert said.scores[3] == 0 and said.known


def test_in_one_go_is_one_at_a_time_and_the_last_label_counts():
    task, _, _, _ = game()
    problem, who = task.problem(np.random.default_rng(0)), PoissonRidge(prior="uniform")
    rng = np.random.default_rng(4)
    nodes, labels = rng.integers(40, size=60), rng.integers(4, size=60)
    together = who.start(problem)
    assert who.fit(together, Given(nodes, labels)) == 4
    apart = told(who, problem, nodes, labels)
    for name in ("P", "R", "lead"):
        one, two = getattr(together, name), getattr(apart, name)
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-9)


def test_nothing_is_known_without_a_label_near():
    """In a component without one, and with a vector on which none bears."""
    graph = blocks(30, K=2)
    rows = random_rows(30, 30)
    task = node_game(rows, graph)  # node 0 has no vector, node 29 no edge
    problem, who = task.problem(np.random.default_rng(0)), PoissonRidge()
    state = who.start(problem)
    assert not who.predict(state, graphol.Instance(0, 3)).known
    said = who.predict(state, graphol.Instance(0, 29))
    who.update(state, graphol.Instance(0, 29), said, graphol.Reveal(label=1))
    far = who.predict(state, graphol.Instance(1, 0))
    assert not far.known and far.scores.tolist() == [0, 1]
    assert who.predict(state, graphol.Instance(1, 5)).known  # by its vector


def test_an_inverse_that_is_none_is_refused():
    task, _, nodes, labels = game()
    who = PoissonRidge()
    state = told(who, task.problem(np.random.default_rng(0)), nodes, labels)
    who.check_state(state, 40)
    state.P[0, 1] += 0.5
    with pytest.raises(ValueError, match="not symmetric"):
        who.check_state(state, 40)


@pytest.mark.data
@pytest.mark.parametrize(
    ("dataset", "count", "error"),
    [("cora", 50, 28.21), ("cora", 200, 19.79), ("citeseer", 50, 33.90)],
)
def test_errs_as_an_independent_program_did(dataset, count, error, data_dir):
    """Its figures, which for CiteSeer had ten nodes without a label counted as mistakes."""
    run = graphol.simulate(
        "poisson-ridge",
        dataset=dataset,
        feedback=f"seeds:count={count}",
        repeats=range(10, 20),
        embedding="spectral:dim=100,trivial=keep",
    )
    assert 100 * run.error_rate_mean == pytest.approx(error, abs=0.05)
