"""Several graphs over the same nodes, each from a file of its own."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path

import numpy as np

from graphol.door import FilePath
from graphol.errors import InputError, shown
from graphol.formats.labels import labelled
from graphol.graph import Graph


def over_one_set(graphs: Sequence[Graph]) -> tuple[Graph, ...]:
    """The graphs as layers: over all nodes that any of them has, in the order they are first seen.

    Nodes are matched by their ids. A node that a graph does not have is isolated there, and counted
    in its notes. Labels and features go to the first layer: of every graph that has labels, which
    must not contradict each other, and of the first that has features.

    >>> a, b = Graph.from_edges("ab", "bc", name="a"), Graph.from_edges("b", "d", name="b")
    >>> a, b = over_one_set([a, b])
    >>> a.ids == b.ids == ("a", "b", "c", "d"), b.notes
    (True, ('2 of 4 node(s) are not in it',))
    """
    if len(graphs) == 1:
        return tuple(graphs)
    ids = tuple(dict.fromkeys(node for graph in graphs for node in graph.ids))
    _check_ids(graphs, ids)
    number = {node: i for i, node in enumerate(ids)}
    places = [np.array([number[node] for node in graph.ids]) for graph in graphs]
    layers = [_spread(graph, at, ids) for graph, at in zip(graphs, places, strict=True)]
    layers[0] = _labelled(_featured(layers[0], graphs, places), graphs, ids)
    return tuple(layers)


def layer_names(paths: Sequence[FilePath]) -> tuple[str, ...]:
    """The names of the files without their folders, made distinct.

    >>> layer_names(["x/edges.csv", "y/edges.csv", "z.csv"])
    ('edges.csv', 'edges.csv (2)', 'z.csv')
    """
    found: list[str] = []
    for path in paths:
        name = Path(path).name
        again = sum(Path(other).name == name for other in paths[: len(found)]) + 1
        found.append(name if again == 1 else f"{name} ({again})")
    return tuple(found)


def _check_ids(graphs: Sequence[Graph], ids: tuple[Hashable, ...]) -> None:
    """Refuse a graph of other nodes, and ids that look alike and are of different types."""
    for graph in graphs:
        others = [other for other in graphs if other is not graph]
        elsewhere = {node for other in others for node in other.ids}
        alike = {str(node): node for node in elsewhere}
        for node in graph.ids:
            if node not in elsewhere and str(node) in alike:
                other = shown(alike[str(node)])
                raise InputError(
                    f"{graph.name} has a node {shown(node)}, another graph has {other}: the same "
                    "id as a number and as a text; save both as one type, for example as edge "
                    "lists (.csv), whose ids are texts"
                )
        if elsewhere.isdisjoint(graph.ids):
            theirs = others[0]
            raise InputError(
                f"{graph.name} has no node in common with {theirs.name}"
                + (" or any other graph" if len(others) > 1 else "")
                + f" (its first is {shown(graph.ids[0])}, theirs {shown(theirs.ids[0])}); graphs "
                "over the same nodes must call them by the same ids"
            )


def _spread(graph: Graph, at: np.ndarray, ids: tuple[Hashable, ...]) -> Graph:
    """Edges and weights alone, on all nodes."""
    from scipy.sparse import coo_array

    edges, n = graph.adjacency.tocoo(), len(ids)
    adjacency = coo_array((edges.data, (at[edges.row], at[edges.col])), shape=(n, n))
    missing = n - graph.n
    notes = (f"{missing} of {n} node(s) are not in it",) if missing else ()
    return Graph(adjacency, ids=ids, name=graph.name, notes=(*graph.notes, *notes))


def _featured(first: Graph, graphs: Sequence[Graph], places: Sequence[np.ndarray]) -> Graph:
    having = [i for i, graph in enumerate(graphs) if graph.features is not None]
    if not having:
        return first
    from scipy.sparse import coo_array

    graph, at = graphs[having[0]], places[having[0]]
    X = graph.features.tocoo()
    spread = coo_array((X.data, (at[X.row], X.col)), shape=(first.n, X.shape[1])).tocsr()
    notes = [
        f"features of {graphs[i].name} left out, those of {graph.name} are used" for i in having[1:]
    ]
    return first.featured(spread, graph.feature_names).noted(*notes)


def _labelled(first: Graph, graphs: Sequence[Graph], ids: tuple[Hashable, ...]) -> Graph:
    """The first layer with the classes of all graphs, by their names."""
    having = [graph for graph in graphs if graph.labels is not None]
    if not having:
        return first
    given: dict[Hashable, tuple[str, str]] = {}
    for graph in having:
        assert graph.labels is not None
        for node, label in zip(graph.ids, graph.labels.tolist(), strict=True):
            if label < 0:
                continue
            name = graph.label_names[label]
            before, whose = given.setdefault(node, (name, graph.name))
            if before != name:
                raise InputError(
                    f"node {shown(node)} is {shown(before)} in {whose} and {shown(name)} in "
                    f"{graph.name}; give all labels in one file, with --labels"
                )
    names = having[0].label_names
    if all(set(graph.label_names) <= set(names) for graph in having):  # in the order it has
        number = {name: k for k, name in enumerate(names)}
        labels = [number[given[node][0]] if node in given else -1 for node in ids]
        without = labels.count(-1)
        notes = (f"{without} node(s) without a label",) if without else ()
        return first.labelled(np.array(labels), names).noted(*notes)
    return labelled(first, [given[node][0] if node in given else None for node in ids])
