"""What lies around a node: its strongest neighbours and theirs, few enough to be looked at."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.api import Integers, Matrix
from graphol.graph import Graph
from graphol.label.session.layout import layout

NEAR, ALL = 14, 26
"""Neighbours that are drawn, and nodes in the whole picture."""
LOOKED_AT = 400
"""Neighbours of a neighbour among which others are looked for: some have a hundred thousand."""
KEPT = 512
"""Pictures that are kept; edges never change."""


class Around(NamedTuple):
    """A small part of the graph, and where it is drawn."""

    nodes: Integers
    """(m,) rows, the node itself first."""
    edges: tuple[tuple[int, int], ...]
    """Pairs of places in ``nodes``."""
    places: Matrix
    """(m, 2), from -1 to 1."""
    near: int
    """How many of the nodes are neighbours of it: the next ones."""
    more: int
    """Neighbours that are not drawn."""


class Surroundings:
    """What lies around each node of a graph, made when it is asked for."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._kept: OrderedDict[int, Around] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, row: int) -> Around:
        """That of one node; any thread may ask."""
        with self._lock:
            found = self._kept.get(row)
        if found is None:
            found = around(self.graph, row)
            with self._lock:
                self._kept[row] = found
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
        return found


def around(graph: Graph, row: int) -> Around:
    """The strongest neighbours of a node; where there is room, those that hang on most of these."""
    S = graph.adjacency
    near, more = _strongest(graph, row, NEAR)
    nodes = [row, *near.tolist()]
    room = ALL - len(nodes)
    if room and len(near):
        weight: dict[int, float] = {}
        for j in near:
            begin, end = S.indptr[j], S.indptr[j + 1]
            if end - begin > LOOKED_AT:
                continue  # everybody's neighbour tells nothing
            for k, w in zip(S.indices[begin:end].tolist(), S.data[begin:end].tolist(), strict=True):
                weight[k] = weight.get(k, 0.0) + w
        for drawn in nodes:
            weight.pop(drawn, None)
        hidden = set(S.indices[S.indptr[row] : S.indptr[row + 1]].tolist())
        further = [k for k in weight if k not in hidden]
        further.sort(key=lambda k: (-weight[k], k))
        nodes += further[:room]
    chosen = np.array(nodes, dtype=np.int64)
    part = S[chosen][:, chosen].tocoo()
    joined = np.zeros((len(nodes), len(nodes)), dtype=bool)
    joined[part.coords[0], part.coords[1]] = True
    edges = tuple(zip(*(side.tolist() for side in np.nonzero(np.triu(joined))), strict=True))
    return Around(chosen, edges, layout(joined), len(near), more)


def _strongest(graph: Graph, row: int, most: int) -> tuple[NDArray[np.int64], int]:
    """Neighbours by weight, of equals those with fewer edges; and how many are left."""
    S = graph.adjacency
    begin, end = S.indptr[row], S.indptr[row + 1]
    indices, data = S.indices[begin:end].astype(np.int64), S.data[begin:end]
    order = np.lexsort((indices, np.diff(S.indptr)[indices], -data))
    return indices[order[:most]], max(len(indices) - most, 0)
