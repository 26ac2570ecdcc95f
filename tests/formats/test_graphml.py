"""GraphML against networkx, and by hand."""

from __future__ import annotations

import gzip

import networkx as nx
import numpy as np
import pytest

from graphol.errors import InputError
from graphol.formats import read_graph, read_graphml

PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="w" for="edge" attr.name="weight" attr.type="double"><default>2.5</default></key>
  <key id="c" for="node" attr.name="class" attr.type="string"/>
  <key id="t" for="node" attr.name="label" attr.type="string"/>
  <graph edgedefault="undirected">
    <node id="a"><data key="c">red</data><data key="t">A</data></node>
    <node id="b"><data key="c"> blue </data><data key="t">B</data></node>
    <node id="alone"><data key="t">C</data></node>
    <edge source="a" target="b"/>
  </graph>
</graphml>
"""


@pytest.mark.parametrize("seed", range(5))
def test_networkx_graphs_come_back(tmp_path, seed):
    original = nx.gnp_random_graph(12, 0.3, seed=seed)
    rng = np.random.default_rng(seed)
    for _, _, data in original.edges(data=True):
        data["weight"] = float(rng.random()) + 0.1
    for node, data in original.nodes(data=True):
        data["label"] = "even" if node % 2 == 0 else "odd"
    nx.write_graphml(original, tmp_path / "g.graphml")
    graph = read_graphml(tmp_path / "g.graphml")
    assert graph.ids == tuple(str(node) for node in original.nodes)
    np.testing.assert_array_equal(graph.adjacency.toarray(), nx.to_numpy_array(original))
    assert graph.label_names == ("even", "odd")
    np.testing.assert_array_equal(graph.labels, np.arange(12) % 2)


def test_defaults_class_before_label_and_isolated_nodes(tmp_path):
    (tmp_path / "g.graphml").write_text(PAGE)
    graph = read_graphml(tmp_path / "g.graphml")
    assert graph.ids == ("a", "b", "alone")
    assert graph.adjacency.toarray()[0].tolist() == [0, 2.5, 0]
    assert graph.label_names == ("blue", "red")
    assert graph.labels.tolist() == [1, 0, -1]
    assert graph.notes == ("1 node(s) without a label",)


def test_gzip_no_namespace_and_no_keys(tmp_path):
    inside = '<node id="a"/><node id="b"/><edge source="b" target="a"/>'
    page = f"<graphml><graph>{inside}</graph></graphml>"
    (tmp_path / "g.graphml.gz").write_bytes(gzip.compress(page.encode()))
    graph = read_graph(tmp_path / "g.graphml.gz")
    assert graph.labels is None
    assert graph.adjacency.toarray().tolist() == [[0, 1], [1, 0]]


def test_a_labels_file_replaces_the_labels_of_the_graph(tmp_path):
    (tmp_path / "g.graphml").write_text(PAGE)
    (tmp_path / "labels.csv").write_text("node,label\na,x\nb,y\nalone,x\n")
    graph = read_graphml(tmp_path / "g.graphml", tmp_path / "labels.csv")
    assert graph.label_names == ("x", "y")
    assert graph.labels.tolist() == [0, 1, 0]


def test_directed_files_are_refused(tmp_path):
    nx.write_graphml(nx.path_graph(3, create_using=nx.DiGraph), tmp_path / "d.graphml")
    with pytest.raises(InputError, match=r"d.graphml: edge '0' - '1' is directed.*edgedefault"):
        read_graphml(tmp_path / "d.graphml")
