"""Matrix winnow in its kernel form: against the dense algorithm, and how a prediction grows.

Labels are drawn at random, so that every other round is a mistake: 2000 of them in some 4000
rounds. Times are of the thread's own processor, since a machine with other work to do counts that
too.
"""

import time
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import graphol
from graphol.api import Reveal
from graphol.testing.winnow_reference import DenseWinnow, kernel

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text())
MISTAKES = 2000
pytestmark = pytest.mark.bench


class Round(NamedTuple):
    mistakes: int
    """Before this round."""
    after: bool
    """Was the round before it a mistake?"""
    wrong: bool
    predict: float
    update: float
    """Milliseconds."""
    steps: int


def played(task, learner, mistakes):
    """Random labels until there are so many mistakes; what every round took."""
    rng = np.random.default_rng(0)
    state = learner.start(task.problem(np.random.default_rng(0)))
    stream, rounds = task.stream(np.random.default_rng(1)), []
    while (M := int(state.mistakes[0])) < mistakes:
        asked = stream.instance(len(rounds))
        y = int(rng.choice([-1, 1]))
        times = [time.thread_time()]
        said = learner.predict(state, asked)
        times.append(time.thread_time())
        found = state.game.memo.recall(state.pairs.c, asked)
        learner.update(state, asked, said, Reveal(label=y))
        times.append(time.thread_time())
        took = 1e3 * np.diff(times)
        after = bool(rounds) and rounds[-1].wrong
        rounds.append(Round(M, after, said.label != y, *took, len(found.alpha)))
    return rounds


def mean(rounds, what, **having):
    chosen = [
        getattr(r, what) for r in rounds if all(getattr(r, k) == v for k, v in having.items())
    ]
    return float(np.mean(chosen))


@pytest.mark.parametrize(
    "dataset", [
        "switching-grid:T=6000",
        "switching-sbm:T=6000",
        pytest.param("switching:of=cora,T=6000", marks=pytest.mark.data),
        "multitask-sbm:T=6000,tasks=200",
    ],
)  # fmt: skip
def test_growth(dataset, capsys):
    """Milliseconds of a prediction with about 500 and with about 2000 mistakes."""
    task = graphol.make("dataset", dataset).load(np.random.default_rng(0))
    embed = graphol.make("embedding", "kernel").embed
    task = task.embedded(lambda graph: embed(graph, np.random.default_rng(0)))
    learner = graphol.make("learner", "matrix-winnow")
    played(task, learner, 20)  # compiled before the clock starts
    rounds = played(task, learner, MISTAKES)
    few = [r for r in rounds if 400 <= r.mistakes < 600]
    many = [r for r in rounds if r.mistakes >= MISTAKES - 200]
    growth = mean(many, "predict") / mean(few, "predict")
    more = (
        mean(rounds, "update", wrong=True) - mean(rounds, "update", wrong=False)
        + mean(many, "predict", after=True) - mean(many, "predict", after=False)
    )  # fmt: skip
    with capsys.disabled():
        print(
            f"\nmatrix-winnow {dataset}: a prediction {mean(few, 'predict'):.2f} ms at 500"
            f" mistakes, {mean(many, 'predict'):.2f} ms at {MISTAKES} ({growth:.1f} x);"
            f" Lanczos steps {mean(rounds, 'steps'):.1f}, at the end {mean(many, 'steps'):.1f},"
            f" largest {max(r.steps for r in rounds)}; a mistake {more:.2f} ms more",
            end="",
        )
    most, reason = FLOORS["winnow-growth"].values()
    assert growth <= most, reason


def test_against_dense(capsys):
    """The algorithm as printed exponentiates a matrix of size n + p in every round."""
    rounds = 128
    task = graphol.make("dataset", f"switching-grid:rows=8,cols=8,T={rounds},S=6").load(
        np.random.default_rng(0)
    )
    embed = graphol.make("embedding", "kernel:solver=splu").embed
    task = task.embedded(lambda graph: embed(graph, np.random.default_rng(0)))
    learner = graphol.make("learner", "matrix-winnow")
    G, H = (
        kernel(L) for L in (task.graph.laplacian("combinatorial").toarray(), tree_laplacian(rounds))
    )
    stream, times, said = task.stream(np.random.default_rng(1)), {}, {}
    played(task, learner, 20)
    for form in ("kernel", "dense"):
        state = learner.start(task.problem(np.random.default_rng(0)))
        dense = DenseWinnow(G, H, eta=8.0, tau=30.0)
        begin, said[form] = time.thread_time(), []
        for t, y in enumerate(stream.truth.tolist()):
            asked = stream.instance(t)
            if form == "kernel":
                prediction = learner.predict(state, asked)
                learner.update(state, asked, prediction, Reveal(label=y))
            else:
                leaf = asked.context + rounds - 1
                prediction = dense.predict(asked.node, leaf)
                if prediction.label != y:
                    dense.learn(asked.node, leaf, y)
            said[form].append(prediction.label)
        times[form] = 1e3 * (time.thread_time() - begin) / rounds
    ratio = times["dense"] / times["kernel"]
    with capsys.disabled():
        print(
            f"\nmatrix-winnow 8 x 8, {rounds} rounds: {times['kernel']:.2f} ms a round, dense "
            f"{times['dense']:.1f} ({ratio:.0f} x)",
            end="",
        )
    assert said["kernel"] == said["dense"]
    assert ratio >= FLOORS["winnow-dense"]["floor"], FLOORS["winnow-dense"]["reason"]


def tree_laplacian(leaves):
    """Vertices as in a heap: leaf j is vertex leaves - 1 + j."""
    p = 2 * leaves - 1
    L = np.zeros((p, p))
    for v in range(1, p):
        above = (v - 1) // 2
        L[[v, above], [v, above]] += 1
        L[[v, above], [above, v]] -= 1
    return L
