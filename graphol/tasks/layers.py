"""Several graphs over the same nodes, as one."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence

from graphol.graph import Graph


def summed(graphs: Sequence[Graph], name: str) -> Graph:
    """The graph whose weights are the sums over all layers; labels and features of the first.

    >>> a, b = Graph.from_edges("ab", "bc"), Graph.from_edges("a", "c", ids="abc")
    >>> summed([a, b], "both").n_edges
    3
    """
    first = graphs[0]
    return Graph(
        functools.reduce(operator.add, (graph.adjacency for graph in graphs)),
        labels=first.labels,
        label_names=first.label_names,
        ids=first.ids,
        features=first.features,
        feature_names=first.feature_names,
        name=name,
        notes=tuple(f"{graph.name}: {note}" for graph in graphs for note in graph.notes),
    )
