"""Graph: against dense formulas, and what it refuses."""

from __future__ import annotations

import attrs
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

import graphol
from graphol.cli import main
from graphol.errors import InputError, UsageError
from graphol.formats import write_npz
from graphol.graph import Graph


@st.composite
def adjacencies(draw: st.DrawFn) -> np.ndarray:
    """A symmetric matrix of small weights with at least one edge."""
    n = draw(st.integers(2, 8))
    weights = st.sampled_from([0.0, 0.0, 0.5, 1.0, 3.0])
    drawn = draw(st.lists(weights, min_size=n * n, max_size=n * n))
    S = np.triu(np.array(drawn).reshape(n, n), 1)
    S[0, 1] = 1.0
    return S + S.T


@given(adjacencies())
def test_laplacians_match_their_dense_formulas(S):
    graph = Graph(csr_array(S))
    degrees = S.sum(axis=1)
    np.testing.assert_allclose(graph.laplacian().toarray(), np.diag(degrees) - S)
    inverse = np.diag([1 / np.sqrt(d) if d > 0 else 0.0 for d in degrees])
    linked = np.diag((degrees > 0).astype(float))
    np.testing.assert_allclose(
        graph.laplacian("normalized").toarray(), linked - inverse @ S @ inverse, atol=1e-15
    )
    np.testing.assert_array_equal(graph.degrees, degrees)


@given(adjacencies())
def test_laplacians_are_positive_with_one_zero_per_component(S):
    graph = Graph(S)
    for kind in ("combinatorial", "normalized"):
        values = np.linalg.eigvalsh(graph.laplacian(kind).toarray())
        assert values.min() > -1e-12
        assert np.count_nonzero(values < 1e-9) == graph.n_components


@given(adjacencies())
def test_components_match_networkx_and_the_largest_is_number_0(S):
    graph = Graph(S)
    found = {frozenset(np.flatnonzero(graph.components == k)) for k in range(graph.n_components)}
    expected = {frozenset(c) for c in nx.connected_components(nx.from_numpy_array(S))}
    assert found == expected
    sizes = np.bincount(graph.components)
    assert (np.diff(sizes) <= 0).all()
    assert graph.n_isolated == sum(len(c) == 1 for c in expected)


@given(adjacencies(), st.data())
def test_subgraph_is_the_dense_submatrix(S, data):
    graph = Graph(S, labels=np.arange(len(S)) % 2, features=np.diag(np.arange(1.0, len(S) + 1)))
    more = data.draw(st.sets(st.integers(0, len(S) - 1)))
    nodes = np.array(sorted({0, 1} | more))
    part = graph.subgraph(nodes)
    np.testing.assert_array_equal(part.adjacency.toarray(), S[np.ix_(nodes, nodes)])
    assert part.ids == tuple(nodes.tolist())
    assert part.label_names == graph.label_names
    np.testing.assert_array_equal(part.labels, nodes % 2)
    np.testing.assert_array_equal(part.features.toarray(), graph.features.toarray()[nodes])


def test_largest_component_says_what_it_left_out():
    graph = Graph.from_edges("abcx", "bcay")
    largest = graph.largest_component()
    assert set(largest.ids) == {"a", "b", "c"}
    assert largest.notes == ("2 node(s) left out: 3 kept",)
    assert largest.largest_component() is largest


@given(adjacencies(), st.data())
def test_what_is_derived_equals_what_is_checked_anew(S, data):
    """Without a second check, yet the same arrays, read-only, and the same hash."""
    n = len(S)
    labels, other = np.arange(n) % 2, np.arange(n) % 3 - 1
    features = np.diag(np.arange(n) - 1.0)
    nodes = np.array(data.draw(st.permutations(range(n))))
    part = {"labels": labels[nodes], "ids": tuple(nodes.tolist()), "features": features[nodes]}
    known = {"labels": labels, "label_names": ("p", "q"), "features": features, "name": "g"}
    graph = Graph(S, **known)
    for derived, checked in (
        (graph.unlabelled, Graph(S, features=features, name="g")),
        (graph.labelled(other, "ab"), Graph(S, **known | {"labels": other, "label_names": "ab"})),
        (graph.noted("x", "y"), Graph(S, **known, notes=("x", "y"))),
        (graph.subgraph(nodes), Graph(S[np.ix_(nodes, nodes)], **known | part)),
    ):
        assert derived.hash == checked.hash
        assert (derived.name, derived.notes) == (checked.name, checked.notes)
        for kind in ("adjacency", "features"):
            for name in ("data", "indices", "indptr"):
                one, two = (getattr(getattr(g, kind), name) for g in (derived, checked))
                np.testing.assert_array_equal(one, two)
                assert one.dtype == two.dtype and not one.flags.writeable
        assert derived.labels is None or not derived.labels.flags.writeable
        np.testing.assert_array_equal(derived.degrees, checked.degrees)
        np.testing.assert_array_equal(derived.components, checked.components)
    assert graph.hash == Graph(S, **known).hash


def test_a_derived_graph_remembers_nothing_of_its_labels():
    graph = Graph.from_edges("abc", "bca", labels=[0, 1, 0])
    assert graph.hash and graph.n_components == 1  # both are kept now
    hidden = graph.unlabelled
    assert (hidden.labels, hidden.label_names, hidden.n_classes) == (None, (), 0)
    assert hidden.hash != graph.hash
    assert hidden.adjacency is graph.adjacency
    assert graph.unlabelled is hidden and hidden.unlabelled is hidden
    with pytest.raises(InputError, match="labels must be 3 whole numbers"):
        graph.labelled([0, 1])
    with pytest.raises(UsageError, match="distinct nodes"):
        graph.subgraph(np.array([0, 1, 1]))
    with pytest.raises(InputError, match="no edges are left"):
        graph.subgraph(np.array([0]))


def test_ten_games_check_at_most_two_matrices(tmp_path, monkeypatch):
    """A file is checked when it is read; its largest component and ten games are not."""
    club = nx.disjoint_union(nx.karate_club_graph(), nx.path_graph(3))
    S, labels = nx.to_scipy_sparse_array(club), np.arange(37) % 3
    write_npz(Graph(S, labels=labels), tmp_path / "cora.npz")
    monkeypatch.setenv("GRAPHOL_DATA", str(tmp_path))
    checks = []

    def counted(matrix, name, check=graphol.graph._checked_adjacency):
        checks.append(name)
        return check(matrix, name)

    monkeypatch.setattr("graphol.graph._checked_adjacency", counted)
    assert main(["simulate", "--dataset", "cora", "--learner", "gpa", "--repeats", "10"]) == 0
    assert 1 <= len(checks) <= 2, checks
    checks.clear()
    graphol.Predictor("gpa", Graph(S, labels=labels)).ask(0)
    assert len(checks) == 1


def test_hash_is_of_the_content_not_of_the_way():
    by_list = Graph.from_edges([0, 1, 2], [1, 2, 0], [1, 2, 3], ids=range(3))
    reversed_list = Graph.from_edges([0, 2, 1], [2, 1, 0], [3, 2, 1], ids=range(3))
    dense = Graph(np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0]]))
    unsorted = csr_array(
        (np.array([3.0, 1, 2, 1, 2, 3]), np.array([2, 1, 2, 0, 1, 0]), np.array([0, 2, 4, 6]))
    )
    looped = Graph(dense.adjacency + csr_array(np.eye(3)), name="other", notes=("said",))
    rows, cols = np.nonzero(dense.adjacency.toarray())
    halves = coo_array((np.tile(dense.adjacency.data / 2, 2), (np.tile(rows, 2), np.tile(cols, 2))))
    for other in (reversed_list, dense, Graph(unsorted), Graph(halves), looped):
        assert other.hash == by_list.hash


BASE = Graph(csr_array([[0, 1], [1, 0]]), labels=[0, 1], label_names=("a", "b"), features=np.eye(2))


@pytest.mark.parametrize(
    "change",
    [
        {"adjacency": csr_array([[0, 2], [2, 0]])},
        {"labels": [1, 0]},
        {"labels": [0, -1]},
        {"labels": None},
        {"label_names": ("a", "c")},
        {"ids": ("0", "1")},
        {"ids": (1, 0)},
        {"features": np.ones((2, 2))},
        {"features": np.eye(2, 3)},
        {"features": None},
    ],
    ids=str,
)
def test_hash_changes_with_every_part_of_the_content(change):
    assert attrs.evolve(BASE, **change).hash != BASE.hash


def test_hash_of_features_ignores_how_they_are_stored():
    zero = csr_array((np.array([1.0, 0.0, 1.0]), np.array([0, 1, 1]), np.array([0, 2, 3])))
    assert zero.nnz == 3
    assert attrs.evolve(BASE, features=zero).hash == BASE.hash


def test_notes_count_what_was_dropped():
    S = csr_array(([5.0, 1, 1, 0, 0], ([0, 0, 1, 1, 2], [0, 1, 0, 2, 1])), shape=(3, 3))
    graph = Graph(S, notes=("before",))
    assert graph.notes == ("before", "1 self loop(s) dropped", "1 zero weight(s) dropped")
    assert graph.n_edges == 1
    assert graph.n_isolated == 1
    assert S.nnz == 5  # the caller's matrix is left alone


def test_edges_repeated_with_equal_weights_are_one_edge():
    graph = Graph.from_edges("aabb", "bbaa", [2, 2, 2, 2])
    assert graph.n_edges == 1
    assert graph.notes == ("3 repeated edge(s) merged",)


def test_edges_repeated_with_other_weights_are_refused():
    with pytest.raises(InputError, match=r"toy: edge 'a' - 'b' has weights 1 and 2; keep one"):
        Graph.from_edges("aab", "bca", [1, 3, 2], name="toy")


def test_ids_fix_the_order_and_add_isolated_nodes():
    graph = Graph.from_edges(["b"], ["a"], ids=["z", "a", "b"])
    assert graph.ids == ("z", "a", "b")
    assert graph.n_isolated == 1
    assert graph.index("b") == 2


def test_unknown_node_is_answered_with_the_nearest():
    graph = Graph.from_edges(["ann"], ["bob"])
    with pytest.raises(UsageError, match="has no node 'anne'; did you mean 'ann'"):
        graph.index("anne")
    with pytest.raises(UsageError, match="has no node"):
        graph.index(["unhashable"])


def test_nothing_can_be_changed_afterwards():
    features = csr_array(np.eye(2))
    graph = attrs.evolve(BASE, features=features)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        graph.labels = None
    for array in (graph.adjacency.data, graph.labels, graph.features.data):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    features.data[0] = 7.0
    assert graph.features.toarray()[0, 0] == 1.0


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"adjacency": np.ones((2, 3))}, "must be square"),
        ({"adjacency": np.zeros((0, 0))}, "empty"),
        ({"adjacency": np.zeros((2, 2))}, "no edges are left"),
        ({"adjacency": np.eye(2)}, "no edges are left"),
        ({"adjacency": [[0, 1], [2, 0]]}, "not symmetric, 1 pair"),
        ({"adjacency": [[0, 1e6, 0], [1e6, 0, 1e-6], [0, 0, 0]]}, "not symmetric, 1 pair"),
        ({"adjacency": [[0, 1e101], [1e101, 0]]}, r"1e\+101 is too large; rescale all to below"),
        ({"adjacency": [[0, 1e-310], [1e-310, 0]]}, "1e-310 is too small; rescale all to above"),
        ({"adjacency": [[0, np.nan], [np.nan, 0]]}, "weight nan between nodes 0 and 1"),
        ({"adjacency": [[0, np.inf], [np.inf, 0]]}, "not finite"),
        ({"adjacency": [[0, -1], [-1, 0]]}, "weight -1.0 between nodes 0 and 1 is negative"),
        ({"adjacency": [["a", "b"], ["b", "a"]]}, "not a numeric matrix"),
        ({"labels": [0, 1, 1]}, "labels must be 2 whole numbers"),
        ({"labels": [0.5, 1]}, "labels must be 2 whole numbers"),
        ({"labels": [0, -2]}, "or -1 where unknown, got -2"),
        ({"labels": [0, 5], "label_names": ("a",)}, "label 5 has no name"),
        ({"ids": ("a", "a")}, "2 distinct node ids"),
        ({"ids": ("a",)}, "2 distinct node ids"),
        ({"features": np.ones((3, 2))}, r"features have shape \(3, 2\) for 2 nodes"),
        ({"features": np.ones(2)}, "features have shape"),
        ({"features": [["a"], ["b"]]}, "features are not a numeric matrix"),
        ({"features": [[np.nan], [1]]}, "features hold NaN"),
    ],
    ids=str,
)
def test_bad_content_is_refused_in_one_line(fields, words):
    good = {"adjacency": csr_array([[0, 1], [1, 0]]), "name": "toy"}
    with pytest.raises(InputError, match=words) as refusal:
        Graph(**(good | fields))
    assert str(refusal.value).startswith("toy: ")
    assert "\n" not in str(refusal.value)
    assert refusal.value.exit_code == 3


def test_edges_to_unknown_ids_and_wrong_lengths_are_refused():
    with pytest.raises(InputError, match="'x', which is not among the ids"):
        Graph.from_edges(["a"], ["x"], ids=["a", "b"])
    with pytest.raises(InputError, match="1 edges but 2 weights"):
        Graph.from_edges(["a"], ["b"], [1, 2])
