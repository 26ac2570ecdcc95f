"""The pool against its experts, played one after the other: whole games, timed in turns.

An expert that learns from labels alone plays with labels. The starter is the pool's own expense.
"""

import os
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import graphol

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text())
BLOCKS = "sbm"
TIMES = 2


def embedded(dataset):
    if dataset != BLOCKS and "GRAPHOL_DATA" not in os.environ:
        pytest.skip(f"{dataset} is not here: set GRAPHOL_DATA")
    task = graphol.make("dataset", dataset).load(np.random.default_rng(0))
    embedding = graphol.make("embedding", "spectral")
    return task.embedded(lambda graph: embedding.embed(graph, np.random.default_rng(0)))


def protocol(learner, feedback):
    """The protocol, or labels for who does not learn from its answers."""
    made = graphol.make("feedback", feedback)
    return made if made.reveals in learner.learns_from else graphol.make("feedback", "full")


@pytest.mark.bench
@pytest.mark.data
@pytest.mark.parametrize("dataset", ["cora", BLOCKS])
@pytest.mark.parametrize(("pool", "feedback"), [("pool", "full"), ("pool-b", "bandit")])
def test_at_most_twice_its_experts(pool, feedback, dataset, capsys):
    task, whole = embedded(dataset), graphol.make("learner", pool)

    def seconds(learner):
        start = time.process_time()
        graphol.play(task, learner, protocol(learner, feedback), np.random.default_rng(1))
        return time.process_time() - start

    with threadpool_limits(1, "blas"):
        for each in (whole, *whole.experts):
            seconds(each)  # compiled
        took = np.array([[seconds(x) for x in (whole, *whole.experts)] for _ in range(TIMES)])
    us = 1e6 * took.min(axis=0) / task.graph.n
    ratio, (most, reason) = us[0] / us[1:].sum(), FLOORS["pool-experts"].values()
    with capsys.disabled():
        alone = ", ".join(
            f"{x.name} {one:.0f}" for x, one in zip(whole.experts, us[1:], strict=True)
        )
        print(
            f"\n{pool}, {dataset}, {feedback}: {us[0]:.0f} µs a round, its experts "
            f"{us[1:].sum():.0f} ({alone}); {ratio:.2f} x of {most:g}",
            end="",
        )
    assert ratio <= most, reason
