"""Several graphs, and stars made of features, over the same nodes: one list of edges."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError, UsageError
from graphol.graph import Graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Integers = NDArray[np.int64]

ENTRIES = 2**20
"""Numbers of a block of edges in :meth:`Layers.energies`: 8 MB."""


class Pattern(NamedTuple):
    """Where the non-zeros of every weighted sum of the Laplacians are, and whence they come."""

    indptr: Integers
    indices: Integers
    above: Integers  # (m,), where the entry (u, v) of every edge is
    below: Integers  # (m,), where (v, u) is
    diagonal: Integers  # (vertices,)


@attrs.frozen(eq=False, slots=False)
class Layers:
    r"""k layers on n nodes, as one list of m edges.

    A graph is a layer. So is a feature: a star, whose centre is a vertex of its own, numbered from
    n on, with an edge to every node that has the feature, as heavy as its value. Eliminating the
    centre leaves :math:`\operatorname{diag}(w) - w w^\top / \sum w`, which is dense; the star has
    as many edges as there are values.

    All layers are added up, or told apart, in one pass over the edges, however many there are.

    Parameters
    ----------
    names
        What tables call the layers, (k,).
    n
        The nodes; further vertices are centres of stars.
    u, v
        The ends of every edge, (m,).
    w
        Its weight, (m,).
    layer
        Its layer, (m,).
    feature
        Of every layer, the column that it is the star of, or -1 for a graph, (k,).

    Examples
    --------
    >>> from graphol import Graph
    >>> layers = Layers.of([Graph.from_edges("ab", "bc")], features=[[1], [0], [2]])
    >>> layers.names, layers.vertices
    (('graph', 'feature 0'), 4)
    >>> layers.laplacian(np.array([1.0, 10.0])).toarray()
    array([[ 11.,  -1.,   0., -10.],
           [ -1.,   2.,  -1.,   0.],
           [  0.,  -1.,  21., -20.],
           [-10.,   0., -20.,  30.]])
    """

    names: tuple[str, ...]
    n: int
    u: Integers
    v: Integers
    w: Vector
    layer: Integers
    feature: Integers

    @classmethod
    def of(
        cls,
        graphs: Sequence[Graph],
        features: Any = None,
        columns: Sequence[int] | Integers | None = None,
        names: Sequence[str] | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> Layers:
        """The graphs, then a star for each of the columns of ``features`` (all by default).

        A feature that no node has is left out. Values must not be negative: a star with a negative
        edge is no graph, and its absolute value would call opposites alike.
        """
        n = _nodes(graphs)
        if names is None:
            names = [graph.name for graph in graphs]
        u, v, w, layer = [], [], [], []
        for i, graph in enumerate(graphs):
            above = graph.adjacency.tocoo()
            first = above.row < above.col
            u.append(above.row[first])
            v.append(above.col[first])
            w.append(above.data[first])
            layer.append(np.full(int(first.sum()), i))
        found = np.zeros(0, dtype=np.int64)
        if features is not None:
            node, star, value, found = _stars(features, columns, n, feature_names)
            u.append(node)
            v.append(n + star)
            w.append(value)
            layer.append(len(graphs) + star)
        titles = [_title(j, feature_names) for j in found.tolist()]
        return cls(
            names=(*names, *titles),
            n=n,
            u=np.concatenate(u).astype(np.int64),
            v=np.concatenate(v).astype(np.int64),
            w=np.concatenate(w).astype(np.float64),
            layer=np.concatenate(layer).astype(np.int64),
            feature=np.concatenate([np.full(len(graphs), -1), found]),
        )

    def __len__(self) -> int:
        return len(self.names)

    @property
    def vertices(self) -> int:
        """The nodes and the centres of the stars."""
        return self.n + int(np.count_nonzero(self.feature >= 0))

    @property
    def n_edges(self) -> int:
        """Of all layers together; where two have the same edge it counts twice."""
        return len(self.u)

    @property
    def instances(self) -> NDArray[np.bool_]:
        """Which vertices are nodes, (vertices,)."""
        return np.arange(self.vertices) < self.n

    def only(self, kept: NDArray[np.bool_]) -> Layers:
        """Some of the layers, without the centres of the others."""
        centre = self.feature >= 0
        vertex = np.full(self.vertices, -1)
        vertex[: self.n] = np.arange(self.n)
        vertex[self.n :][kept[centre]] = self.n + np.arange(int((kept & centre).sum()))
        number, edges = np.cumsum(kept) - 1, kept[self.layer]
        return Layers(
            names=tuple(name for name, keep in zip(self.names, kept, strict=True) if keep),
            n=self.n,
            u=vertex[self.u[edges]],
            v=vertex[self.v[edges]],
            w=self.w[edges],
            layer=number[self.layer[edges]],
            feature=self.feature[kept],
        )

    def laplacian(self, alpha: Vector, added: Vector | float = 0.0) -> csr_array:
        """The sum of alpha_i L_i over all vertices, plus a diagonal."""
        from scipy.sparse import csr_array

        pattern, size = self._pattern, self.vertices
        heavy = alpha[self.layer] * self.w
        nonzeros = len(pattern.indices)
        data: Vector = -np.bincount(pattern.above, heavy, nonzeros).astype(np.float64)
        data -= np.bincount(pattern.below, heavy, nonzeros)
        degrees = np.bincount(self.u, heavy, size) + np.bincount(self.v, heavy, size)
        data[pattern.diagonal] += degrees + added
        if alpha.all():
            return csr_array((data, pattern.indices, pattern.indptr), shape=(size, size))
        indices, indptr = pattern.indices.copy(), pattern.indptr.copy()
        A = csr_array((data, indices, indptr), shape=(size, size))
        A.eliminate_zeros()  # a layer of weight 0 connects nothing
        return A

    def energies(self, Z: Matrix, G: Matrix) -> Vector:
        """For every layer the sum over its edges of w <Z_u - Z_v, G_u - G_v>, (k,)."""
        inner = np.empty(self.n_edges)
        step = max(1, ENTRIES // max(1, Z.shape[1]))
        for start in range(0, self.n_edges, step):
            block = slice(start, start + step)
            u, v = self.u[block], self.v[block]
            difference = Z[u]
            difference -= Z[v]
            if G is Z:
                other = difference
            else:
                other = G[u]
                other -= G[v]
            np.einsum("ij,ij->i", difference, other, out=inner[block])
        return np.bincount(self.layer, self.w * inner, len(self)).astype(np.float64)

    def components(self, alpha: Vector) -> Integers:
        """The connected component of every vertex where layers of weight 0 are left out."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        held = alpha[self.layer] > 0
        u, v, size = self.u[held], self.v[held], self.vertices
        edges = csr_array((np.ones(len(u)), (u, v)), shape=(size, size))
        found: Integers = connected_components(edges, directed=False)[1].astype(np.int64)
        return found

    @functools.cached_property
    def _pattern(self) -> Pattern:
        size, every = self.vertices, np.arange(self.vertices)
        rows = np.concatenate([self.u, self.v, every])
        columns = np.concatenate([self.v, self.u, every])
        keys, place = np.unique(rows * size + columns, return_inverse=True)
        indptr = np.searchsorted(keys, size * np.arange(size + 1))
        m = self.n_edges
        return Pattern(
            indptr.astype(np.int32), (keys % size).astype(np.int32),
            place[:m], place[m : 2 * m], place[2 * m :],
        )  # fmt: skip


def _nodes(graphs: Sequence[Graph]) -> int:
    if not graphs:
        raise UsageError("layers: there must be a graph, got none")
    n = graphs[0].n
    for graph in graphs[1:]:
        if graph.n != n:
            raise InputError(
                f"layers: {graph.name} has {graph.n} nodes and {graphs[0].name} {n}; "
                "layers are graphs over the same nodes"
            )
    return n


def _stars(
    features: Any, columns: Any, n: int, names: Sequence[str] | None
) -> tuple[Integers, Integers, Vector, Integers]:
    """Node, number of the star and value of every entry, and the columns that have one."""
    from scipy.sparse import csr_array

    X = csr_array(features, dtype=np.float64)
    if X.shape[0] != n:
        raise InputError(f"layers: features of {X.shape[0]} nodes, the graphs have {n}")
    entries = X.tocoo()
    wanted = np.arange(X.shape[1]) if columns is None else np.asarray(columns, dtype=np.int64)
    if len(wanted) and not 0 <= wanted.min() <= wanted.max() < X.shape[1]:
        raise UsageError(f"layers: columns must be 0 to {X.shape[1] - 1}, got {wanted.tolist()}")
    held = np.zeros(X.shape[1], dtype=bool)
    held[wanted] = True
    keep = held[entries.col] & (entries.data != 0)
    node, column, value = entries.row[keep], entries.col[keep], entries.data[keep]
    bad = np.flatnonzero(~(np.isfinite(value) & (value > 0)))
    if len(bad):
        i = bad[0]
        raise InputError(
            f"layers: feature {names[column[i]] if names else column[i]} of node {node[i]} is "
            f"{value[i]:g}; a star needs finite values >= 0: shift or split the feature, or leave "
            "it out"
        )
    found, star = np.unique(column, return_inverse=True)
    return node.astype(np.int64), star.astype(np.int64), value, found.astype(np.int64)


def _title(column: int, names: Sequence[str] | None) -> str:
    return names[column] if names else f"feature {column}"
