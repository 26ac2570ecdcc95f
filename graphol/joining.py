"""Nodes and edges that join a graph, and vectors for such nodes until it is embedded anew."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol import node_ids
from graphol.api import Matrix
from graphol.errors import InputError, UsageError, near, shown
from graphol.graph import Graph


def joined(
    graph: Graph,
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    weight: Iterable[float] | None = None,
    *,
    ids: Iterable[Hashable] = (),
    features: Any = None,
) -> Graph:
    """The graph with the nodes ``ids`` at its end and with more edges; rows keep their numbers.

    New nodes have no label, and zeros where no features are given for them. The edges that were
    there are not checked again.

    >>> graph = joined(Graph.from_edges("ab", "bc"), ["d"], ["a"], ids=["d", "e"])
    >>> graph.ids, graph.n_edges, graph.n_isolated
    (('a', 'b', 'c', 'd', 'e'), 3, 1)
    """
    ends = _listed(source, "source"), _listed(target, "target")
    if len(ends[0]) != len(ends[1]):
        raise UsageError(
            f"an edge has two ends; got {len(ends[0])} in source and {len(ends[1])} in target"
        )
    weights = np.ones(len(ends[0])) if weight is None else _weights(weight, len(ends[0]))
    new = tuple(map(node_ids.plain, _listed(ids, "ids")))
    _check_ids(graph, new, (*ends[0], *ends[1]))
    every = (*graph.ids, *new)
    found = graph.bare._with(ids=every, adjacency=_wider(graph.adjacency, len(every)))
    found = _with_edges(found, *ends, weights)
    more: dict[str, Any] = {
        "labels": _more_labels(graph, len(new)),
        "label_names": graph.label_names,
    }
    more["features"], zeros = _more_features(graph, len(new), features)
    more["feature_names"] = graph.feature_names
    note = [f"{len(new)} node(s) joined without features"] if zeros else []
    return found._with(**more).noted(*note)


def rows_by_neighbours(graph: Graph, rows: Matrix, blank: NDArray[np.bool_]) -> Matrix:
    """Rows of all nodes: those that are ``blank``, or beyond the end, are made of others.

    Such a row is the mean of the neighbours' rows, weighted as their edges are, and as long as
    these are on the mean. Of a node whose neighbours are all blank it is made in a second step, of
    theirs, and so on. Where no edges lead to a row it is zero.

    >>> graph = Graph.from_edges("abc", "bcd")
    >>> rows_by_neighbours(graph, np.array([[1.0, 0], [0, 2]]), np.zeros(2, bool))
    array([[1., 0.],
           [0., 2.],
           [0., 2.],
           [0., 2.]])
    """
    n, S = graph.n, graph.adjacency
    found = np.zeros((n, rows.shape[1]))
    found[: len(rows)] = rows
    known = np.zeros(n, dtype=bool)
    known[: len(rows)] = ~blank
    found[~known] = 0.0
    length = np.linalg.norm(found, axis=1)
    waiting = np.flatnonzero(~known)
    while len(waiting):
        near_by = S[waiting] * known  # edges to known rows alone
        total = np.asarray(near_by.sum(axis=1)).ravel()
        reached = total > 0
        if not reached.any():
            break
        now, W = waiting[reached], near_by[reached] / total[reached, None]
        mean = W @ found
        own = np.linalg.norm(mean, axis=1)
        length[now] = W @ length
        scale = np.divide(length[now], own, out=np.zeros_like(own), where=own > 1e-12 * length[now])
        found[now] = mean * scale[:, None]
        known[now] = True
        waiting = waiting[~reached]
    return found


def _listed(values: Any, what: str) -> tuple[Any, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise UsageError(f"{what} must be a list of node ids, got {shown(values)}")
    return tuple(values)


def _weights(weight: Any, count: int) -> NDArray[np.float64]:
    try:
        weights = np.asarray(list(weight), dtype=float)
    except (TypeError, ValueError):
        raise UsageError(f"weight must be a list of numbers, got {shown(weight)}") from None
    if weights.shape != (count,):
        raise UsageError(f"{count} edges but {len(weights)} weights")
    return weights


def _check_ids(graph: Graph, new: tuple[Any, ...], ends: tuple[Any, ...]) -> None:
    """New ids are new, and edges name nodes that are there."""
    seen: set[Any] = set()
    for node in new:
        try:
            twice = node in seen
        except TypeError:
            raise UsageError(f"a node id is a text, a number or a tuple, got {node!r}") from None
        if twice:
            raise UsageError(f"ids has {shown(node)} twice; give every node its own id")
        if graph.has(node):
            raise UsageError(f"{graph.name} has a node {shown(node)} already; leave it out of ids")
        seen.add(node)
    for node in ends:
        try:
            there = node in seen or graph.has(node)
        except TypeError:
            there = False
        if not there:
            hint = near(str(node), map(str, (*graph.ids, *new))) if graph.n <= 10_000 else ""
            raise UsageError(
                f"an edge names {shown(node)}, which is no node of {graph.name} and not among ids; "
                f"{hint}".rstrip("; ")
            )


def _wider(matrix: Any, n: int) -> Any:
    """The square matrix with empty rows and columns at its end."""
    from scipy.sparse import csr_array

    indptr = np.append(matrix.indptr, np.full(n - matrix.shape[0], matrix.indptr[-1]))
    return csr_array(
        (matrix.data, matrix.indices, indptr.astype(matrix.indptr.dtype)), shape=(n, n)
    )


def _with_edges(
    graph: Graph, source: tuple[Any, ...], target: tuple[Any, ...], weights: NDArray[np.float64]
) -> Graph:
    """One edge is one edge: the same once more is left out, with another weight refused."""
    ends = [(graph.index(a), graph.index(b)) for a, b in zip(source, target, strict=True)]
    use = np.array([a != b for a, b in ends], dtype=bool) & (weights != 0)
    notes = [
        f"{count} {what} dropped"
        for count, what in (
            (sum(a == b for a, b in ends), "self loop(s)"),
            (sum(a != b and w == 0 for (a, b), w in zip(ends, weights, strict=True)),
             "zero weight(s)"),
        )
        if count
    ]  # fmt: skip
    if not use.any():
        return graph.noted(*notes)
    kept = [ends[k] for k in np.flatnonzero(use)]
    more = Graph.from_edges(
        [graph.ids[a] for a, _ in kept], [graph.ids[b] for _, b in kept], weights[use],
        ids=graph.ids, name=graph.name,
    )  # fmt: skip
    S, both = graph.adjacency, more.adjacency.multiply(graph.adjacency > 0)
    if both.nnz:
        again = both.tocoo()
        i, j = again.coords
        odd = np.flatnonzero(again.data != S[i, j])
        if len(odd):
            a, b = int(i[odd[0]]), int(j[odd[0]])
            raise InputError(
                f"{graph.name}: edge {shown(graph.ids[a])} - {shown(graph.ids[b])} has weight "
                f"{S[a, b]:g} already, and cannot get {again.data[odd[0]]:g}; leave it out"
            )
        notes.append(f"{both.nnz // 2} edge(s) that were there already")
    notes += more.notes
    total = (S + more.adjacency - both).tocsr()
    total.eliminate_zeros()
    total.sum_duplicates()
    for array in (total.data, total.indices, total.indptr):
        array.setflags(write=False)
    return graph._with(adjacency=total).noted(*notes)


def _more_labels(graph: Graph, count: int) -> NDArray[np.int64] | None:
    if graph.labels is None:
        return None
    labels = np.append(graph.labels, np.full(count, -1))
    labels.setflags(write=False)
    return labels


def _more_features(graph: Graph, count: int, given: Any) -> tuple[Any, bool]:
    """The features of all, and whether new nodes have zeros since nothing was given."""
    from scipy.sparse import csr_array, vstack

    if graph.features is None:
        if given is not None:
            raise UsageError(f"{graph.name} has no node features; leave features out")
        return None, False
    m = graph.features.shape[1]
    try:
        new = csr_array((count, m)) if given is None else csr_array(given, dtype=np.float64)
    except (TypeError, ValueError) as reason:
        raise UsageError(f"features are not a numeric matrix ({reason})") from None
    if new.shape != (count, m):
        raise UsageError(
            f"features have shape {new.shape}; {count} new node(s) with {m} features need "
            f"({count}, {m})"
        )
    if not np.isfinite(new.data).all():
        raise UsageError("features hold NaN or infinity; clean them first")
    return vstack([graph.features, new], format="csr"), given is None and count > 0
