"""Who decided a label, against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest

import graphol
from graphol.api import Given
from graphol.explaining import explain
from graphol.tasks import NodeTask


@pytest.fixture
def task():
    rng = np.random.default_rng(3)
    A = np.triu(rng.random((12, 12)) < 0.35, 1) * rng.random((12, 12))
    A[:, 11] = A[11, :] = 0
    graph = graphol.Graph(A + A.T, labels=np.arange(12) % 3, label_names=["x", "y", "z"],
                          ids=[f"n{i}" for i in range(12)])  # fmt: skip
    return NodeTask((graph,), "toy")


def test_shares_are_those_of_the_inverse(task):
    """F_v = sum over seeds of Z_vs y_s, with Z the seeds' columns of (nu L + I_S)^-1."""
    nodes = np.array([0, 1, 2, 3, 4, 7])
    given = Given(nodes, task.graph.labels[nodes])
    learner = graphol.make("learner", "label-propagation:noise=0.1,prior=none")
    found = explain(task, learner, 7, given)
    seeds = [0, 1, 2, 3, 4]  # not its own
    L = task.graph.laplacian().toarray()
    M = 0.1 * L
    M[seeds, seeds] += 1
    Z = np.linalg.pinv(M)[7, seeds]
    order = [i for i in np.argsort(-Z) if abs(Z[i]) > 1e-9]  # who is within reach
    assert [row["node"] for row in found.influences] == [f"n{seeds[i]}" for i in order]
    np.testing.assert_allclose([row["amount"] for row in found.influences], Z[order], atol=1e-9)
    np.testing.assert_allclose(sum(row["share"] for row in found.influences), 1)
    F = [sum(Z[i] for i, s in enumerate(seeds) if s % 3 == k) for k in range(3)]
    assert found.label == "xyz"[int(np.argmax(F))] and found.known and found.labels == 5


def test_a_node_out_of_reach_is_a_guess(task):
    given = Given(np.array([0, 1]), np.array([0, 1]))
    found = explain(task, graphol.make("learner", "label-propagation"), 11, given)
    assert not found.known and all(row["amount"] == 0 for row in found.influences)


def test_refused(task):
    with pytest.raises(graphol.UsageError, match="molg-f cannot tell which labels decide"):
        explain(task, graphol.make("learner", "molg-f"), 0, Given(np.array([1]), np.array([1])))
    learner = graphol.make("learner", "label-propagation")
    with pytest.raises(graphol.UsageError, match="no label beside that of 'n1' is known"):
        explain(task, learner, 1, Given(np.array([1]), np.array([1])))


@pytest.mark.parametrize("prior", ["none", "uniform"])
@pytest.mark.parametrize("who", ["label-propagation", "multi-mrf", "robust-lp", "dongle"])
def test_what_is_said_follows_from_the_shares_or_the_rest_is_told(task, who, prior):
    """Amounts are balanced as scores are; through features labels add more than their shares."""
    rng = np.random.default_rng(0)
    graph = task.graph.featured((rng.random((12, 4)) < 0.5) * rng.random((12, 4)))
    featured, learner = NodeTask((graph,), "toy"), graphol.make("learner", f"{who}:prior={prior}")
    nodes = np.array([0, 1, 2, 3, 4, 5, 6, 9])
    for node in range(12):
        found = explain(featured, learner, node, Given(nodes, task.graph.labels[nodes]))
        sums = dict.fromkeys("xyz", 0.0)
        for row in found.influences:
            assert row["amount"] > 0
            sums[row["label"]] += row["amount"]
        if who == "dongle":
            assert 0 <= found.accounted < 1
        elif found.known:
            assert found.label == max(sums, key=sums.get)
            np.testing.assert_allclose(found.accounted, 1, rtol=1e-6)
        else:
            assert found.accounted is None and not found.influences
