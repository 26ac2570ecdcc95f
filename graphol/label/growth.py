"""Nodes that join a graph while it is labelled: their ids, texts and edges, as an event's JSON."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from graphol import node_ids
from graphol.errors import UsageError, shown
from graphol.formats import numerals
from graphol.graph import LARGEST_WEIGHT, Graph
from graphol.label.events import Event
from graphol.label.texts import checked_texts

Texts = Mapping[str, str]


class Joining(NamedTuple):
    """What joins in one event."""

    ids: tuple[Hashable, ...]
    edges: list[tuple[int, int, float]]
    """Rows, the first being that of a new node, and the weight."""
    texts: list[dict[str, str]]


def joining(event: Event, n: int) -> Joining:
    """What an event adds to a graph with n nodes; ValueError if it does not say."""
    found = json.loads(event.text or "")
    (kind,) = found["ids"]
    texts = [checked_texts(each) for each in found["texts"]]
    ids = found["ids"][kind]
    if kind == "ids":
        if {type(node) for node in ids} not in ({str}, {int}):
            raise ValueError("the ids are neither texts nor whole numbers")
    elif kind == "ids_literal" and {type(node) for node in ids} == {str}:
        ids = node_ids.read({"ids_literal": np.array(ids)}, "the new nodes")
    else:
        raise ValueError("there are no ids")
    if not len(ids) == len(texts) == len(set(ids)):
        raise ValueError(f"{len(ids)} ids and {len(texts)} texts")
    edges = [_edge(each, n, n + len(ids)) for each in found["edges"]]
    return Joining(tuple(ids), edges, texts)


def _edge(entry: Sequence[Any], n: int, total: int) -> tuple[int, int, float]:
    a, b, weight = entry
    if not (type(a) is int and type(b) is int and n <= a < total and 0 <= b < a):
        raise ValueError(f"the edge {shown(entry)} is not one of a new node")
    if type(weight) not in (int, float) or not 1 / LARGEST_WEIGHT <= weight <= LARGEST_WEIGHT:
        raise ValueError(f"an edge has the weight {shown(weight)}")
    return a, b, float(weight)


def described(
    graph: Graph,
    nodes: Mapping[Hashable, Texts] | Iterable[Hashable],
    edges: Iterable[Sequence[Any]],
) -> str:
    """The JSON of nodes that are to join, each checked against the graph."""
    told = nodes if isinstance(nodes, Mapping) else {node: {} for node in nodes}
    texts = {node_ids.plain(node): checked_texts(each) for node, each in told.items()}
    if not texts:
        raise UsageError("there are no nodes to add")
    row = {node: i for i, node in enumerate(graph.ids)}
    for node in texts:
        if node in row:
            raise UsageError(f"{graph.name} already has a node {shown(node)}")
    row |= {node: graph.n + i for i, node in enumerate(texts)}
    _check_alike(row, graph.name)
    ids = {key: array.tolist() for key, array in node_ids.members(texts, graph.name).items()}
    return json.dumps(
        {"ids": ids, "edges": _rows(edges, row, graph), "texts": list(texts.values())}
    )


def _check_alike(row: Mapping[Hashable, int], name: str) -> None:
    """A file of labels knows nodes by their texts alone."""
    if len({str(node) for node in row}) < len(row):
        seen: set[str] = set()
        for node in row:
            if str(node) in seen:
                raise UsageError(
                    f"{name} would have the id {shown(str(node))} as a number and as a text; give "
                    "the new node another"
                )
            seen.add(str(node))


def _rows(
    edges: Iterable[Sequence[Any]], row: Mapping[Hashable, int], graph: Graph
) -> list[tuple[int, int, float]]:
    found: dict[tuple[int, int], float] = {}
    for edge in edges:
        if not 2 <= len(edge) <= 3:
            raise UsageError(f"an edge is two nodes, and a weight if it has one; got {shown(edge)}")
        ends = [node_ids.plain(node) for node in edge[:2]]
        for node in ends:
            if node not in row:
                raise UsageError(
                    f"an edge names node {shown(node)}, which is neither in {graph.name} nor new"
                )
        b, a = sorted(row[node] for node in ends)
        if a < graph.n:
            raise UsageError(
                f"the edge {shown(ends[0])} - {shown(ends[1])} is between nodes that are there "
                "already; edges come with new nodes"
            )
        weight = numerals.weight(edge[2] if len(edge) == 3 else 1.0, "a new edge")
        if not (a != b and 1 / LARGEST_WEIGHT <= weight <= LARGEST_WEIGHT):
            raise UsageError(
                f"the edge {shown(ends[0])} - {shown(ends[1])} of weight {weight:g} cannot be "
                "added; it needs two nodes and a weight > 0"
            )
        if found.setdefault((a, b), weight) != weight:
            raise UsageError(
                f"the edge {shown(ends[0])} - {shown(ends[1])} is there with two weights"
            )
    return [(a, b, weight) for (a, b), weight in found.items()]


def grown(graph: Graph, more: Sequence[Joining]) -> Graph:
    """The graph with the nodes that joined; what they have of features is not known, and is 0."""
    if not more:
        return graph
    from scipy.sparse import coo_array, csr_array, vstack

    ids = graph.ids + tuple(node for each in more for node in each.ids)
    new = [edge for each in more for edge in each.edges]
    a = np.array([edge[0] for edge in new], dtype=np.int64)
    b = np.array([edge[1] for edge in new], dtype=np.int64)
    weights = np.array([edge[2] for edge in new], dtype=np.float64)
    S = graph.adjacency.tocoo()
    row, column = np.concatenate([S.row, a, b]), np.concatenate([S.col, b, a])
    n = len(ids)
    adjacency = coo_array((np.concatenate([S.data, weights, weights]), (row, column)), shape=(n, n))
    features = graph.features
    if features is not None:
        empty = csr_array((n - graph.n, features.shape[1]))
        features = vstack([features, empty], format="csr")
    return Graph(
        adjacency, ids=ids, features=features, feature_names=graph.feature_names,
        name=graph.name, notes=graph.notes,
    )  # fmt: skip
