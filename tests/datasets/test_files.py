"""A user's own files as a task."""

from __future__ import annotations

import json

import numpy as np
import pytest

import graphol
from graphol import Graph
from graphol.api import Split
from graphol.command import spelled
from graphol.datasets.files import Files
from graphol.formats import write_npz
from graphol.registry import registry


def test_only_labelled_nodes_are_asked(tmp_path):
    edges, labels = tmp_path / "edges.csv", tmp_path / "labels.csv"
    edges.write_text("source,target\nann,bob\nbob,eve\neve,ann\nx,y\n")
    labels.write_text("node,label\nann,red\neve,blue\nx,red\n")
    task = Files(graph=str(edges), labels=str(labels)).load(np.random.default_rng(0))
    assert task.name == "edges.csv"
    asked = task.stream(np.random.default_rng(0)).node
    assert sorted(task.graph.ids[i] for i in asked) == ["ann", "eve", "x"]
    largest = Files(graph=str(edges), labels=str(labels), component="largest")
    graph = largest.load(np.random.default_rng(0)).graph
    assert graph.ids == ("ann", "bob", "eve")
    assert graph.notes == ("2 node(s) without a label", "2 node(s) left out: 3 kept")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.csv").write_text("source,target\nann,bob\nbob,eve\neve,ann\nx,y\n")
    (tmp_path / "b.csv").write_text("source,target,weight\nann,eve,3\neve,zoe,1\nx,zoe,1\n")
    (tmp_path / "l.csv").write_text("node,label\nann,red\neve,blue\nx,red\nzoe,blue\n")
    (tmp_path / "f.csv").write_text("node,feature,value\nann,tea,2\nzoe,tea,1\nzoe,ice,5\n")
    return tmp_path


def several(folder, **more):
    paths = {key: str(folder / f"{key[0]}.csv") for key in ("labels", "features")}
    given = {"graph": str(folder / "a.csv"), "more": [str(folder / "b.csv")]} | paths
    return Files(**(given | more))


def test_several_graphs_are_layers_of_one_task(folder):
    task = several(folder).load(np.random.default_rng(0))
    assert task.name == "a.csv + b.csv"
    assert [graph.name for graph in task.graphs] == ["a.csv", "b.csv"]
    assert task.graph.ids == ("ann", "bob", "eve", "x", "y", "zoe")
    assert task.graph.adjacency[0, 2] == 1 + 3  # ann - eve is in both
    assert task.graph.feature_names == ("tea", "ice")
    assert task.graph.features[[5]].toarray().tolist() == [[1, 5]]
    assert "b.csv: 2 of 6 node(s) are not in it" in task.graph.notes
    problem = task.problem(np.random.default_rng(0))
    assert len(problem.graphs) == 2 and problem.graphs[0].labels is None
    assert several(folder, component="largest").load(np.random.default_rng(0)).graph.n == 6
    alone = several(folder, more=(), component="largest", labels=None)
    assert alone.read().ids == ("ann", "bob", "eve")


def test_what_is_described_is_restored_and_spelled(folder):
    made = several(folder)
    described = json.loads(json.dumps(graphol.describe(made)))
    assert described["more"] == [str(folder / "b.csv")]
    assert registry().restore("dataset", described) == made
    assert graphol.make("dataset", spelled(described)) == made
    with pytest.raises(graphol.UsageError, match=r"more must be a list of texts, got 'b.csv'"):
        Files(graph="a.csv", more="b.csv")


def test_hashes_cover_every_graph_and_the_features(folder):
    def played():
        recipe = graphol.simulate("label-propagation", several(folder), repeats=1).recipe
        return recipe["graph_hash"], recipe["layers_hash"]

    before = played()
    assert played() == before
    text = (folder / "f.csv").read_text()
    (folder / "f.csv").write_text(text.replace("zoe,ice,5", "zoe,ice,6"))
    features = played()
    assert features[0] != before[0] and features[1] != before[1]
    a, b = (folder / "a.csv").read_text(), (folder / "b.csv").read_text()
    (folder / "a.csv").write_text(a.replace("x,y", "x,y\nx,zoe"))  # the sum stays the same
    (folder / "b.csv").write_text(b.replace("x,zoe,1", "x,y,1"))
    assert played()[1] != features[1]


def test_the_split_of_a_file_is_kept_where_nodes_have_labels(tmp_path):
    graph = Graph.from_edges("abcde", "bcdea", labels=[0, 1, 0, 1, 0], label_names=("x", "y"))
    split = Split(np.array([0, 1]), np.array([2]), np.array([3, 4]))
    path, labels = tmp_path / "g.npz", tmp_path / "l.csv"
    write_npz(graph, path, split)
    found = Files(graph=str(path)).load(np.random.default_rng(0)).split
    assert [part.tolist() for part in found] == [[0, 1], [2], [3, 4]]
    labels.write_text("node,label\na,x\nb,y\ne,x\n")
    task = Files(graph=str(path), labels=str(labels)).load(np.random.default_rng(0))
    assert [part.tolist() for part in task.split] == [[0, 1], [], [4]]
    assert "2 node(s) of its split have no label, and are left out of it" in task.graph.notes
    labels.write_text("node,label\na,x\nb,y\n")
    task = Files(graph=str(path), labels=str(labels)).load(np.random.default_rng(0))
    assert task.split is None and any("its split is left out" in n for n in task.graph.notes)
    write_npz(graph, path, split._replace(test=np.array([1, 4])))
    with pytest.raises(graphol.InputError, match=r"its split overlaps itself, 1 node.s. are named"):
        Files(graph=str(path)).load(np.random.default_rng(0))
