"""Graphs over the same nodes, put together by their ids."""

from __future__ import annotations

import numpy as np
import pytest

from graphol import Graph, InputError
from graphol.formats import read_layers, write_npz
from graphol.formats.several import over_one_set


def edges(graph):
    above = graph.adjacency.tocoo()
    return {
        (graph.ids[i], graph.ids[j]): w
        for i, j, w in zip(above.row, above.col, above.data, strict=True)
    }


def test_every_layer_keeps_its_edges_by_the_ids():
    rng = np.random.default_rng(1)
    graphs = []
    for k in range(3):
        names = rng.permutation([f"n{i}" for i in range(30)])[:20].tolist()
        pairs = {(min(a, b), max(a, b)) for a, b in rng.choice(names, size=(40, 2)) if a != b}
        source, target = zip(*sorted(pairs), strict=True)
        weights = rng.random(len(source)) + 0.1
        graphs.append(Graph.from_edges(source, target, weights, name=f"g{k}"))
    layers = over_one_set(graphs)
    seen = list(dict.fromkeys(node for graph in graphs for node in graph.ids))
    for graph, layer in zip(graphs, layers, strict=True):
        assert list(layer.ids) == seen
        assert edges(layer) == edges(graph)
        assert layer.notes == (f"{len(seen) - graph.n} of {len(seen)} node(s) are not in it",)


def test_files_are_named_without_their_folder(tmp_path):
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "e.csv").write_text("source,target\na,b\nb,c\n")
    first, second = read_layers([tmp_path / "x" / "e.csv", tmp_path / "y" / "e.csv"])
    assert (first.name, second.name) == ("e.csv", "e.csv (2)")


def test_labels_of_all_files_and_features_of_the_first_that_has_some(tmp_path):
    a = Graph.from_edges([0, 1], [1, 2], labels=[1, -1, 0], label_names=("x", "y"))
    b = Graph.from_edges([1, 2], [2, 3], labels=[1, 0, 1], label_names=("x", "y"),
                         features=[[3.0], [4.0], [5.0]], feature_names=("f",))  # fmt: skip
    paths = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for graph, path in zip((a, b), paths, strict=True):
        write_npz(graph, path)
    first, second = read_layers(paths)
    assert first.labels.tolist() == [1, 1, 0, 1] and first.label_names == ("x", "y")
    assert first.features.toarray().ravel().tolist() == [0, 3, 4, 5]
    assert first.feature_names == ("f",) and second.labels is second.features is None
    labels = tmp_path / "l.csv"
    labels.write_text("node,label\n3,new\n0,old\n")
    assert read_layers(paths, labels)[0].labels.tolist() == [1, -1, -1, 0]
    write_npz(a.labelled([1, 0, 0], ("x", "y")), paths[0])
    with pytest.raises(InputError, match=r"node 1 is 'x' in a.npz and 'y' in b.npz"):
        read_layers(paths)


def test_graphs_of_other_nodes_are_refused():
    a, b = Graph.from_edges("ab", "bc", name="a"), Graph.from_edges("xy", "yz", name="b")
    with pytest.raises(InputError, match=r"a has no node in common with b .its first is 'a', th"):
        over_one_set([a, b])
    with pytest.raises(InputError, match=r"b has no node in common with a or any other graph"):
        over_one_set([a, Graph.from_edges("a", "c", name="c"), b])
    bridge = Graph.from_edges("a", "x", name="bridge")
    assert len(over_one_set([a, b, bridge])[0].ids) == 6


@pytest.mark.parametrize("ids", [["1", "2", "3"], ["1", "x", "y"]])
def test_numbers_and_texts_are_told_apart_in_words(ids):
    a = Graph.from_edges([1, 2], [2, 3], name="a")
    b = Graph.from_edges(ids[:2], ids[1:], name="b")
    with pytest.raises(InputError, match=r"a has a node 1, another graph has '1': the same id"):
        over_one_set([a, b])
