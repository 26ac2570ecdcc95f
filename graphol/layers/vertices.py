"""Features as vertices of a graph: added, or eliminated again."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError, UsageError, shown
from graphol.graph import Graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FEATURE = "feature"
"""The id of a feature's vertex is this word and the feature's name."""
MOST_EDGES = 10_000_000
"""That eliminated vertices may leave: 160 MB, and some minutes in a solver."""


def vertex_id(name: str) -> Hashable:
    """What the vertex of a feature is called.

    >>> vertex_id("tea")
    ('feature', 'tea')
    """
    return FEATURE, name


def is_feature(graph: Graph) -> NDArray[np.bool_]:
    """Which vertices are those of features, (n,)."""
    found = [isinstance(i, tuple) and len(i) == 2 and i[0] == FEATURE for i in graph.ids]
    return np.array(found, dtype=bool)


def with_vertices(graph: Graph, names: Sequence[str]) -> Graph:
    """The graph with a vertex per feature that has no label, no features and no edge yet."""
    from scipy.sparse import csr_array

    more = len(names)
    if not more:
        return graph
    there = {*graph.ids}.intersection(map(vertex_id, names))
    if there:
        raise InputError(
            f"{graph.name} has a vertex {shown(min(there, key=str))} already; take the graph "
            "without vertices of features, or no features: multi-mrf:features=0"
        )
    n = graph.n + more
    A = graph.adjacency
    labels = None if graph.labels is None else np.append(graph.labels, np.full(more, -1))
    features = graph.features
    if features is not None:
        end = np.full(more, features.indptr[-1])
        features = csr_array(
            (features.data, features.indices, np.append(features.indptr, end)),
            shape=(n, features.shape[1]),
        )
    return Graph(
        csr_array((A.data, A.indices, np.append(A.indptr, np.full(more, A.indptr[-1]))), (n, n)),
        labels=labels,
        label_names=graph.label_names,
        ids=(*graph.ids, *map(vertex_id, names)),
        features=features,
        feature_names=graph.feature_names,
        name=graph.name,
        notes=graph.notes,
    )


def stars(features: Any, names: Sequence[str], where: str) -> csr_array:
    """The adjacency of nodes and features together, (n + m, n + m): as heavy as the values are."""
    from scipy.sparse import block_array, csr_array

    X = csr_array(features, dtype=np.float64)
    if X.nnz == 0:
        raise InputError(f"{where}: no node has a feature, so there are no stars")
    entries = X.tocoo()
    bad = np.flatnonzero(entries.data < 0)
    if len(bad):
        column, value = entries.col[bad[0]], entries.data[bad[0]]
        raise InputError(
            f"{where}: feature {names[column]} has a value {value:g}, and {len(bad)} value(s) are "
            "below 0; an edge of a star needs a value >= 0: shift the feature, or split it in two"
        )
    return block_array([[None, X], [X.T, None]], format="csr")


def eliminated(graph: Graph, gone: NDArray[np.bool_], most: int = MOST_EDGES) -> Graph:
    r"""The graph without some vertices, that says the same of all others.

    Vertices without an edge between each other are taken out of the quadratic form: one with edges
    w leaves :math:`\operatorname{diag}(w) - w w^\top / \sum w`, an edge of weight
    :math:`w_i w_j / \sum w` between all of its neighbours. That is dense, so more than ``most``
    edges are refused beforehand.

    >>> star = Graph.from_edges(["a", "b", "c"], ["x", "x", "x"], [1, 2, 3])
    >>> eliminated(star, np.array([i == "x" for i in star.ids])).adjacency.toarray()
    array([[0.        , 0.33333333, 0.5       ],
           [0.33333333, 0.        , 1.        ],
           [0.5       , 1.        , 0.        ]])
    """
    from scipy.sparse import csr_array, diags_array

    kept = np.flatnonzero(~gone)
    A = graph.adjacency
    between = A[np.flatnonzero(gone)][:, kept]
    if between.nnz != A[np.flatnonzero(gone)].nnz:
        raise UsageError(f"{graph.name}: vertices with edges to each other cannot be eliminated")
    degrees = np.diff(between.indptr).astype(float)
    count = A[kept][:, kept].nnz / 2 + float(np.sum(degrees * (degrees - 1)) / 2)
    if count > most:
        raise UsageError(
            f"{graph.name}: without its {np.count_nonzero(gone)} feature vertices it would have up "
            f"to {count:.3g} edges, at most {most:.3g} are made; leave --eliminate out, or take "
            "fewer features"
        )
    total = np.asarray(between.sum(axis=1)).ravel()
    inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    cliques = csr_array(between.T @ diags_array(inverse) @ between)
    cliques = csr_array(cliques - diags_array(cliques.diagonal()))
    cliques.eliminate_zeros()
    adjacency = A[kept][:, kept] + cliques
    return Graph(
        (adjacency + adjacency.T) / 2,  # to the last bit
        labels=None if graph.labels is None else graph.labels[kept],
        label_names=graph.label_names,
        ids=tuple(graph.ids[i] for i in kept),
        features=None if graph.features is None else graph.features[kept],
        feature_names=graph.feature_names,
        name=graph.name,
        notes=graph.notes,
    )
