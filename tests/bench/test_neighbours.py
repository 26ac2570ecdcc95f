"""Streams of learners from neighbours against their plain rounds: in turns, one line per case.

Plain rounds are good numpy, all neighbours of a node at once; so they lose least where nodes have
many neighbours, as in the blocks (280 each).
"""

import os
import tomllib
from pathlib import Path

import numpy as np
import pytest

import graphol
from graphol.testing.games import blocks, node_game

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text())
NAMES = ("neighbour-bayes", "neighbour-histogram", "neighbour-logistic")
pytestmark = pytest.mark.bench


def game(dataset):
    if dataset == "blocks":  # which every machine has
        return node_game(graph=blocks(2000, K=5, seed=1))
    if "GRAPHOL_DATA" not in os.environ:
        pytest.skip(f"{dataset} is not here: set GRAPHOL_DATA")
    return graphol.make("dataset", dataset).load(np.random.default_rng(0))


@pytest.mark.parametrize("protocol", ["full", "bandit"])
@pytest.mark.parametrize("dataset", ["blocks", "cora", "pubmed"])
@pytest.mark.parametrize("name", NAMES)
def test_streams_are_faster_than_plain_rounds(name, dataset, protocol, capsys):
    task, learner = game(dataset), graphol.make("learner", name)
    feedback = graphol.make("feedback", protocol)
    rounds = min(2000, len(task.stream(np.random.default_rng(1))))

    def play(compiled, keep=()):
        rng = np.random.default_rng(1)
        run = graphol.play(
            task, learner, feedback, rng, rounds=rounds, compiled=compiled, keep=keep
        )
        return 1e-3 * run.trace.meta["elapsed_ns"] / rounds

    play(True)  # compiled
    ways = [(True,), (True, ("scores",)), (False,)]
    times = np.array([[play(*way) for way in ways] for _ in range(5)])
    ours, keeping, plain = times.min(axis=0)
    floor, reason = FLOORS["neighbours-many" if dataset == "blocks" else "neighbours-few"].values()
    with capsys.disabled():
        print(
            f"\n{name:19} {dataset:6} {protocol:6}  stream {ours:5.2f} µs, with scores "
            f"{keeping:5.2f}  plain {plain:6.1f} ({plain / ours:.0f} x, floor {floor:g})",
            end="",
        )
    assert plain / ours >= floor, reason
