"""Graphs of 1 to 2000 components, drawn and real, on which embeddings are held against another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_diag, coo_array, csr_array

from graphol import Graph
from graphol.arena import Arena

Labels = NDArray[np.int64]
Part = tuple[csr_array, Labels]


def named(spec: str, seed: int = 0) -> Graph:
    """A data set, all its components."""
    graph: Graph = Arena(spec, seed).loaded.graph
    return graph


def joined(name: str, parts: Sequence[Part]) -> Graph:
    """One graph of all parts."""
    adjacency = block_diag([S for S, _ in parts], format="csr")
    return Graph(adjacency, labels=np.concatenate([y for _, y in parts]), name=name)


def part(graph: Graph) -> Part:
    """A graph as a part of another."""
    assert graph.labels is not None
    return graph.adjacency, graph.labels


def tree(n: int, rng: np.random.Generator) -> csr_array:
    """A random recursive tree of n nodes; one node without an edge for n = 1."""
    child = np.arange(1, n)
    parent = np.array([rng.integers(i) for i in child], dtype=np.int64)
    upper = coo_array((np.ones(n - 1), (parent, child)), shape=(n, n)).tocsr()
    return csr_array(upper + upper.T)


def path(n: int) -> csr_array:
    """A path."""
    upper = coo_array((np.ones(n - 1), (np.arange(n - 1), np.arange(1, n))), shape=(n, n)).tocsr()
    return csr_array(upper + upper.T)


def mostly(k: int, n: int, classes: int, purity: float, rng: np.random.Generator) -> Labels:
    """n labels, k but for some."""
    return np.where(rng.random(n) < purity, k, rng.integers(classes, size=n))


def pieces(count: int, classes: int, rng: np.random.Generator) -> list[Part]:
    """Small trees of 1 to 6 nodes, each of one class."""
    sizes = rng.integers(1, 7, size=count)
    return [(tree(s, rng), np.full(s, rng.integers(classes))) for s in sizes]


def blogs(rng: np.random.Generator, n: int = 1200) -> Graph:
    """Like polblogs: two classes, degrees over decades, 27 on average before it is connected."""
    labels = np.arange(n) * 2 // n
    pull = np.exp(rng.standard_normal(n))
    P = np.outer(pull, pull) * np.where(labels[:, None] == labels, 1.0, 0.2)
    P *= 27 * n / P.sum()
    upper = np.triu(rng.random((n, n)) < 1 - np.exp(-P), 1)
    graph = Graph(csr_array(upper + upper.T, dtype=float), labels=labels, name="blogs")
    return graph.largest_component()


def weighted_digits(k: int) -> Graph:
    """The digits, joined to k neighbours, with weights that fall with the distance."""
    graph = named(f"digits:k={k}")
    X, S = graph.features.toarray(), graph.adjacency.tocoo()
    far = ((X[S.row] - X[S.col]) ** 2).sum(axis=1)
    weights = np.exp(-far / np.median(far))
    return Graph(
        csr_array((weights, (S.row, S.col)), shape=S.shape), labels=graph.labels, name=graph.name
    )


def weighted_blocks(rng: np.random.Generator) -> Graph:
    """Three block models with weights over decades, one of 900, 600 and 300 nodes, and pieces."""
    parts = []
    for i, n in enumerate((900, 600, 300)):
        S, y = part(named(f"sbm:nodes={n},classes=3,degree_in=10,degree_out=4", i))
        upper = coo_array(np.triu(S.toarray()))
        upper.data = upper.data * np.exp(rng.standard_normal(len(upper.data)))
        parts.append((csr_array(upper + upper.T), y))
    return joined("weighted blocks", parts + pieces(60, 3, rng))


def towns(rng: np.random.Generator) -> Graph:
    """200 components of 50 nodes; the component tells the class, nothing inside does."""
    parts = []
    for _ in range(200):
        S, _ = part(named("sbm:nodes=50,classes=2,degree_in=4,degree_out=4", int(rng.integers(99))))
        parts.append((S, mostly(rng.integers(5), 50, 5, 0.95, rng)))
    return joined("towns", parts)


def villages(rng: np.random.Generator) -> Graph:
    """2000 components of 5 nodes; the component tells the class."""
    return joined(
        "villages", [(tree(5, rng), mostly(rng.integers(4), 5, 4, 0.95, rng)) for _ in range(2000)]
    )


def barbells(rng: np.random.Generator) -> Graph:
    """300 components of two triangles and an edge between; a class per triangle."""
    S = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
    S[2, 3] = S[3, 2] = 1.0
    return joined(
        "barbells", [(csr_array(S), np.repeat(rng.integers(4, size=2), 3)) for _ in range(300)]
    )


def halves(rng: np.random.Generator) -> Graph:
    """40 block models of 100 nodes, two classes of five in each."""
    parts = []
    for i in range(40):
        S, y = part(named("sbm:nodes=100,classes=2,degree_in=8,degree_out=1", i))
        parts.append((S, rng.permutation(5)[:2][y]))
    return joined("halves", parts)


def paths(rng: np.random.Generator) -> Graph:
    """40 paths of 50 nodes; classes are stretches of 10 to 25 nodes."""
    parts = []
    for _ in range(40):
        y = np.repeat(rng.integers(4, size=5), rng.integers(10, 26, size=5))[:50]
        parts.append((path(50), np.resize(y, 50)))
    return joined("paths", parts)


def all_sizes(rng: np.random.Generator) -> Graph:
    """A block model, and 600 components of 1 to 300 nodes, one of s nodes for every 300 / s."""
    parts = [part(named("sbm:nodes=1500,classes=4", 1))]
    for j in range(1, 601):
        n = max(1, 300 // j)
        parts.append((tree(n, rng), mostly(rng.integers(4), n, 4, 0.9, rng)))
    return joined("all sizes", parts)


def lonely(rng: np.random.Generator) -> Graph:
    """A block model and 700 isolated nodes, four in five of class 3."""
    loners = csr_array((700, 700))
    return joined(
        "lonely",
        [part(named("sbm:nodes=1500,classes=4", 2)), (loners, mostly(3, 700, 4, 0.75, rng))],
    )


def long_tail(rng: np.random.Generator) -> Graph:
    """A block model and one long path, whose eigenvalues are far below the others."""
    return joined(
        "block and path",
        [part(named("sbm:nodes=2000,classes=5,degree_in=10,degree_out=4", 3)),
         (path(400), np.repeat([0, 1, 2, 3], 100))],
    )  # fmt: skip


def loose(graph: Graph, count: int, rng: np.random.Generator) -> Graph:
    """A graph and small pieces."""
    return joined(f"{graph.name}+", [part(graph), *pieces(count, graph.n_classes, rng)])


def _drawn(make: Callable[[np.random.Generator], Graph]) -> Callable[[], Graph]:
    return lambda: make(np.random.default_rng(10))


GRAPHS: dict[str, Callable[[], Graph]] = {
    "digits": lambda: named("digits"),
    "digits, 2 neighbours": lambda: named("digits:k=2"),
    "digits, 1 neighbour": lambda: named("digits:k=1"),
    "weighted digits, 3 neighbours": lambda: weighted_digits(3),
    "Cora": lambda: named("cora:component=all"),
    "CiteSeer": lambda: named("citeseer:component=all"),
    "blogs": _drawn(blogs),
    "blogs and 100 pieces": _drawn(lambda rng: loose(blogs(rng), 100, rng)),
    "sbm and 48 pieces": _drawn(lambda rng: loose(named("sbm:nodes=3000,classes=5"), 48, rng)),
    "weighted blocks, 60 pieces": _drawn(weighted_blocks),
    "block model and path": _drawn(long_tail),
    "block model, 700 isolated": _drawn(lonely),
    "all sizes": _drawn(all_sizes),
    "40 halves": _drawn(halves),
    "40 paths": _drawn(paths),
    "300 barbells": _drawn(barbells),
    "200 towns": _drawn(towns),
    "2000 villages": _drawn(villages),
}
