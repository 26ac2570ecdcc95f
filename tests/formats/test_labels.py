"""Labels files and the names of classes."""

from __future__ import annotations

import pytest

from graphol.errors import InputError
from graphol.formats import read_edges

PLAIN = "source,target,weight\nann,bob,2\nbob,eve,0.5\neve,ann,1\n"


def test_labels_are_sorted_by_name_and_missing_ones_counted(tmp_path):
    (tmp_path / "edges.csv").write_text(PLAIN)
    (tmp_path / "labels.tsv").write_text("label\tnode\nred\teve\nblue\tann\n")
    graph = read_edges(tmp_path / "edges.csv", tmp_path / "labels.tsv")
    assert graph.label_names == ("blue", "red")
    assert graph.labels.tolist() == [0, -1, 1]
    assert graph.notes == ("1 node(s) without a label",)


def test_labels_that_are_numbers_are_sorted_as_numbers(tmp_path):
    (tmp_path / "edges.csv").write_text(PLAIN)
    (tmp_path / "labels.csv").write_text("node,label\nann,10\nbob,9\neve,-1\n")
    graph = read_edges(tmp_path / "edges.csv", tmp_path / "labels.csv")
    assert graph.label_names == ("-1", "9", "10")
    assert graph.labels.tolist() == [2, 1, 0]


def test_unknown_labelled_nodes_are_counted_and_the_nearest_named(tmp_path):
    (tmp_path / "edges.csv").write_text(PLAIN)
    (tmp_path / "labels.csv").write_text("node,label\nann,x\n\nanne,x\nzoe,y\n")
    with pytest.raises(InputError) as refusal:
        read_edges(tmp_path / "edges.csv", tmp_path / "labels.csv")
    assert str(refusal.value) == (
        f"{tmp_path}/labels.csv line 4: node 'anne' (and 1 more) is not in "
        f"{tmp_path}/edges.csv; did you mean 'ann'?"
    )
