"""Random labelings of a graph's nodes with signs: a sign per class, or per random centre."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from graphol.api import Integers
from graphol.errors import InputError, UsageError
from graphol.graph import Graph

TRIES = 100
"""How often a labeling is drawn again that is there already, if nobody knows of another one."""


class Labelings(NamedTuple):
    """K labelings, and what is odd about them."""

    signs: Integers  # (K, n)
    notes: tuple[str, ...] = ()


def by_classes(graph: Graph, K: int, rng: np.random.Generator) -> Labelings:
    """Every class gets a random sign, not all the same.

    Of C classes there are 2^C - 2 labelings; no two of the K are the same unless K is more.
    """
    labels = graph.labels
    if labels is None:
        raise InputError(f"{graph.name} has no labels; labelings=centres needs none")
    unknown = int(np.count_nonzero(labels < 0))
    if unknown:
        raise InputError(
            f"{graph.name}: {unknown} of {graph.n} node(s) have no label, so no sign either; "
            "labelings=centres needs none"
        )
    present, of_node = np.unique(labels, return_inverse=True)
    C = len(present)
    if C < 2:
        raise InputError(
            f"{graph.name} has {C} class, so all signs would be the same; "
            "labelings=centres needs no classes"
        )
    signs, notes = _distinct(lambda: signs_of(C, rng), K, 2**C - 2)
    return Labelings(signs[:, of_node], notes)


def by_centres(graph: Graph, K: int, centres: int, rng: np.random.Generator) -> Labelings:
    """Every node takes the sign of the nearest of some random nodes; their signs are random.

    Distances are numbers of edges; among equally near centres the first counts.
    """
    if centres > graph.n:
        raise UsageError(
            f"{graph.name}: centres must be <= {graph.n}, the number of nodes, got {centres}"
        )

    def draw() -> Integers:
        chosen = rng.choice(graph.n, centres, replace=False)
        return signs_of(centres, rng)[nearest_centre(graph, chosen)]

    return Labelings(*_distinct(draw, K))


def signs_of(count: int, rng: np.random.Generator) -> Integers:
    """Random signs, not all the same."""
    while True:
        signs = rng.choice(np.array([-1, 1]), size=count)
        if abs(signs.sum()) < count:
            return signs


def _distinct(
    draw: Callable[[], Integers], K: int, possible: int | None = None
) -> tuple[Integers, tuple[str, ...]]:
    """K draws, all different where so many are ``possible``; None: nobody knows."""
    found: list[Integers] = []
    seen: set[bytes] = set()
    for _ in range(K):
        signs, tries = draw(), 0
        while signs.tobytes() in seen and (
            tries < TRIES if possible is None else len(seen) < possible
        ):
            signs, tries = draw(), tries + 1
        seen.add(signs.tobytes())
        found.append(signs)
    notes = (f"only {len(seen)} of {K} labelings are different",) if len(seen) < K else ()
    return np.array(found), notes


def nearest_centre(graph: Graph, centres: Integers) -> Integers:
    """For every node of a connected graph the number of the nearest centre; ties: the first.

    One search breadth first from all of them, in their order: whoever comes from an earlier centre
    is earlier in the queue on every level.

    >>> path = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    >>> nearest_centre(path, np.array([4, 0]))
    array([1, 1, 0, 0, 0])
    """
    start, neighbours = graph.adjacency.indptr.tolist(), graph.adjacency.indices.tolist()
    owner = [-1] * graph.n
    queue: deque[int] = deque()
    for number, centre in enumerate(centres.tolist()):
        owner[centre] = number
        queue.append(centre)
    while queue:
        node = queue.popleft()
        for other in neighbours[start[node] : start[node + 1]]:
            if owner[other] < 0:
                owner[other] = owner[node]
                queue.append(other)
    return np.array(owner)
