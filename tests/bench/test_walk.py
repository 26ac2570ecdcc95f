"""Walk on block models of growing size: what a visit costs, beside a bare loop over the same ones.

A block model has no locality: neighbours of a node are anywhere. Whatever a push does, it waits for
memory at every visit once the graph is larger than the caches, and so does the bare loop.
"""

import time

import numpy as np
import pytest
from scipy.sparse import coo_array

import graphol
from graphol.bases.pushes import HEAD, spread
from graphol.bases.walks import learn
from graphol.compiled import compiled

K, ROUNDS = 5, 2000


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


def rounds(web, z, F, r, counts, plays, nodes, labels, queue, log):
    """Labels of these nodes; how many nodes were pushed and visited, the pushed ones in the log."""
    pushed, visits = 0, 0
    for t in range(len(nodes)):
        _, waiting = learn(web, z, F, r, counts, plays, nodes[t], 0, labels[t], False, queue)
        visits += spread(web, z, F, r, queue, waiting)
        e = 0
        while len(log) > 0 and queue[e] >= 0:  # the queue still holds who waited
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


def measured(n):
    """Nanoseconds per visit: of walk, and of the bare loop."""
    graph, y = block_model(n)
    learner, problem = (
        graphol.make("learner", "walk"),
        graphol.Problem("classes", K, dim=0, rng=np.random.default_rng(0), graph=graph),
    )
    nodes = np.random.default_rng(1).permutation(n)[:ROUNDS]
    ours, loop = compiled(rounds, "bench-walk"), compiled(bare, "bench-bare")
    best, nothing = [np.inf, np.inf], np.zeros(0, np.int32)
    log = np.zeros(4000 * ROUNDS, np.int32)
    for attempt in range(4):
        state = learner.start(problem)
        web, *arrays = state.system.web, state.z, state.F, state.r, state.counts, state.plays
        queue = np.full(n, -1, np.int32)
        for array in arrays:
            array += 0  # every page of it is there
        begin = time.process_time()
        pushed, visits = ours(web, *arrays, nodes, y[nodes], queue, nothing if attempt else log)
        took = time.process_time() - begin
        if attempt == 0:
            log = log[:pushed]
            loop(web, state.r, log[:0])
            continue
        begin = time.process_time()
        loop(web, state.r, log)
        best = [min(best[0], took), min(best[1], time.process_time() - begin)]
    return [1e9 * seconds / visits for seconds in best]


@pytest.mark.bench
@pytest.mark.parametrize("n", [1_000_000])
def test_time_grows_no_more_than_memory_makes_it(n, capsys):
    small, _ = measured(10_000)
    large, least = measured(n)
    with capsys.disabled():
        print(
            f"\nwalk: {small:.1f} ns a visit with 10000 nodes, {large:.1f} with {n}, "
            f"{large / small:.1f} x; a bare loop {least:.1f}, {large / least:.2f} x",
            end="",
        )
    assert large <= 3 * small or large <= 1.5 * least
