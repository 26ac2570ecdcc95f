"""Compiled streams against good numpy loops: same predictions, interleaved in one process.

The numpy loops keep W and the inverses incrementally, allocate little and know nothing of graphol's
objects: what a careful author would write. Run with ``tox -e bench``; the ratios are printed.
"""

import os
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest

import graphol
from graphol.api import Played

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text())
pytestmark = pytest.mark.bench


def numpy_gpa(X, y, K):
    W = np.zeros((K, X.shape[1]))
    predicted = np.empty(len(y), dtype=np.int32)
    for t in range(len(y)):
        x, label = X[t], y[t]
        f = W @ x
        guess = predicted[t] = f.argmax()
        if guess != label:
            W[label] += x
            W[guess] -= x
    return predicted


def numpy_molg_f(X, y, K, b=10.0, phi=10.0):
    d = X.shape[1]
    P, W = np.eye(d) / b, np.zeros((K, d))
    outer, step = np.empty((d, d)), np.empty((K, d))
    predicted = np.empty(len(y), dtype=np.int32)
    for t in range(len(y)):
        x, label = X[t], y[t]
        u = P @ x
        f = W @ x
        r = x @ u
        guess = predicted[t] = f.argmax()
        top = f[label]
        if guess == label:
            f[label] = -np.inf
            rival = f.argmax()
            f[label] = top
        else:
            rival = guess
        if guess != label or (top - f[rival]) * (1 - r) < phi * r / (2 * (1 - r)):
            np.multiply.outer(u, u, out=outer)
            P -= outer
            np.negative(f, out=f)
            f[label] += 1
            f[rival] -= 1
            np.multiply.outer(f, u, out=step)
            W += step
    return predicted


def numpy_molg_b(X, y, K, b=10.0, phi=10.0, exploration=0.05):
    d = X.shape[1]
    P, W = np.tile(np.eye(d) / b, (K, 1, 1)), np.zeros((K, d))
    flat = P.reshape(K * d, d)
    outer = np.empty((d, d))
    predicted = np.empty(len(y), dtype=np.int32)
    for t in range(len(y)):
        x = X[t]
        U = (flat @ x).reshape(K, d)
        r = np.einsum("kd,d->k", U, x)  # row by row, so that exact ties stay ties
        f = W @ x
        s = r / (2 * (1 - r))
        h = f * (1 - r)
        k = predicted[t] = (h + exploration * np.sqrt(s)).argmax()
        right = k == y[t]
        if not right or h[k] < phi * s[k]:
            u = U[k]
            np.multiply.outer(u, u, out=outer)
            P[k] -= outer
            W[k] += ((1.0 if right else -1.0) - f[k]) * u
    return predicted


NUMPY = {"gpa": numpy_gpa, "molg-f": numpy_molg_f, "molg-b": numpy_molg_b}


def rows_and_labels(dataset, dim):
    if dataset != "digits" and "GRAPHOL_DATA" not in os.environ:
        pytest.skip(f"{dataset} is not here: set GRAPHOL_DATA")
    rng = np.random.default_rng(0)
    task = graphol.make("dataset", dataset).load(rng)
    embedding = graphol.make("embedding", f"spectral:dim={dim}")
    stream = task.embedded(lambda graph: embedding.embed(graph, rng)).stream(rng)
    return stream.rows, stream.row, stream.truth, task.graph.n_classes


def interleaved(ours, theirs, times):
    """Best of several runs of each, taken in turns so that both see the same machine."""
    best = [np.inf, np.inf]
    for _ in range(times):
        for i, run in enumerate((ours, theirs)):
            start = time.perf_counter()
            run()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


@pytest.mark.parametrize("name", FLOORS)
def test_ratio(name, capsys):
    learner_name, dataset, dim = name.rsplit("-", 2)
    X, row, y, K = rows_and_labels(dataset, int(dim))
    learner = graphol.make("learner", learner_name)
    T = len(y)
    everything = np.ones(T, dtype=bool)
    out = Played(np.zeros(T, np.int32), np.zeros(T, np.int32), np.ones(T, bool))

    def ours():
        problem = graphol.Problem("classes", K, dim=X.shape[1], rng=np.random.default_rng(0))
        learner.stream(learner.start(problem), X, row, y, everything, 0, out)

    shuffled = X[row]
    ours()
    np.testing.assert_array_equal(out.predicted, NUMPY[learner_name](shuffled, y, K))
    fast, slow = interleaved(ours, lambda: NUMPY[learner_name](shuffled, y, K), times=15)
    with capsys.disabled():
        print(
            f"\n{name}: {1e6 * fast / T:.2f} µs per round, good numpy {1e6 * slow / T:.2f}: "
            f"{slow / fast:.1f} x faster (floor {FLOORS[name]['floor']})"
        )
    assert slow / fast >= FLOORS[name]["floor"], FLOORS[name]["reason"]
