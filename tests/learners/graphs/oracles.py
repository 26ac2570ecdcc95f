"""What the learners on features and graphs should say, by dense algebra and a plain minimiser."""

import numpy as np
from scipy.optimize import minimize

from graphol import Graph, make
from graphol.api import Given, Instance, Prediction, Problem, Reveal


def problem(*graphs, K=3, seed=0):
    """The problem of one graph, or of several layers."""
    from graphol.tasks import NodeTask

    return NodeTask(graphs, name="test").problem(np.random.default_rng(seed))


def fitted(recipe, task_problem, nodes, labels, validation=((), ())):
    """Learner and state after a fit."""
    learner = make("learner", recipe)
    state = learner.start(task_problem)
    held = (np.array(each, dtype=np.int64) for each in validation)
    learner.fit(state, Given(np.asarray(nodes), np.asarray(labels), *held))
    return learner, state


def told(recipe, task_problem, nodes, labels):
    """The same labels, one at a time."""
    learner = make("learner", recipe)
    state = learner.start(task_problem)
    for t, (node, label) in enumerate(zip(nodes, labels, strict=True)):
        learner.update(state, Instance(t, int(node)), Prediction(0), Reveal(label=int(label)))
    return learner, state


def scores(learner, state):
    """Of every node, (n, K)."""
    n = len(state.label)
    return np.array([learner.predict(state, Instance(0, v)).scores for v in range(n)])


def known(learner, state):
    """Of every node, (n,)."""
    n = len(state.label)
    return np.array([learner.predict(state, Instance(0, v)).known for v in range(n)])


def words(graph):
    """tf-idf, rows of norm 1."""
    X = graph.features.toarray()
    X = X * (np.log((1 + len(X)) / (1 + (X != 0).sum(axis=0))) + 1)
    size = np.linalg.norm(X, axis=1, keepdims=True)
    return np.divide(X, size, out=np.zeros_like(X), where=size > 0)


def smoothed(W, X, tau):
    """(I + tau L)^-1 X with the normalised Laplacian of W + I."""
    W = W + np.eye(len(W))
    root = np.sqrt(W.sum(axis=1))
    L = np.eye(len(W)) - W / root[:, None] / root[None, :]
    return np.linalg.solve(np.eye(len(W)) + tau * L, X)


def regressed(Z, S, y, K, C):
    """Class probabilities of all rows, regressed on rows S, by a general minimiser, (n, K)."""
    d, Y = Z.shape[1], np.eye(K)[y]

    def loss(theta):
        V, b = theta[: d * K].reshape(d, K), theta[d * K :]
        P = probabilities(Z[S] @ V + b)
        slope = np.concatenate([(Z[S].T @ (P - Y) + V / C).ravel(), (P - Y).sum(axis=0)])
        return (V**2).sum() / (2 * C) - np.log(P[np.arange(len(S)), y]).sum(), slope

    options = {"maxiter": 20000, "ftol": 1e-16, "gtol": 1e-10, "maxfun": 10**6}
    least = minimize(loss, np.zeros((d + 1) * K), jac=True, method="L-BFGS-B", options=options).x
    return probabilities(Z @ least[: d * K].reshape(d, K) + least[d * K :])


def probabilities(A):
    """Softmax of rows."""
    E = np.exp(A - A.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


def reordered(graph, order):
    """The same graph with its nodes in another order."""
    return Graph(
        graph.adjacency[order][:, order], features=graph.features[order],
        labels=graph.labels[order], ids=tuple(graph.ids[i] for i in order), name=graph.name,
    )  # fmt: skip


def scaled(graph, weight):
    """The same graph with other weights."""
    return Graph(
        graph.adjacency * weight, features=graph.features, labels=graph.labels, ids=graph.ids,
        name=graph.name,
    )  # fmt: skip
