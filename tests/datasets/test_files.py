"""A user's own files as a task."""

from __future__ import annotations

import numpy as np

from graphol.datasets.files import Files


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
