"""Texts of nodes, from a table."""

from __future__ import annotations

import pytest

from graphol import Graph, InputError
from graphol.formats.node_texts import read_texts

GRAPH = Graph.from_edges(["a", "b,1", "c"], ["b,1", "c", "a"])


def test_columns_quotes_and_strangers(tmp_path):
    file = tmp_path / "n.csv"
    file.write_text(
        'key,TITLE,Description,Town\n"b,1","say ""b""","two\nlines",\nz,Z,,\nc, C ,,x\n'
    )
    texts, notes = read_texts(file, GRAPH)
    assert texts == {
        "b,1": {"title": 'say "b"', "description": "two\nlines"},
        "c": {"title": "C", "Town": "x"},
    }
    assert notes == (
        f"1 node(s) of {file} are not in the graph, their texts left out",
        f"1 node(s) without a line in {file}",
    )


def test_whole_numbers_as_ids(tmp_path):
    (tmp_path / "n.csv").write_text("node,title\n7,seven\n")
    graph = Graph.from_edges([7, 8], [8, 9])
    assert read_texts(tmp_path / "n.csv", graph)[0] == {7: {"title": "seven"}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("node\na\n", "with a column of texts at least"),
        ("node,title,Title\na,x,y\n", "'title' is there twice"),
        ("node,,x\na,x,y\n", "column 2 has no name"),
        ("node,title\na,x\na,y\n", "already has a line, line 2"),
        ("node,title\nq,x\n", "none of its 1 node"),
        ("node,title\na\n", "1 field"),
        ("node,title\n", "no rows"),
    ],
)
def test_what_is_refused(tmp_path, text, said):
    (tmp_path / "n.csv").write_text(text)
    with pytest.raises(InputError, match=said):
        read_texts(tmp_path / "n.csv", GRAPH)
