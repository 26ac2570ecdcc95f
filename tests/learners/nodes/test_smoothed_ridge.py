"""Ridge regression on smoothed features against dense algebra."""

import numpy as np
import pytest

import graphol
from graphol.errors import UsageError
from graphol.learners.nodes.smoothed_ridge import SmoothedRidge
from graphol.testing.games import blocks, node_game


def dense(graph, steps, components):
    """Principal components of the averaged tf-idf, rows of length 1."""
    X, n = graph.features.toarray(), graph.n
    X = X * (np.log((1 + n) / (1 + (X > 0).sum(axis=0))) + 1)
    size = np.linalg.norm(X, axis=1, keepdims=True)
    X = np.divide(X, size, out=np.zeros_like(X), where=size > 0)
    W = graph.adjacency.toarray() / graph.adjacency.data.mean() + np.eye(n)
    X = np.linalg.matrix_power(W / W.sum(axis=1, keepdims=True), steps) @ X
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    Z = (U * s)[:, :components]
    return Z / np.linalg.norm(Z, axis=1, keepdims=True)


@pytest.mark.parametrize("steps", [0, 2])
def test_is_ridge_regression_on_both_parts(steps):
    graph = blocks(40, K=3)
    task, who = node_game(graph=graph), SmoothedRidge(b=0.5, components=5, steps=steps)
    problem = task.problem(np.random.default_rng(0))
    X = np.hstack([problem.features.rows, dense(graph, steps, 5)])
    state = who.start(problem)
    for t in range(20):
        instance = graphol.Instance(t, t, problem.features.rows[t])
        said, y = who.predict(state, instance), int(graph.labels[t])
        who.update(state, instance, said, graphol.Reveal(label=y))
    Y = np.eye(3)[graph.labels[:20]]
    W = np.linalg.solve(0.5 * np.eye(X.shape[1]) + X[:20].T @ X[:20], X[:20].T @ Y)
    for i in range(20, 40):
        p = np.maximum(X[i] @ W, 0)
        found = who.predict(state, graphol.Instance(20, i, problem.features.rows[i])).scores
        np.testing.assert_allclose(found, p / p.sum(), rtol=1e-6, atol=1e-8)


def test_one_feature_is_enough_and_none_is_refused():
    graph = blocks()
    for features in (graph.features[:, [0]], graph.features[:, [0, 1]]):
        task = node_game(graph=graph.featured(features))
        state = SmoothedRidge().start(task.problem(np.random.default_rng(0)))
        assert np.isfinite(state.rows.X).all() and state.rows.X.shape == (40, 9)
    with pytest.raises(UsageError, match="smoothed-ridge needs node features"):
        graphol.simulate("smoothed-ridge", "sbm", repeats=1)
    with pytest.raises(UsageError, match="smoothed-ridge needs node features"):
        graphol.simulate("pool:features=yes", "sbm", repeats=1)
