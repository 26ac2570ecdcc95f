"""Walk on block models of growing size and on real graphs: what a round costs.

A block model has no locality: neighbours of a node are anywhere. Whatever a push does, it waits for
memory at every visit once the graph is larger than the caches. So its stream is held against a bare
loop that makes the same visits in the same order, both timed in turns, at ten places of one game.
"""

import functools
import os
import time
from typing import NamedTuple

import numpy as np
import pytest
from scipy.sparse import coo_array

import graphol
from graphol.api import Played, Stretch
from graphol.bases.pushes import HEAD, spread
from graphol.bases.walks import learn
from graphol.compiled import compiled

K, ROUNDS, PLACES, TIMES = 5, 1000, 10, 3
"""Classes; rounds that are timed at a place of the game; such places; how often each is timed."""
MOST = {"cora": 25, "pubmed": 60}
"""Microseconds of processor time a round; 16 and 19 were measured beside other work."""


def block_model(n, seed=0):
    """About ten neighbours each, of which seven are drawn from the own class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=n)
    order = np.argsort(y, kind="stable")
    start = np.searchsorted(y[order], np.arange(K + 1))
    i = rng.integers(n, size=5 * n)
    size = start[y[i] + 1] - start[y[i]]
    own = order[start[y[i]] + (rng.random(len(i)) * size).astype(np.int64)]
    j = np.where(rng.random(len(i)) < 0.7, own, rng.integers(n, size=len(i)))
    i, j = i[i != j], j[i != j]
    S = coo_array((np.ones(len(i)), (i, j)), (n, n)).tocsr()
    S = S + S.T
    S.data[:] = 1.0
    return graphol.Graph(S), y


def logged(web, z, F, r, counts, plays, nodes, labels, queue, log):
    """Tell these labels; all nodes that are pushed go into the log. How many, and the visits."""
    pushed, visits = 0, 0
    for t in range(len(nodes)):
        _, waiting = learn(web, z, F, r, counts, plays, nodes[t], 0, labels[t], False, queue)
        visits += spread(web, z, F, r, queue, waiting)
        e = 0
        while queue[e] >= 0 and pushed < len(log):  # the queue still holds who waited
            log[pushed] = queue[e]
            queue[e] = -1
            pushed += 1
            e += 1
    return pushed, visits


def bare(web, r, log):
    """Visit the same neighbours in the same order, and add one number each."""
    indptr, indices, weight = web.indptr, web.indices, web.weight
    for e in range(len(log)):
        for a in range(indptr[log[e]], indptr[log[e] + 1]):
            r[indices[a], HEAD] += weight[a]


class Cost(NamedTuple):
    """Of a round, in the mean over a whole game."""

    ours: float  # microseconds
    loop: float
    visits: float

    def __str__(self):
        us, ns = f"{self.ours:.1f} µs a round", 1e3 * self.ours / self.visits
        least = f"a bare loop {self.loop:.1f}, {self.ours / self.loop:.2f} x"
        return f"{us}, {self.visits:.0f} visits, {ns:.1f} ns each; {least}"


def seconds(run, *arguments):
    begin = time.thread_time()
    run(*arguments)
    return time.thread_time() - begin


def restore(arrays, before):
    for array, old in zip(arrays, before, strict=True):
        array[:] = old


@functools.cache
def cost(n):
    """What a round of a game of n nodes costs."""
    graph, y = block_model(n)
    learner = graphol.make("learner", "walk")
    problem = graphol.Problem("classes", K, dim=0, rng=np.random.default_rng(0), graph=graph)
    state = learner.start(problem)
    web, arrays = state.system.web, (state.z, state.F, state.r, state.counts, state.plays)
    nodes = np.random.default_rng(1).permutation(n)
    out = Played(np.zeros(n, np.int32), np.zeros(n, np.int32), np.ones(n, bool), np.ones(n, bool))

    def play(lo, hi):
        row, part = np.arange(hi - lo), (column[lo:hi] for column in out)
        told, answered = y[nodes[lo:hi]], np.ones(hi - lo, bool)
        stretch = Stretch(np.zeros((0, 0)), row, nodes[lo:hi], row, told, answered, first=lo)
        learner.stream(state, stretch, Played(*part))

    write, loop = compiled(logged, "bench-walk"), compiled(bare, "bench-bare")
    queue, log = np.full(n, -1, np.int32), np.zeros(5000 * ROUNDS, np.int32)
    play(0, 0)
    loop(web, state.r, log[:0])
    ours, least, all_visits = 0.0, 0.0, 0
    for place in range(PLACES):
        at = place * (n // PLACES)
        before = [array.copy() for array in arrays]
        told = nodes[at : at + ROUNDS]
        pushed, visits = write(web, *arrays, told, y[told], queue, log)
        assert pushed < len(log), "the log is too short"
        best = [np.inf, np.inf]
        for _ in range(TIMES):
            restore(arrays, before)
            best[1] = min(best[1], seconds(loop, web, state.r, log[:pushed]))
            restore(arrays, before)
            best[0] = min(best[0], seconds(play, at, at + ROUNDS))
        ours, least, all_visits = ours + best[0], least + best[1], all_visits + visits
        play(at + ROUNDS, at + n // PLACES)
    rounds = ROUNDS * PLACES
    return Cost(1e6 * ours / rounds, 1e6 * least / rounds, all_visits / rounds)


def assert_flat(n, capsys):
    small, large = cost(10_000), cost(n)
    with capsys.disabled():
        print(f"\nwalk, {10_000:8} nodes: {small}")
        print(f"walk, {n:8} nodes: {large}; {large.ours / small.ours:.1f} x that of 10000", end="")
    assert large.ours <= 3 * small.ours or large.ours <= 1.5 * large.loop


@pytest.mark.bench
def test_time_grows_no_more_than_memory_makes_it(capsys):
    assert_flat(100_000, capsys)


@pytest.mark.once
def test_time_grows_no_more_than_memory_makes_it_up_to_a_million(capsys):
    assert_flat(1_000_000, capsys)


@pytest.mark.bench
@pytest.mark.data
@pytest.mark.parametrize("dataset", MOST)
def test_microseconds_a_round(dataset, capsys):
    if "GRAPHOL_DATA" not in os.environ:
        pytest.skip(f"{dataset} is not here: set GRAPHOL_DATA")
    task = graphol.make("dataset", dataset).load(np.random.default_rng(0))
    feedback = graphol.make("feedback", "full")
    learner, took = graphol.make("learner", "walk"), []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        took.append(seconds(graphol.play, task, learner, feedback, rng))
    us = 1e6 * min(took) / task.graph.n
    with capsys.disabled():
        print(f"\nwalk, {dataset}: {us:.1f} µs a round, of {MOST[dataset]}", end="")
    assert us <= MOST[dataset]
