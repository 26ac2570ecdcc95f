"""Compiled streams against good numpy, textbook numpy and the machine; one line per case.

All are timed in one process, in turns, best of several. BLAS is held to one thread for everybody
and time is the thread's own processor time, so that a busy machine blurs the ratios less. Run with
``tox -e bench``; without $GRAPHOL_DATA only the rows on digits run.
"""

import functools
import os
import runpy
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg  # noqa: F401, so that the BLAS that numba calls is there to be limited
from threadpoolctl import threadpool_limits

import graphol
from graphol.api import Played, Stretch
from graphol.bases import FirstOrder
from graphol.bases.draws import uniform
from graphol.registry import registry
from graphol.testing.reference import twin_of

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text())
LOOPS = runpy.run_path(str(Path(__file__).parent / "numpy_loops.py"))
ROUNDS = {100: 2400, 500: 960}
LEARNERS = [name for name in registry().offers("learner") if name.replace("-", "_") in LOOPS]
CASES = [
    *(f"{learner}-digits-100" for learner in ("gpa", "molg-f", "molg-b")),
    *(f"{learner}-{data}-{d}" for data in ("cora", "pubmed") for d in (100, 500)
      for learner in LEARNERS if (learner, data, d) != ("soba", "cora", 500)),
]  # fmt: skip
pytestmark = pytest.mark.bench


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    with threadpool_limits(1, "blas"):
        yield


@functools.cache
def rows_and_labels(dataset, d, folder):
    """Spectral rows; PubMed's own 500 word columns at d = 500, and Cora's 500 kept between runs."""
    rng = np.random.default_rng(0)
    task = graphol.make("dataset", dataset).load(rng)
    words = dataset == "pubmed" and d == 500
    embedding = graphol.make("embedding", "features" if words else f"spectral:dim={d}")
    kept = folder / f"{dataset}-{task.graph.hash[:12]}-{d}.npy"
    if kept.exists():
        X = np.load(kept)
    else:
        X = embedding.embed(task.graph, rng).rows
        if d == 500 and not words:
            np.save(kept, X)
    order = np.random.default_rng(0).permutation(task.graph.n)[: ROUNDS[d]]
    X = np.ascontiguousarray(X[order])
    X.setflags(write=False)
    return X, task.graph.labels[order].astype(np.int64), task.graph.n_classes


def best_of(times, *runs):
    """Best of several runs of each, taken in turns so that all see the same machine."""
    best = [np.inf] * len(runs)
    for _ in range(times):
        for i, run in enumerate(runs):
            start = time.thread_time()
            run()
            best[i] = min(best[i], time.thread_time() - start)
    return best


@functools.cache
def machine():
    """Flops per second of a matrix product, bytes per second read from memory."""
    A, long = np.ones((600, 600)), np.ones(4_000_000)
    product, read = best_of(7, lambda: A @ A, lambda: long @ long)
    return 2 * 600**3 / product, 2 * long.nbytes / read / 2


def limit(learner, T, d, K, out):
    """Seconds for work that cannot be avoided, at the machine's full speed.

    x'A⁻¹x is d² flops where A⁻¹ is symmetric, A⁻¹x is 2 d², a rank-one down-date of one half d²;
    a bandit needs the leverage of at least the class it plays; every row is read once.
    """
    updates, models = np.count_nonzero(out.updates), int(out.updates.sum())
    flops = 2.0 * K * d * T
    if learner in ("msg", "molg-f", "molg-b", "oslg-bandit", "confidit"):
        flops += d**2 * (T + 2 * updates)
    elif learner == "sslgc":
        flops += d**2 * (K * T + 2 * models)
    elif learner in ("oslg", "ollgc"):
        flops += 3 * d**2 * (updates if learner == "oslg" else models)
    elif learner == "soba":
        flops += updates * (4 * K * d**2 + (K * d) ** 2)
    speed, bandwidth = machine()
    return max(flops / speed, 8 * d * T / bandwidth)


@pytest.mark.parametrize("case", CASES)
def test_ratio(case, capsys, request):
    name, dataset, dim = case.rsplit("-", 2)
    if dataset != "digits" and "GRAPHOL_DATA" not in os.environ:
        pytest.skip(f"{dataset} is not here: set GRAPHOL_DATA")
    X, y, K = rows_and_labels(dataset, int(dim), request.config.cache.mkdir("graphol-rows"))
    learner = graphol.make("learner", name)
    if isinstance(learner, FirstOrder):  # so fast that entering compiled code would count
        X, y = np.tile(X, (8, 1)), np.tile(y, 8)
    T, d = X.shape
    out = Played(np.zeros(T, np.int32), np.zeros(T, np.int32), np.ones(T, bool))
    row, nothing = np.arange(T), np.full(T, -1)
    whole = Stretch(X, row, row, nothing, y, np.ones(T, bool), first=0)

    def start():
        problem = graphol.Problem("classes", K, dim=d, rng=np.random.default_rng(0))
        return learner.start(problem)

    def ours():
        learner.stream(states.pop(), whole, out)

    seed = getattr(start(), "seed", None)
    draws = np.array([uniform(seed or 0, t) for t in range(T)])

    def numpy_():
        return LOOPS[name.replace("-", "_")](X, y, K, draws)

    times = 6 if d < 500 else 2
    states = [start() for _ in range(times + 1)]  # not timed
    ours()
    said = out.predicted.copy()
    fast, good = best_of(times, ours, numpy_)
    assert np.mean(said != numpy_()) < 0.02  # numpy may break exact ties by rounding
    few = 40 if d < 500 else 12
    (textbook,) = best_of(1, lambda: twin_of(learner, seed)(X[:few], y[:few], K))
    floor, reason = FLOORS.get(case, FLOORS["default"]).values()
    us = [1e6 * fast / T, 1e6 * good / T, 1e6 * textbook / few]
    bound = 1e6 * limit(name, T, d, K, out) / T
    with capsys.disabled():
        print(
            f"\n{name:11} {dataset:6} d={d:3}  ours {us[0]:7.2f} µs  "
            f"good numpy {us[1]:7.1f} ({us[1] / us[0]:4.1f} x, floor {floor:g})  "
            f"textbook {us[2]:8.0f} ({us[2] / us[0]:4.0f} x)  limit {bound:6.2f}",
            end="",
        )
    assert us[1] / us[0] >= floor, reason
