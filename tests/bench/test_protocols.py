"""A stranger's noisy bandit against ``--noise``: whole games, in turns, one line per learner."""

import time
import tomllib
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import graphol
from graphol.testing.flips import FlippedBits
from graphol.testing.games import OrderedTask, blocks, random_rows

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text())
pytestmark = pytest.mark.bench


class Unscripted(FlippedBits):
    """The same protocol as it had to be written before there were scripts."""

    script = None


@pytest.mark.parametrize("name", ["molg-b", "banditron", "confidit", "soba"])
def test_altered_bits_are_as_fast_as_noise(name, capsys):
    graph = blocks(300, K=4)
    order = np.random.default_rng(0).integers(0, 300, size=6000)
    rows = random_rows(300, 40)
    task = OrderedTask((graph,), name="long", features=rows, order=order)
    learner, bandit = graphol.make("learner", name), graphol.make("feedback", "bandit")

    def play(feedback, noise=0.0):
        start = time.process_time()
        run = graphol.play(task, learner, feedback, np.random.default_rng(1), noise=noise)
        return time.process_time() - start, run.trace.meta["compiled"]

    with threadpool_limits(1, "blas"):
        play(bandit), play(FlippedBits(0.1))  # compiled
        games = [(bandit, 0.1), (FlippedBits(0.1), 0.0)]
        times = np.array([[play(*game) for game in games] for _ in range(7)])
        plain, compiled = play(Unscripted(0.1))
    noise, scripted = times[:, :, 0].min(axis=0)
    assert times[:, :, 1].all() and not compiled
    floor, reason = FLOORS["scripted-bits"].values()
    with capsys.disabled():
        print(
            f"\n{name:9}  noise {1e6 * noise / 6000:6.2f} µs  script {1e6 * scripted / 6000:6.2f} "
            f"({noise / scripted:.2f} x, floor {floor:g})  without {1e6 * plain / 6000:6.1f} "
            f"({plain / scripted:.1f} x)",
            end="",
        )
    assert noise / scripted >= floor, reason
