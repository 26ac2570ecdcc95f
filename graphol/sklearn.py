"""Labels for the nodes of a graph, in scikit-learn's dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_array,
    check_is_fitted,
    check_non_negative,
    column_or_1d,
)

from graphol import node_ids
from graphol.errors import GrapholError
from graphol.formats.libraries import from_networkx
from graphol.graph import Graph
from graphol.label.predicting import Predicted, predict

UNKNOWN = -1

T = TypeVar("T")


class NodeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts the classes of nodes from those of some of them, by the edges between them.

    What stands behind it is :func:`graphol.predict`; probabilities are calibrated on labels that
    were held out among those given. A node whose label is given keeps it, with probability 1.

    There are two ways to say what X is.

    **The graph is a parameter, X are nodes**: ``NodeClassifier(graph=G).fit(nodes, y)``, where
    nodes are ids of G, (m,) or (m, 1). Every node that is not in X is unlabelled. This is the way
    for ``cross_val_score``, ``GridSearchCV`` and pipelines: they split the nodes, the graph stays
    whole, and the labels of the test nodes are hidden, as they would be.

    **X is the graph**: ``NodeClassifier().fit(X, y)``, with X a :class:`graphol.Graph`, a networkx
    graph or a symmetric adjacency matrix (n, n), sparse or dense, and a label for every node,
    unknown ones as -1, None or NaN. ``predict()`` says the classes of all nodes. ``predict(rows)``
    with rows (m, n) is about m new nodes with these edges to the n old ones, as for every estimator
    whose X is pairwise; splitting X leaves out nodes with their edges.

    Parameters
    ----------
    learner
        A learner or its name, with parameters (``"walk:lam=0.5"``); None: several are tried on
        labels that are held out, and weighed.
    graph
        The graph over whose nodes X is given; None: X is the graph.
    embedding
        How nodes become vectors, where the learner needs some; by default as in a simulation.
    random_state
        For whatever is random: a whole number, or what scikit-learn takes in its place.

    Attributes
    ----------
    classes_
        Classes that are known, sorted.
    n_features_in_
        Columns of X: 1 where X are nodes, n where it is the graph.
    graph_
        The graph.
    labels_
        (n,), place of every node's given label in ``classes_``, or -1.
    transduction_
        (n,), the class of every node.
    predicted_
        All that :func:`graphol.predict` said, how sure it is of itself included.

    Examples
    --------
    >>> graph = Graph.from_edges(["ann", "bob", "dan"], ["bob", "cyd", "eve"])
    >>> model = NodeClassifier("walk", graph=graph).fit(["ann", "dan"], ["tea", "coffee"])
    >>> model.predict(["cyd", "eve"]).tolist()
    ['tea', 'coffee']
    >>> adjacency = graph.adjacency
    >>> NodeClassifier("walk").fit(adjacency, [0, -1, -1, 1, -1]).predict().tolist()
    [0, 0, 0, 1, 1]
    """

    def __init__(
        self,
        learner: Any = None,
        *,
        graph: Any = None,
        embedding: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.learner = learner
        self.graph = graph
        self.embedding = embedding
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self.graph is None
        tags.input_tags.sparse = self.graph is None
        tags.input_tags.string = self.graph is not None
        tags.classifier_tags.poor_score = True  # blobs of points are no graph
        return tags

    def fit(self, X: Any, y: Any) -> NodeClassifier:
        """Learn these labels and forget all others."""
        graph, rows = self._graph_and_rows(X)
        values, known = _targets(y, len(rows))
        return self._learn(graph, rows, values, known, np.unique(values[known]), None)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> NodeClassifier:
        """Learn more labels of the same graph; the last label of a node counts.

        ``classes`` are all that may come, if there are some that were not seen yet.
        """
        new = not hasattr(self, "labels_")
        if not new and self.graph is None and np.ndim(X) == 2:
            self._check_width(np.shape(X)[1])
        graph, rows = self._graph_and_rows(X)
        if not new and graph is not self.graph_ and graph.hash != self.graph_.hash:
            raise ValueError("partial_fit learns labels of the same graph; fit another one anew")
        values, known = _targets(y, len(rows))
        names = np.unique(values[known]) if classes is None else np.unique(np.asarray(classes))
        if odd := set(values[known].tolist()) - set(names.tolist()):
            raise ValueError(
                f"y has the classes {sorted(odd)}, which are not among {names.tolist()}"
            )
        before = None if new else self.classes_[self.labels_]
        if before is not None:
            names = np.unique(np.concatenate([self.classes_, names]))
        return self._learn(graph, rows, values, known, names, before)

    labels_: NDArray[np.int64]

    def _learn(
        self,
        graph: Graph,
        rows: NDArray[np.int64],
        values: NDArray[Any],
        known: NDArray[np.bool_],
        classes: NDArray[Any],
        before: NDArray[Any] | None,
    ) -> NodeClassifier:
        labels = np.full(graph.n, UNKNOWN)
        if before is not None:
            had = self.labels_ != UNKNOWN
            labels[had] = np.searchsorted(classes, before[had])
        labels[rows[known]] = np.searchsorted(classes, values[known])
        if len(np.unique(labels[labels != UNKNOWN])) < 2:
            raise ValueError(
                f"y has 1 class, {classes[labels.max()].item()!r}; give labels of at least 2"
            )
        self.predicted_ = self._predicted(graph, labels, len(classes))
        self.graph_, self.labels_, self.classes_ = graph, labels, classes
        self.n_features_in_ = graph.n if self.graph is None else 1
        self.transduction_ = classes[self.predicted_.predicted]
        return self

    def predict(self, X: Any = None) -> NDArray[Any]:
        """The classes of these nodes; by default of all."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self._said(X, "predicted")])

    def predict_proba(self, X: Any = None) -> NDArray[np.float64]:
        """The probabilities of the classes, (m, K), for these nodes; by default for all."""
        check_is_fitted(self)
        return np.asarray(self._said(X, "probabilities"))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of nodes whose class is right, among those whose class is known."""
        from sklearn.metrics import accuracy_score

        said = self.predict(X)
        values, known = _targets(y, len(said))
        weight = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(accuracy_score(values[known], said[known], sample_weight=weight))

    def _said(self, X: Any, what: str) -> NDArray[Any]:
        """What was predicted of the nodes of X, or is, if they are new."""
        column: NDArray[Any] = getattr(self.predicted_, what)
        if X is None:
            return column
        if self.graph is not None:
            return column[_plainly(lambda: _rows_of(self.graph_, X))]
        if isinstance(X, Graph) or hasattr(X, "adj"):
            graph = _plainly(lambda: _as_graph(X))
            if graph.hash != self.graph_.hash:
                raise ValueError("X is another graph; fit it, or give rows (m, n) of new nodes")
            return column
        edges = check_array(X, accept_sparse="csr", dtype=np.float64)
        self._check_width(edges.shape[1])
        if edges.shape[0] == edges.shape[1] and _same(edges, self.graph_):
            return column
        return self._of_new(edges, what)

    def _of_new(self, edges: Any, what: str) -> NDArray[Any]:
        """What is predicted of nodes that join with these edges to the old ones."""
        from scipy.sparse import block_array, csr_array

        B = csr_array(edges)
        B.eliminate_zeros()
        m, n = B.shape
        whole = block_array([[self.graph_.adjacency, B.T], [B, csr_array((m, m))]], format="csr")
        graph = _plainly(lambda: Graph(whole, name=self.graph_.name))
        labels = np.append(self.labels_, np.full(m, UNKNOWN))
        found = self._predicted(graph, labels, len(self.classes_))
        column: NDArray[Any] = getattr(found, what)
        return column[n:]

    def _predicted(self, graph: Graph, labels: NDArray[np.int64], K: int) -> Predicted:
        state = self.random_state
        if state is None or not isinstance(state, int | np.integer):
            state = check_random_state(state).randint(2**31 - 1)
        names = [str(k) for k in range(K)]
        return _plainly(
            lambda: predict(
                graph, labels, classes=names, learner=self.learner, embedding=self.embedding,
                seed=int(state),
            )
        )  # fmt: skip

    def _graph_and_rows(self, X: Any) -> tuple[Graph, NDArray[np.int64]]:
        """The graph, and the rows of the nodes that y is about."""
        if self.graph is not None:
            graph = _plainly(lambda: _as_graph(self.graph))
            return graph, _plainly(lambda: _rows_of(graph, X))
        graph = _plainly(lambda: _as_graph(X))
        return graph, np.arange(graph.n)

    def _check_width(self, columns: int) -> None:
        if columns != self.n_features_in_:
            raise ValueError(
                f"X has {columns} features, but NodeClassifier is expecting {self.n_features_in_} "
                "features as input"
            )


def _plainly(said: Callable[[], T]) -> T:
    """Mistakes as scikit-learn raises them."""
    try:
        return said()
    except GrapholError as reason:
        raise ValueError(str(reason)) from reason


def _as_graph(X: Any) -> Graph:
    if isinstance(X, Graph):
        return X.unlabelled
    if hasattr(X, "adj"):
        return from_networkx(X)
    matrix = check_array(X, accept_sparse="csr", dtype=np.float64)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            "X must be the adjacency matrix of a graph, (n, n), or a graph; where X are nodes, the "
            f"graph is a parameter, NodeClassifier(graph=...); got shape {matrix.shape}"
        )
    if matrix.shape[0] == 1:
        raise ValueError("X has 1 sample, a node alone; a graph has at least one edge")
    check_non_negative(matrix, "NodeClassifier, whose X has weights of edges")
    return Graph(matrix, name="X")


def _same(matrix: Any, graph: Graph) -> bool:
    """Is it the graph's matrix, self loops aside?"""
    from scipy.sparse import csr_array

    other = csr_array(matrix, copy=True)
    other.setdiag(0)
    return bool((abs(other - graph.adjacency) > 0).nnz == 0)


def _rows_of(graph: Graph, X: Any) -> NDArray[np.int64]:
    """The rows of nodes that are given by their ids, (m,) or (m, 1)."""
    ids = X if isinstance(X, list) else np.asarray(X)
    if isinstance(ids, np.ndarray):
        if ids.ndim not in (1, 2) or (ids.ndim == 2 and ids.shape[1] != 1):
            raise ValueError(f"X must be ids of nodes, (m,) or (m, 1), got shape {ids.shape}")
        ids = ids.ravel().tolist()
    ids = [each[0] if isinstance(each, list) and len(each) == 1 else each for each in ids]
    return np.array([graph.index(node_ids.plain(each)) for each in ids], dtype=np.int64)


def _targets(y: Any, count: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The labels, and which of them are known: neither -1 nor None nor NaN."""
    if y is None:
        raise ValueError("NodeClassifier requires y to be passed, but the target y is None")
    if isinstance(y, list | tuple) and len({isinstance(each, str) for each in y}) == 2:
        y = np.array(y, dtype=object)  # or -1 and None would be texts
    values = column_or_1d(y, dtype=None, warn=True)
    if len(values) != count:
        raise ValueError(f"y has {len(values)} labels for {count} nodes of X")
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError("y has infinity, which is no class")
    known = np.array([not _unknown(each) for each in values.tolist()], dtype=bool)
    if not known.any():
        raise ValueError("y has no label that is known; give some of at least 2 classes")
    if values.dtype.kind == "O":
        plain = np.array(values[known].tolist())
        values = np.zeros(count, plain.dtype)
        values[known] = plain
    check_classification_targets(values[known])
    if values.dtype.kind == "f" and not known.all():
        whole = np.where(known, values, 0)
        values = whole.astype(np.int64) if (whole % 1 == 0).all() else whole
    return values, known


def _unknown(value: Any) -> bool:
    return value is None or (not isinstance(value, bool | str) and (value != value or value == -1))
