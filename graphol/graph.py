"""The graph: an immutable symmetric CSR matrix with the user's own node ids and labels."""

from __future__ import annotations

import copy
import functools
import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol import node_ids, notebook
from graphol.errors import InputError, UsageError, near, shown

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Laplacian = Literal["combinatorial", "normalized"]

LARGEST_WEIGHT = 1e100
"""Of an edge, and the inverse of the smallest: squares and inverses are numbers too."""
MOST_CLASSES = 10_000
"""Of a graph with fewer nodes: there may be names of classes that no node has."""


@attrs.frozen(eq=False)
class Graph:
    """An undirected weighted graph on n nodes, checked once and never changed.

    ``Graph(adjacency)`` takes anything scipy can turn into a CSR array and refuses what is not a
    symmetric matrix of finite, non-negative weights. Self loops and explicit zeros are dropped;
    ``notes`` says how many. Readers for files and for other libraries' graphs are in
    :mod:`graphol.formats`.

    Parameters
    ----------
    adjacency
        Symmetric (n, n), larger weight = stronger tie.
    labels
        Class 0..K-1 of every node, -1 where it is not known; or None.
    label_names
        What the K classes are called.
    ids
        The user's own name of every node; 0..n-1 by default.
    features
        Node features, dense or sparse (n, m); or None.
    name
        What error messages call the graph.
    notes
        What a reader repaired on the way, each with a count.
    feature_names
        What the m features are called; 0..m-1 by default.

    Examples
    --------
    >>> graph = Graph.from_edges(["ann", "bob"], ["bob", "eve"])
    >>> graph.n, graph.n_edges, graph.index("eve")
    (3, 2, 2)
    >>> graph.laplacian("combinatorial").toarray()
    array([[ 1., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  1.]])
    """

    adjacency: Any
    labels: NDArray[np.int64] | None = None
    label_names: tuple[str, ...] = ()
    ids: tuple[Hashable, ...] = ()
    features: Any = None
    name: str = "graph"
    notes: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        put = functools.partial(object.__setattr__, self)
        adjacency, repaired = _checked_adjacency(self.adjacency, self.name)
        put("adjacency", adjacency)
        put("notes", (*self.notes, *repaired))
        put("ids", tuple(map(node_ids.plain, self.ids)) or tuple(range(self.n)))
        if len(self.ids) != self.n or len(set(self.ids)) != self.n:
            raise InputError(f"{self.name}: needs {self.n} distinct node ids, got {len(self.ids)}")
        self._check_labels()
        self._check_features()

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        return self

    def _check_features(self) -> None:
        put = functools.partial(object.__setattr__, self)
        if self.features is not None:
            put("features", _checked_features(self.features, self.n, self.name))
        put("feature_names", self._checked_feature_names())

    def _checked_feature_names(self) -> tuple[str, ...]:
        """As many as there are features; numbers are no names, and follow the features."""
        m = 0 if self.features is None else self.features.shape[1]
        names = tuple(map(str, self.feature_names))
        if names == tuple(map(str, range(len(names)))):
            return tuple(map(str, range(m)))
        if len(names) != m:
            raise InputError(f"{self.name}: {len(names)} names for {m} features")
        if len(set(names)) < m:
            twice = next(name for name, times in Counter(names).items() if times > 1)
            raise InputError(
                f"{self.name}: two features are called {shown(twice)}; give each its own name"
            )
        return names

    def _check_labels(self) -> None:
        if self.labels is None:
            return
        labels, names = _checked_labels(self.labels, self.label_names, self.n, self.name)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "label_names", names)

    def _with(self, **fields: Any) -> Graph:
        """A copy with other fields, which are not checked."""
        other = copy.copy(self)  # without what is cached
        for name, value in fields.items():
            object.__setattr__(other, name, value)
        return other

    @classmethod
    def from_edges(
        cls,
        source: Sequence[Hashable],
        target: Sequence[Hashable],
        weight: Iterable[float] | None = None,
        **fields: Any,
    ) -> Graph:
        """A graph from an edge list; node ids in the order they are first seen.

        The same edge twice with equal weights is one edge (counted in ``notes``); with different
        weights it is refused, because adding and overwriting are both wrong for somebody.
        ``ids`` may be given to fix the order or to add isolated nodes.
        """
        name = fields.get("name", "graph")
        ids = tuple(
            fields.pop("ids", ())
            or dict.fromkeys(x for e in zip(source, target, strict=True) for x in e)
        )
        number = {node: i for i, node in enumerate(ids)}
        try:
            rows = np.array([number[x] for x in source], dtype=np.int64)
            cols = np.array([number[x] for x in target], dtype=np.int64)
        except KeyError as missing:
            raise InputError(
                f"{name}: an edge names node {missing}, which is not among the ids"
            ) from None
        weights = np.ones(len(rows)) if weight is None else np.asarray(list(weight), dtype=float)
        if len(weights) != len(rows):
            raise InputError(f"{name}: {len(rows)} edges but {len(weights)} weights")
        adjacency, repeated = _merged(rows, cols, weights, ids, name)
        notes = tuple(fields.pop("notes", ()))
        if repeated:
            notes += (f"{repeated} repeated edge(s) merged",)
        return cls(adjacency, ids=ids, notes=notes, **fields)

    @functools.cached_property
    def unlabelled(self) -> Graph:
        """The same graph without its labels, as a learner may see it."""
        return self if self.labels is None else self._with(labels=None, label_names=())

    @functools.cached_property
    def bare(self) -> Graph:
        """Edges, weights and ids alone."""
        return self._with(labels=None, label_names=(), features=None, feature_names=())

    def labelled(self, labels: Any, names: Sequence[str] = ()) -> Graph:
        """The same graph with these labels and names of classes; its edges are not checked again.

        >>> Graph.from_edges("ab", "bc").labelled([0, 1, -1]).n_classes
        2
        """
        other = self._with(labels=labels, label_names=tuple(names))
        other._check_labels()
        return other

    def featured(self, features: Any, names: Sequence[str] = ()) -> Graph:
        """The same graph with these node features and their names; edges are not checked again.

        >>> Graph.from_edges("ab", "bc").featured([[1], [0], [2]], ["height"]).feature_names
        ('height',)
        """
        other = self._with(features=features, feature_names=tuple(names))
        other._check_features()
        return other

    def noted(self, *notes: str) -> Graph:
        """The same graph with more notes."""
        return self._with(notes=(*self.notes, *notes)) if notes else self

    @property
    def n(self) -> int:
        """Number of nodes."""
        return int(self.adjacency.shape[0])

    @property
    def n_edges(self) -> int:
        """Number of undirected edges."""
        return int(self.adjacency.nnz // 2)

    @property
    def n_isolated(self) -> int:
        """Number of nodes without an edge; they are kept."""
        return int(np.count_nonzero(np.diff(self.adjacency.indptr) == 0))

    @property
    def n_classes(self) -> int:
        """Number of classes, 0 for an unlabelled graph."""
        return len(self.label_names)

    @functools.cached_property
    def degrees(self) -> NDArray[np.float64]:
        """Weighted degree of every node, (n,)."""
        return np.asarray(self.adjacency.sum(axis=1), dtype=np.float64).ravel()

    @functools.cached_property
    def hash(self) -> str:
        """Sixteen hex digits of the content: edges, weights, labels, ids and features."""
        digest = hashlib.sha256()
        for array in (self.adjacency.indptr, self.adjacency.indices):
            digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
        digest.update(self.adjacency.data.astype("<f8").tobytes())
        digest.update(repr((self.ids, self.label_names)).encode())
        if self.labels is not None:
            digest.update(self.labels.astype("<i8").tobytes())
        if self.features is not None:
            digest.update(repr(self.features.shape).encode())
            digest.update(np.ascontiguousarray(self.features.indptr, dtype="<i8").tobytes())
            digest.update(np.ascontiguousarray(self.features.indices, dtype="<i8").tobytes())
            digest.update(self.features.data.astype("<f8").tobytes())
        return digest.hexdigest()[:16]

    @functools.cached_property
    def _number(self) -> dict[Hashable, int]:
        return {node: i for i, node in enumerate(self.ids)}

    def to_frame(self) -> Any:
        """A frame of pandas or polars with a line per edge: source, target, weight.

        >>> Graph.from_edges(["ann", "bob"], ["bob", "eve"]).to_frame().shape
        (2, 3)
        """
        from scipy.sparse import triu

        half = triu(self.adjacency, k=1).tocoo()
        return notebook.frame(
            {
                "source": [self.ids[i] for i in half.row],
                "target": [self.ids[i] for i in half.col],
                "weight": half.data.tolist(),
            }
        )

    def _repr_html_(self) -> str:
        """Sizes and notes, as a notebook shows them."""
        cells = {"graph": self.name, "nodes": f"{self.n:,}", "edges": f"{self.n_edges:,}"}
        if self.labels is not None:
            known = int((self.labels >= 0).sum())
            cells |= {"classes": f"{self.n_classes:,}", "labelled": f"{known:,}"}
        if self.features is not None:
            cells["features"] = f"{self.features.shape[1]:,}"
        return notebook.html_table([(key, [value]) for key, value in cells.items()], self.notes)

    def index(self, node: Hashable) -> int:
        """The row of the node that the user calls ``node``."""
        try:
            return self._number[node]
        except (KeyError, TypeError):
            hint = near(str(node), (str(i) for i in self.ids)) if self.n <= 10_000 else ""
            raise UsageError(
                f"{self.name} has no node {shown(node)}; {hint}".rstrip("; ")
            ) from None

    def has(self, node: Hashable) -> bool:
        """Is there a node that the user calls ``node``?"""
        return node in self._number

    def laplacian(self, kind: Laplacian = "combinatorial") -> csr_array:
        """D - S, or I - D^-1/2 S D^-1/2 (with 0 instead of 1 at isolated nodes)."""
        from scipy.sparse import csr_array, diags_array

        if kind == "combinatorial":
            return csr_array(diags_array(self.degrees) - self.adjacency)
        root = np.sqrt(self.degrees)
        inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
        scale = diags_array(inverse)
        linked = diags_array((root > 0).astype(float))
        return csr_array(linked - scale @ self.adjacency @ scale)

    @functools.cached_property
    def components(self) -> NDArray[np.int64]:
        """Number of the connected component of every node, the largest component being 0."""
        from scipy.sparse.csgraph import connected_components

        count, found = connected_components(self.adjacency, directed=False)
        sizes = np.bincount(found, minlength=count)
        rank = np.empty(count, dtype=np.int64)
        rank[np.argsort(-sizes, kind="stable")] = np.arange(count)
        return rank[found]

    @property
    def n_components(self) -> int:
        """Number of connected components."""
        return int(self.components.max()) + 1

    def largest_component(self) -> Graph:
        """The subgraph on the largest connected component (this graph itself, if connected)."""
        if self.n_components == 1:
            return self
        part = self.subgraph(np.flatnonzero(self.components == 0))
        return part.noted(f"{self.n - part.n} node(s) left out: {part.n} kept")

    def subgraph(self, nodes: NDArray[np.int64]) -> Graph:
        """The subgraph on ``nodes``, distinct row numbers; classes keep their numbers and names.

        What is cut out of a checked graph is not checked again, but it must have an edge.
        """
        if len(np.unique(nodes)) < len(nodes):
            raise UsageError(f"{self.name}: a subgraph needs distinct nodes")
        adjacency = _sorted_and_frozen(self.adjacency[nodes][:, nodes])
        if adjacency.nnz == 0:
            raise InputError(f"{self.name}: no edges are left; the graph needs at least one")
        labels = None if self.labels is None else self.labels[nodes]
        if labels is not None:
            labels.setflags(write=False)
        return self._with(
            adjacency=adjacency,
            labels=labels,
            ids=tuple(self.ids[i] for i in nodes),
            features=None if self.features is None else _sorted_and_frozen(self.features[nodes]),
        )


def _sorted_and_frozen(matrix: csr_array) -> csr_array:
    """One form for one content, so that the hash does not depend on the way; nobody changes it."""
    matrix.sum_duplicates()  # sorts, too
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.setflags(write=False)
    return matrix


def _checked_adjacency(matrix: Any, name: str) -> tuple[csr_array, list[str]]:
    from scipy.sparse import csr_array

    try:
        S = csr_array(matrix, dtype=np.float64, copy=True)
    except (TypeError, ValueError) as reason:
        raise InputError(f"{name}: not a numeric matrix ({reason})") from None
    if S.ndim != 2 or S.shape[0] != S.shape[1]:
        raise InputError(f"{name}: the adjacency matrix must be square, got shape {S.shape}")
    if S.shape[0] == 0:
        raise InputError(f"{name}: the graph is empty; it needs at least one edge")
    S.sum_duplicates()
    for bad, what in ((~np.isfinite(S.data), "not finite"), (S.data < 0, "negative")):
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            i = int(np.searchsorted(S.indptr, k, side="right")) - 1
            raise InputError(
                f"{name}: weight {S.data[k]} between nodes {i} and {S.indices[k]} is {what}; "
                "weights must be finite and >= 0"
            )
    if S.nnz and S.data.max() > LARGEST_WEIGHT:
        raise InputError(
            f"{name}: weight {S.data.max():g} is too large; rescale all to below 1e100"
        )
    least = S.data[S.data > 0].min(initial=1)
    if least < 1 / LARGEST_WEIGHT:
        raise InputError(f"{name}: weight {least:g} is too small; rescale all to above 1e-100")
    difference = abs(S - S.T)
    differ = difference - 1e-9 * S.maximum(S.T) if difference.nnz else difference
    if differ.nnz and differ.max() > 0:
        raise InputError(
            f"{name}: not symmetric, {np.count_nonzero(differ.data > 0) // 2} pair(s) of nodes "
            "differ; undirect it first, e.g. A.maximum(A.T)"
        )
    notes = []
    loops = int(np.count_nonzero(S.diagonal()))
    zeros = _zero_pairs(S)
    if loops:
        S.setdiag(0)
        notes.append(f"{loops} self loop(s) dropped")
    if zeros:
        notes.append(f"{zeros} zero weight(s) dropped")
    S.eliminate_zeros()
    if S.nnz == 0:
        raise InputError(f"{name}: no edges are left; the graph needs at least one")
    return _sorted_and_frozen(S), notes


def _zero_pairs(S: csr_array) -> int:
    """How many pairs of nodes have a weight that is stored and is 0, on either side."""
    entries = S.tocoo()
    i, j = entries.row[entries.data == 0], entries.col[entries.data == 0]
    return len(set(zip(np.minimum(i, j).tolist(), np.maximum(i, j).tolist(), strict=True)))


def _checked_labels(
    labels: Any, names: tuple[str, ...], n: int, name: str
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    found = np.array(labels)
    if found.shape != (n,) or not np.issubdtype(found.dtype, np.integer):
        raise InputError(f"{name}: labels must be {n} whole numbers, got shape {found.shape}")
    if found.min() < -1:
        raise InputError(f"{name}: labels must be >= 0, or -1 where unknown, got {found.min()}")
    count = int(found.max()) + 1  # before any cast
    most = max(n, MOST_CLASSES)
    if max(count, len(names)) > most:
        raise InputError(
            f"{name}: {max(count, len(names))} classes for {n} nodes, at most {most} are allowed; "
            "number the classes that occur 0, 1, ..."
        )
    found = found.astype(np.int64)
    names = tuple(str(x) for x in names) or tuple(str(k) for k in range(count))
    if count > len(names):
        raise InputError(f"{name}: label {count - 1} has no name; {len(names)} names were given")
    if len(set(names)) < len(names):
        seen: set[str] = set()
        twice = next(each for each in names if each in seen or seen.add(each))  # type: ignore[func-returns-value]
        raise InputError(f"{name}: two classes are called {shown(twice)}; give each its own name")
    found.setflags(write=False)
    return found, names


def _checked_features(features: Any, n: int, name: str) -> csr_array:
    from scipy.sparse import csr_array

    try:
        X = csr_array(features, dtype=np.float64, copy=True)
    except (TypeError, ValueError) as reason:
        raise InputError(f"{name}: features are not a numeric matrix ({reason})") from None
    if X.ndim != 2 or X.shape[0] != n:
        raise InputError(f"{name}: features have shape {X.shape} for {n} nodes")
    if not np.isfinite(X.data).all():
        raise InputError(f"{name}: features hold NaN or infinity; clean them first")
    X.sum_duplicates()  # before zeros are dropped: two entries may cancel
    X.eliminate_zeros()
    return _sorted_and_frozen(X)


def _merged(
    rows: NDArray[np.int64],
    cols: NDArray[np.int64],
    weights: NDArray[np.float64],
    ids: tuple[Hashable, ...],
    name: str,
) -> tuple[csr_array, int]:
    """One symmetric matrix from a list of edges, and how many lines repeated an earlier one."""
    from scipy.sparse import coo_array

    low, high = np.minimum(rows, cols), np.maximum(rows, cols)
    order = np.lexsort((high, low))
    low, high, weights = low[order], high[order], weights[order]
    again = np.zeros(len(low), dtype=bool)
    again[1:] = (low[1:] == low[:-1]) & (high[1:] == high[:-1])
    clash = np.flatnonzero(again)[weights[1:][again[1:]] != weights[:-1][again[1:]]]
    for k in clash:
        if np.isfinite(weights[[k - 1, k]]).all():
            raise InputError(
                f"{name}: edge {shown(ids[low[k]])} - {shown(ids[high[k]])} has weights "
                f"{weights[k - 1]:g} and {weights[k]:g}; keep one line per edge"
            )
    low, high, weights = low[~again], high[~again], weights[~again]
    off = low != high
    n = len(ids)
    both = (
        np.concatenate([weights, weights[off]]),
        (np.concatenate([low, high[off]]), np.concatenate([high, low[off]])),
    )
    return coo_array(both, shape=(n, n)).tocsr(), int(again.sum())
