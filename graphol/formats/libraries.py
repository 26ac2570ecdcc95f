"""Graphs that are already in memory, as other libraries hold them.

None of these libraries is imported here: an object is taken for what its methods say it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from graphol.errors import InputError, UsageError, near
from graphol.formats.labels import labelled, labelled_by
from graphol.formats.numerals import weight as as_weight
from graphol.graph import Graph


def from_scipy(
    matrix: Any,
    labels: Sequence[Hashable] | None = None,
    *,
    ids: Sequence[Hashable] = (),
    features: Any = None,
    name: str = "graph",
) -> Graph:
    """A graph from a symmetric scipy sparse matrix (or anything scipy can make one of).

    Parameters
    ----------
    matrix
        (n, n), finite and >= 0. Entries stored twice are added, as scipy does.
    labels
        Whole numbers are taken as they are, 0..K-1 and -1 where not known; any other values name
        the classes, with None where not known.
    ids
        Node ids, 0..n-1 by default.
    features
        (n, m), dense or sparse.
    name
        What error messages call the graph.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> graph = from_scipy(csr_array([[0, 1], [1, 0]]), labels=["red", "blue"])
    >>> graph.labels, graph.label_names
    (array([1, 0]), ('blue', 'red'))
    """
    if np.iscomplexobj(matrix):
        raise InputError(f"{name}: complex weights; they must be real, finite and >= 0")
    ids = tuple(ids)
    if labels is None or np.asarray(labels).dtype.kind in "iu":
        numbers = None if labels is None else np.asarray(labels)
        return Graph(matrix, labels=numbers, ids=ids, features=features, name=name)
    graph = Graph(matrix, ids=ids, features=features, name=name)
    values = list(labels)
    if len(values) != graph.n:
        raise InputError(f"{name}: {len(values)} labels for {graph.n} nodes")
    return labelled(graph, values)


def from_networkx(
    graph: Any, *, label: str = "label", weight: str = "weight", name: str = "graph"
) -> Graph:
    """A graph from a networkx graph; directed ones are refused.

    Parameters
    ----------
    graph
        A ``networkx.Graph``, or a multigraph whose parallel edges have equal weights.
    label
        The node attribute that names the class; a node without it has no label.
    weight
        The edge attribute that holds the weight; an edge without it weighs 1.
    name
        What error messages call the graph.

    Examples
    --------
    >>> import networkx as nx
    >>> club = from_networkx(nx.karate_club_graph(), label="club")
    >>> club.n, club.n_edges, club.label_names
    (34, 78, ('Mr. Hi', 'Officer'))
    """
    if graph.is_directed():
        raise InputError(
            f"{name} is directed, graphol's graphs are not; if the direction does not matter, "
            "use graph.to_undirected()"
        )
    edges = list(graph.edges(data=weight, default=1))
    source, target = [edge[0] for edge in edges], [edge[1] for edge in edges]
    weights = _numbers([edge[2] for edge in edges], source, target, name)
    ids = tuple(graph.nodes)
    if not ids:
        raise InputError(f"{name}: the graph is empty; it needs at least one edge")
    made = Graph.from_edges(source, target, weights, ids=ids, name=name)
    values = [value for _, value in graph.nodes(data=label)]
    return made if all(value is None for value in values) else labelled(made, values)


def from_pandas(
    edges: Any,
    labels: Any = None,
    *,
    source: str = "source",
    target: str = "target",
    weight: str = "weight",
    name: str = "graph",
) -> Graph:
    """A graph from a pandas data frame with one edge per row.

    Parameters
    ----------
    edges
        A data frame with the columns ``source`` and ``target``, and ``weight`` if it has one.
    labels
        A series or a dict from node to class, or a data frame with the columns ``node`` and
        ``label``. Nodes that are missing there, or whose class is missing, have no label.
    source, target, weight
        What the columns are called.
    name
        What error messages call the graph.

    Examples
    --------
    >>> import pandas as pd
    >>> edges = pd.DataFrame({"source": ["ann", "bob"], "target": ["bob", "eve"]})
    >>> from_pandas(edges, {"ann": "red", "eve": "blue"}).labels
    array([ 1, -1,  0])
    """
    tails, heads = _column(edges, source, name), _column(edges, target, name)
    for column, values in ((source, tails), (target, heads)):
        if None in values:
            row = values.index(None)
            raise InputError(f"{name}: row {row} of column {column!r} has no node")
    weights = None
    if weight in edges.columns:
        weights = _numbers(_column(edges, weight, name), tails, heads, name)
    graph = Graph.from_edges(tails, heads, weights, name=name)
    return graph if labels is None else labelled_by(graph, _mapping(labels, name), name)


def _column(frame: Any, column: str, name: str) -> list[Any]:
    """A column as plain Python values, None where one is missing."""
    if column not in frame.columns:
        known = near(column, [str(c) for c in frame.columns])
        raise UsageError(f"{name} has no column {column!r}; {known}")
    return _plain(frame[column])


def _plain(series: Any) -> list[Any]:
    pairs = zip(series.tolist(), series.isna().tolist(), strict=True)
    return [None if missing else value for value, missing in pairs]


def _mapping(labels: Any, name: str) -> Mapping[Hashable, Hashable]:
    if isinstance(labels, Mapping):
        return labels
    if hasattr(labels, "columns"):
        nodes, values = _column(labels, "node", name), _column(labels, "label", name)
    else:
        nodes, values = labels.index.tolist(), _plain(labels)
    found: dict[Hashable, Hashable] = {}
    for node, value in zip(nodes, values, strict=True):
        if node in found:
            raise InputError(f"{name}: node {node!r} is labelled twice")
        found[node] = value
    return found


def _numbers(
    values: Iterable[Any], source: Sequence[Any], target: Sequence[Any], name: str
) -> list[float]:
    return [
        as_weight(value, f"{name}: edge {a!r} - {b!r}")
        for value, a, b in zip(values, source, target, strict=True)
    ]
