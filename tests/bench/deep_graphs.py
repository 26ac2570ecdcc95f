"""Graphs that are long and easy to cut: cheap to factorise, hopeless for plain iterations."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import Delaunay

from graphol import Graph


def path(n: int) -> Graph:
    """One node after another."""
    return Graph.from_edges(range(n - 1), range(1, n))


def tree(n: int, seed: int = 0) -> Graph:
    """Uniform among all labelled trees (Prüfer); some sqrt(n) deep."""
    code = np.random.default_rng(seed).integers(0, n, n - 2)
    left = np.bincount(code, minlength=n) + 1  # neighbours still to come
    source, target = [], []
    node = leaf = int(np.argmax(left == 1))
    for other in code.tolist():
        source.append(leaf)
        target.append(other)
        left[other] -= 1
        if left[other] == 1 and other < node:
            leaf = other
        else:
            node += 1 + int(np.argmax(left[node + 1 :] == 1))
            leaf = node
    return Graph.from_edges([*source, leaf], [*target, n - 1])


def shallow_tree(n: int, seed: int = 0) -> Graph:
    """Every node hangs on a random earlier one; log(n) deep, but as easy to cut."""
    parents = np.random.default_rng(seed).integers(0, np.arange(1, n))
    return Graph.from_edges(range(1, n), parents.tolist())


def grid(n: int) -> Graph:
    """A square of n nodes."""
    side = round(n**0.5)
    node = np.arange(side * side).reshape(side, side)
    source = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
    target = np.concatenate([node[:, 1:].ravel(), node[1:].ravel()])
    return Graph.from_edges(source.tolist(), target.tolist())


def road(n: int, seed: int = 0) -> Graph:
    """Random points, their shortest spanning tree and a fifth of the other Delaunay edges.

    Planar, 2.8 neighbours on average, as road networks have.
    """
    rng = np.random.default_rng(seed)
    points = rng.random((n, 2))
    corners = Delaunay(points).simplices
    pairs = np.sort(np.vstack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]]), axis=1)
    i, j = np.unique(pairs, axis=0).T
    length = np.linalg.norm(points[i] - points[j], axis=1)
    least = minimum_spanning_tree(csr_array((length, (i, j)), shape=(n, n))).tocoo()
    extra = rng.random(len(i)) < 0.2
    W = csr_array((np.ones(n - 1), (least.row, least.col)), shape=(n, n))
    W = W + csr_array((np.ones(int(extra.sum())), (i[extra], j[extra])), shape=(n, n))
    W = csr_array(W + W.T)
    W.data[:] = 1.0
    return Graph(W)


def caveman(n: int, clique: int = 10) -> Graph:
    """A ring of cliques, one edge of each turned to the next: eigenvalues in pairs."""
    first = np.arange(0, n, clique)
    a, b = np.triu_indices(clique, 1)
    a, b = a[1:], b[1:]  # all but 0-1
    source = np.append((first[:, None] + a).ravel(), first)
    target = np.append((first[:, None] + b).ravel(), (first - 1) % n)
    return Graph.from_edges(source.tolist(), target.tolist())


DEEP = {
    "path": path, "tree": tree, "shallow-tree": shallow_tree, "grid": grid, "road": road,
    "caveman": caveman,
}  # fmt: skip
