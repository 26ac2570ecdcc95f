"""Graphs of other libraries, each against a dense matrix."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from graphol.errors import InputError, UsageError
from graphol.formats import from_networkx, from_pandas, from_scipy

S = np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0.0]])


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.coo_matrix, sparse.csc_matrix, np.array])
def test_scipy(form):
    graph = from_scipy(form(S), labels=[1, 0, -1], ids="abc", features=np.eye(3))
    np.testing.assert_array_equal(graph.adjacency.toarray(), S)
    assert graph.labels.tolist() == [1, 0, -1]
    assert graph.ids == ("a", "b", "c")
    assert graph.features.shape == (3, 3)
    named = from_scipy(form(S), labels=["red", None, "blue"])
    assert (named.labels.tolist(), named.label_names) == ([1, -1, 0], ("blue", "red"))


def test_scipy_refusals():
    with pytest.raises(InputError, match="mine: 2 labels for 3 nodes"):
        from_scipy(S, labels=["a", "b"], name="mine")
    with pytest.raises(InputError, match="complex"):
        from_scipy(sparse.csr_array(S * 1j))


def test_networkx_with_any_hashable_ids():
    original = nx.Graph()
    original.add_node((0, 0), label="x")
    original.add_node("b", label=None)
    original.add_node(7)
    original.add_edge((0, 0), "b", weight=2)
    original.add_edge("b", 7)
    graph = from_networkx(original)
    np.testing.assert_array_equal(graph.adjacency.toarray(), S)
    assert graph.ids == ((0, 0), "b", 7)
    assert graph.labels.tolist() == [0, -1, -1]
    assert from_networkx(nx.path_graph(3)).labels is None


def test_networkx_multigraphs_merge_equal_parallel_edges_only():
    double = nx.MultiGraph([("a", "b", {"weight": 1}), ("b", "a", {"weight": 1})])
    assert from_networkx(double).notes == ("1 repeated edge(s) merged",)
    double.add_edge("a", "b", weight=2)
    with pytest.raises(InputError, match="keep one line per edge"):
        from_networkx(double)


@pytest.mark.parametrize(
    ("original", "words"),
    [
        (nx.DiGraph([(0, 1)]), "mine is directed.*to_undirected"),
        (nx.Graph(), "mine: the graph is empty"),
        (nx.Graph([(0, 1, {"weight": "heavy"})]), "edge 0 - 1: weight 'heavy' is not a number"),
        (nx.Graph([(0, 1, {"weight": None})]), "edge 0 - 1: weight None is not"),
        (
            nx.Graph([(0, 1, {"weight": -1})]),
            "weight -1 is not allowed; weights are finite and >= 0",
        ),
        (nx.Graph([(0, 1, {"weight": float("nan")})]), "weight nan is not allowed; weights"),
    ],
    ids=["directed", "empty", "text", "none", "negative", "nan"],
)
def test_networkx_refusals(original, words):
    with pytest.raises(InputError, match=words):
        from_networkx(original, name="mine")


EDGES = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [2, 1]})


@pytest.mark.parametrize(
    "labels",
    [
        {"a": "x", "c": "y"},
        pd.Series({"a": "x", "c": "y"}),
        pd.Series({"a": "x", "b": None, "c": "y"}),
        pd.DataFrame({"node": ["a", "c"], "label": ["x", "y"]}),
        pd.DataFrame({"node": ["a", "b", "c"], "label": pd.array(["x", pd.NA, "y"])}),
    ],
    ids=["dict", "series", "series with None", "frame", "frame with NA"],
)
def test_pandas(labels):
    graph = from_pandas(EDGES, labels)
    np.testing.assert_array_equal(graph.adjacency.toarray(), S)
    assert (graph.labels.tolist(), graph.label_names) == ([0, -1, 1], ("x", "y"))
    assert graph.ids == ("a", "b", "c")


def test_pandas_numbers_and_column_names():
    edges = pd.DataFrame({"from": [1, 2], "to": [2, 3]})
    classes = pd.Series([1, np.nan, 2], index=[1, 2, 3])
    graph = from_pandas(edges, classes, source="from", target="to")
    assert graph.ids == (1, 2, 3)
    assert all(type(node) is int for node in graph.ids)
    assert graph.label_names == ("1", "2")
    assert graph.adjacency.data.tolist() == [1.0] * 4


@pytest.mark.parametrize(
    ("edges", "labels", "error", "words"),
    [
        (EDGES.rename(columns={"source": "sorce"}), None, UsageError, "did you mean 'sorce'"),
        (
            EDGES.assign(source=["a", None]),
            None,
            InputError,
            "row 1 of column 'source' has no node",
        ),
        (EDGES.assign(weight=[1, -1]), None, InputError, "weights are finite and >= 0"),
        (EDGES.assign(weight=[1, None]), None, InputError, "weight None is not a number"),
        (EDGES, {"aa": 1, "zz": 2}, InputError, r"node 'aa' \(and 1 more\) is not in mine"),
        (EDGES, pd.Series(["x", "y"], index=["a", "a"]), InputError, "node 'a' is labelled twice"),
    ],
    ids=["column", "node", "negative", "missing weight", "stranger", "twice"],
)
def test_pandas_refusals(edges, labels, error, words):
    with pytest.raises(error, match=words):
        from_pandas(edges, labels, name="mine")
