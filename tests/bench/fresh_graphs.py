"""Graphs on which nothing was tuned: other kinds, sizes and seeds than deep_graphs.py has."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import cKDTree

import graphol
from graphol import Graph

_DEEP = runpy.run_path(str(Path(__file__).with_name("deep_graphs.py")))
SEED = 2024


def drawn(source: np.ndarray, target: np.ndarray, n: int) -> Graph:
    """Every pair once, without loops."""
    W = coo_array((np.ones(len(source)), (source, target)), shape=(n, n)).tocsr()
    W = csr_array(W + W.T)
    W.setdiag(0)
    W.eliminate_zeros()
    W.data[:] = 1.0
    return Graph(W)


def oblong() -> Graph:
    """A grid of 200 x 450: eigenvalues of the two directions are mixed."""
    node = np.arange(200 * 450).reshape(200, 450)
    source = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
    target = np.concatenate([node[:, 1:].ravel(), node[1:].ravel()])
    return drawn(source, target, node.size)


def geometric(n: int = 60_000) -> Graph:
    """Random points, joined to the nearest ones by a spanning tree and a third of the other edges.

    Neighbours are the three nearest points, so it need not be planar, nor quite connected.
    """
    rng = np.random.default_rng(SEED)
    points = rng.random((n, 2))
    length, near = cKDTree(points).query(points, 4)
    source, target = np.repeat(np.arange(n), 3), near[:, 1:].ravel()
    whole = csr_array((length[:, 1:].ravel(), (source, target)), shape=(n, n))
    least = minimum_spanning_tree(whole.maximum(whole.T)).tocoo()
    extra = rng.random(len(source)) < 1 / 3
    return drawn(np.append(least.row, source[extra]), np.append(least.col, target[extra]), n)


def barabasi_albert(n: int = 30_000, m: int = 3) -> Graph:
    """Every node joins m earlier ones, drawn by their degrees."""
    rng = np.random.default_rng(SEED)
    ends = list(range(m))  # every node as often as it has neighbours
    source, target = [], []
    for node in range(m, n):
        chosen: set[int] = set()
        while len(chosen) < m:
            chosen.add(ends[int(rng.integers(len(ends)))])
        source += [node] * m
        target += sorted(chosen)
        ends += [node] * m + sorted(chosen)
    return drawn(np.array(source), np.array(target), n)


def small_world(n: int = 50_000, near: int = 3, rewired: float = 0.05) -> Graph:
    """A ring of 2 x 3 neighbours, of which some lead anywhere (Watts, Strogatz)."""
    rng = np.random.default_rng(SEED)
    source = np.repeat(np.arange(n), near)
    target = (source + np.tile(np.arange(1, near + 1), n)) % n
    anywhere = rng.random(len(source)) < rewired
    target[anywhere] = rng.integers(0, n, int(anywhere.sum()))
    return drawn(source, target, n)


def blocks(nodes: int = 45_000) -> Graph:
    """Seven classes, 6 neighbours inside and 4 outside."""
    recipe = f"sbm:classes=7,degree_in=6,degree_out=4,nodes={nodes}"
    task = graphol.make("dataset", recipe).load(np.random.default_rng(SEED))
    return task.graph.largest_component()


FRESH = {
    "fresh-path": (lambda: _DEEP["path"](70_000), 100),
    "fresh-tree": (lambda: _DEEP["tree"](55_000, SEED), 60),
    "fresh-grid": (oblong, 80),
    "fresh-road": (geometric, 100),
    "fresh-caveman": (lambda: _DEEP["caveman"](43_200, 12), 50),
    "fresh-sbm": (blocks, 7),
    "fresh-albert": (barabasi_albert, 20),
    "fresh-world": (small_world, 30),
}
"""Name, graph and d."""
