"""Graphs with more nodes against graphs that had them from the start; rows against a slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphol import Graph, GrapholError
from graphol.joining import joined, rows_by_neighbours

PATH = Graph.from_edges(["a", "b"], ["b", "c"], [1.0, 2.0], labels=[0, 1, 0], name="path")


@st.composite
def edges_in_parts(draw):
    """Edges of a small graph by their later end, and how many nodes are there at first."""
    n = draw(st.integers(3, 9))
    pairs = [(i, j) for j in range(n) for i in range(j)]
    kept = draw(st.lists(st.sampled_from(pairs), unique=True, min_size=1))
    weights = draw(
        st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(kept), max_size=len(kept))
    )
    edges = [(0, 1, 1.0)] + [(*e, w) for e, w in zip(kept, weights, strict=True) if e != (0, 1)]
    return n, edges, draw(st.integers(2, n)), draw(st.integers(1, 3))


def grown(n, edges, first, step):
    """Node by node, or some at once; some edges between old nodes come late."""
    early = [e for e in edges if (e[1] < first and (e[0] + e[1]) % 3 != 2) or e[:2] == (0, 1)]
    source, target, weight = zip(*early, strict=True)
    graph, there = Graph.from_edges(source, target, weight, ids=range(first)), {*early}
    for last in [*range(first + step, n, step), n]:
        now = [e for e in edges if e[1] < last and e not in there]
        there |= {*now}
        ends = [*zip(*now, strict=True)] or [(), (), ()]
        graph = joined(graph, ends[0], ends[1], ends[2], ids=range(graph.n, last))
    return graph


@settings(max_examples=60, deadline=None)
@given(edges_in_parts())
def test_a_graph_that_grew_is_the_graph(parts):
    n, edges, _, _ = parts
    source, target, weight = zip(*edges, strict=True)
    whole = Graph.from_edges(source, target, weight, ids=range(n))
    assert grown(*parts).hash == whole.hash


def slow_rows(graph, rows, blank):
    """The same row by row, from dense algebra."""
    S = graph.adjacency.toarray()
    found = {i: rows[i] for i in range(len(rows)) if not blank[i]}
    length = {i: np.linalg.norm(x) for i, x in found.items()}
    while True:
        now = {}
        for i in set(range(graph.n)) - found.keys():
            near_by = [j for j in found if S[i, j] > 0]
            if near_by:
                w = S[i, near_by] / S[i, near_by].sum()
                mean = sum(v * found[j] for v, j in zip(w, near_by, strict=True))
                size = sum(v * length[j] for v, j in zip(w, near_by, strict=True))
                norm = np.linalg.norm(mean)
                now[i] = (mean * size / norm if norm > 1e-12 * size else 0 * mean), size
        if not now:
            return np.array([found.get(i, np.zeros(rows.shape[1])) for i in range(graph.n)])
        found |= {i: row for i, (row, _) in now.items()}
        length |= {i: size for i, (_, size) in now.items()}


@settings(max_examples=60, deadline=None)
@given(edges_in_parts(), st.integers(0, 2**32 - 1), st.booleans())
def test_rows_of_new_nodes_against_a_slow_twin(parts, seed, unit):
    n, edges, first, _ = parts
    source, target, weight = zip(*edges, strict=True)
    whole, rng = Graph.from_edges(source, target, weight, ids=range(n)), np.random.default_rng(seed)
    rows = rng.normal(size=(first, 3))
    if unit:
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    blank = rng.random(first) < 0.3
    found = rows_by_neighbours(whole, rows, blank)
    np.testing.assert_allclose(found, slow_rows(whole, rows, blank), atol=1e-9)
    np.testing.assert_array_equal(found[:first][~blank], rows[~blank])
    if unit:
        length = np.linalg.norm(found, axis=1)
        assert ((np.abs(length - 1) < 1e-9) | (length == 0)).all()


def test_what_is_new_is_said_and_what_was_there_stays():
    graph = joined(PATH, ["d", "d", "d"], ["a", "b", "d"], [1, 0, 5], ids=["d", "e"])
    assert graph.ids == ("a", "b", "c", "d", "e") and graph.n_edges == 3 and graph.n_isolated == 1
    assert graph.labels.tolist() == [0, 1, 0, -1, -1] and graph.label_names == PATH.label_names
    assert graph.notes == ("1 self loop(s) dropped", "1 zero weight(s) dropped")
    again = joined(PATH, ["b", "c"], ["a", "a"], [1, 1])
    assert again.n_edges == 3 and again.notes == ("1 edge(s) that were there already",)
    assert PATH.n == 3 and PATH.n_edges == 2
    assert joined(PATH, [], []).hash == PATH.hash


def test_features_join_too():
    graph = PATH.featured([[1.0, 0], [0, 1], [1, 1]], ["x", "y"])
    more = joined(graph, ["d"], ["a"], ids=["d"], features=[[0, 7.0]])
    assert more.features.toarray().tolist()[3] == [0, 7] and more.feature_names == ("x", "y")
    none = joined(graph, ["d"], ["a"], ids=["d"])
    assert none.features.toarray().tolist()[3] == [0, 0]
    assert none.notes == ("1 node(s) joined without features",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["d"], ["a"]), "an edge names 'd', which is no node of path and not among ids"),
        ((["d"], ["a"], None, ["dd"]), "an edge names 'd'.*did you mean 'dd'"),
        ((["d"], ["a", "b"]), "an edge has two ends; got 1 in source and 2 in target"),
        (([], [], None, ["a"]), "path has a node 'a' already; leave it out of ids"),
        (([], [], None, ["d", "d"]), "ids has 'd' twice"),
        (([], [], None, [["d"]]), "a node id is a text, a number or a tuple"),
        (([], [], None, "de"), "ids must be a list of node ids, got 'de'"),
        ((["a"], ["b"], [2.0]), "edge 'a' - 'b' has weight 1 already, and cannot get 2"),
        ((["a"], ["c"], [-1.0]), "is negative"),
        ((["a"], ["c"], [np.nan]), "is not finite"),
        ((["a"], ["c"], ["x"]), "weight must be a list of numbers"),
        ((["a"], ["c"], [1.0, 2.0]), "1 edges but 2 weights"),
        ((["a", "a"], ["c", "c"], [1.0, 2.0]), "has weights 1 and 2; keep one line per edge"),
        (([], [], None, ["d"], [[1.0]]), "path has no node features; leave features out"),
    ],
)
def test_what_cannot_join_is_one_line(arguments, message):
    source, target, weight, ids, features = [*arguments, *[None, (), None][len(arguments) - 2 :]]
    with pytest.raises(GrapholError, match=message) as caught:
        joined(PATH, source, target, weight, ids=ids, features=features)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("features", [[[1.0]], [[np.nan, 1.0]], "x", [[1.0, 2.0]] * 2])
def test_features_that_do_not_fit_are_one_line(features):
    graph = PATH.featured([[1.0, 0], [0, 1], [1, 1]])
    with pytest.raises(GrapholError, match="features"):
        joined(graph, [], [], ids=["d"], features=features)
