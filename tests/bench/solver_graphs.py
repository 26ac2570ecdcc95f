"""The graphs on which solvers are compared, as Laplacians plus 1 on a hundredth of the nodes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, diags_array, kron, triu


def grid(*shape):
    """A rectangular grid in any dimension."""
    S = csr_array((1, 1), dtype=float)
    for k in shape:
        line = diags_array([1.0, 1.0], offsets=[-1, 1], shape=(k, k))
        S = kron(S, diags_array(np.ones(k))) + kron(diags_array(np.ones(S.shape[0])), line)
    return csr_array(S)


def weighted(S, decades, seed=0):
    """The same edges with weights 10^u, u uniform over so many decades."""
    half = triu(S, format="coo")
    u = np.random.default_rng(seed).uniform(-decades / 2, decades / 2, half.nnz)
    half = csr_array((10.0**u, (half.row, half.col)), shape=S.shape)
    return csr_array(half + half.T)


def barabasi_albert(n, m, seed=0):
    """Every new node is tied to m others, chosen in proportion to their degrees."""
    rng = np.random.default_rng(seed)
    ends = list(range(m))
    source, target = [], []
    for v in range(m, n):
        chosen = set()
        while len(chosen) < m:
            chosen.add(ends[rng.integers(len(ends))])
        source += [v] * m
        target += chosen
        ends += [v] * m
        ends += chosen
    return _joined(np.array(source), np.array(target), n)


def regular(n, d, seed=0):
    """d / 2 random permutations, loops and repeated edges left out: almost d-regular."""
    rng = np.random.default_rng(seed)
    source = np.tile(np.arange(n), d // 2)
    target = np.concatenate([rng.permutation(n) for _ in range(d // 2)])
    return _joined(source[source != target], target[source != target], n)


def stored(name):
    """The largest component of a graph in $GRAPHOL_DATA."""
    from graphol.formats import read_graph

    return (
        read_graph(Path(os.environ["GRAPHOL_DATA"]) / f"{name}.npz").largest_component().adjacency
    )


def _joined(source, target, n):
    S = csr_array((np.ones(len(source)), (source, target)), shape=(n, n))
    S = csr_array(S + S.T)
    S.data[:] = 1.0
    return S


GRAPHS = {
    "Cora": lambda: stored("cora"),
    "PubMed": lambda: stored("pubmed"),
    "grid 500 x 500": lambda: grid(500, 500),
    "same, weights over 6 decades": lambda: weighted(grid(500, 500), 6),
    "grid 40 x 40 x 40": lambda: grid(40, 40, 40),
    "Barabási-Albert 100k, m = 5": lambda: barabasi_albert(100_000, 5),
    "random 4-regular 50k": lambda: regular(50_000, 4),
    "WordNet": lambda: stored("wordnet30"),
    "condmat 2005": lambda: stored("condmat2005"),
}


def system(S):
    """A = L + I_S for a hundredth of the nodes; positive definite on every connected graph."""
    some = np.zeros(S.shape[0])
    chosen = np.random.default_rng(1).choice(S.shape[0], max(1, S.shape[0] // 100), replace=False)
    some[chosen] = 1.0
    return csr_array(diags_array(S.sum(axis=1) + some) - S)
