"""A pathway that is planted in part of a public graph."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Integers, Vector
from graphol.datasets.named import Wordnet30
from graphol.datasets.signals import mean_shift
from graphol.datasets.stored import OneFile, read_stored
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.params import param
from graphol.tasks import SignalTask

GRAPHS = ("condmat2005", "wordnet30")
STRATEGIES = ("s1", "s2")
START = 2019
"""Seed of the node that the neighbourhood is grown from."""


@attrs.frozen
class SyntheticPathway(OneFile):
    """Signals over part of a public graph, in half of which a connected pathway is shifted.

    It stands in for gene expressions over a network of interactions, which may not be passed on
    (``pathway`` reads your own). The network is a connected neighbourhood, grown breadth first from
    a node drawn once: it is the same for every seed, as a network of genes is. The pathway is
    fresh: from a random node, one of the nodes that touch it is added at a time, each of them
    equally likely. Noise is standard normal; in the positive half of the samples the pathway is
    shifted. Columns are standardised over all samples.

    Parameters
    ----------
    graph
        ``condmat2005``, physicists who wrote papers together, or ``wordnet30``, word meanings.
    nodes
        Nodes of the neighbourhood, at least 2 and at most those of the graph.
    size
        Nodes of the pathway, 1 to ``nodes``.
    mu
        Mean shift on the pathway.
    strategy
        ``s1`` shifts the whole pathway up by mu, ``s2`` each of its nodes up or down, at random.
    train
        Samples played, at least 1.
    validation
        Samples to tune on, at least 1.
    test
        Samples to score on, at least 1.

    References
    ----------
    The data that this stands in for: Zhou, Chen, Ying. Dual averaging method for online
    graph-structured sparsity. KDD 2019, figure 9.
    Graphs: Newman. The structure of scientific collaboration networks. PNAS, 2001. Miller. WordNet.
    CACM, 1995.
    """

    name: ClassVar[str] = "synthetic-pathway"
    graph: str = param("condmat2005", choices=GRAPHS)
    nodes: int = param(3000, least=2)
    size: int = param(50, least=1)
    mu: float = param(0.3, least=-1e6, most=1e6)
    strategy: str = param("s1", choices=STRATEGIES)
    train: int = param(200, least=1)
    validation: int = param(200, least=1)
    test: int = param(200, least=1)

    def __attrs_post_init__(self) -> None:
        if self.size > self.nodes:
            raise UsageError(f"{self.name}: size must be <= nodes = {self.nodes}, got {self.size}")

    @classmethod
    def filename(cls) -> str:
        """That of the graph it takes by default."""
        return f"{GRAPHS[0]}.npz"

    def load(self, rng: np.random.Generator) -> SignalTask:
        """A fresh pathway, fresh shifts and fresh samples."""
        network = neighbourhood(_read(self.graph), self.nodes, np.random.default_rng(START))
        pathway = grown(network, self.size, rng)
        shift: float | Vector = self.mu
        if self.strategy == "s2":
            shift = self.mu * rng.choice((-1.0, 1.0), size=self.size)
        sizes = (self.train, self.validation, self.test)
        name = f"{self.name}: {self.graph} {self.strategy}"
        return mean_shift(network, pathway, shift, sizes, self.train, rng, name)


def _read(graph: str) -> Graph:
    if graph == Wordnet30.name:
        return Wordnet30.read()
    way = f"play on graph={Wordnet30.name} (`graphol datasets fetch {Wordnet30.name}`)"
    return read_stored(graph, f"{graph}.npz", way)


def neighbourhood(graph: Graph, nodes: int, rng: np.random.Generator) -> Graph:
    """So many nodes around a random one of the largest component, nearest first; no labels."""
    from scipy.sparse.csgraph import breadth_first_order

    whole = graph.largest_component()
    if nodes > whole.n:
        raise UsageError(f"{graph.name}: nodes must be <= {whole.n}, got {nodes}")
    start = int(rng.integers(whole.n))
    order = breadth_first_order(whole.adjacency, start, return_predecessors=False)
    found = whole.subgraph(np.sort(order[:nodes]))
    return Graph(found.adjacency, ids=found.ids, name=graph.name, notes=graph.notes)


def grown(graph: Graph, size: int, rng: np.random.Generator) -> Integers:
    """A random connected set of so many nodes of a connected graph, in ascending order."""
    indptr, indices = graph.adjacency.indptr, graph.adjacency.indices
    inside: set[int] = set()
    around = {int(rng.integers(graph.n))}
    for _ in range(size):
        node = int(rng.choice(sorted(around)))
        inside.add(node)
        around |= set(indices[indptr[node] : indptr[node + 1]].tolist())
        around -= inside
    return np.array(sorted(inside))
