"""Node ids in files: what is written is read, in every kind of file; the rest is refused."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphol import Predictor, node_ids, npz, saved
from graphol.cli import main
from graphol.errors import InputError, UsageError
from graphol.formats import from_networkx, read_npz, write_npz
from graphol.graph import Graph

whole = st.one_of(st.integers(-9, 9), st.integers(), st.integers(0, 9).map(np.int32))
leaves = st.one_of(whole, st.text())
nodes = st.recursive(leaves, lambda part: st.lists(part, max_size=3).map(tuple), max_leaves=6)
lists = st.one_of(
    *(st.lists(kind, min_size=2, max_size=8, unique=True) for kind in (whole, st.text(), nodes))
)


@given(lists)
def test_every_list_of_ids_comes_back(tmp_path_factory, ids):
    file = tmp_path_factory.mktemp("ids") / "ids.npz"
    npz.write(file, node_ids.members(ids, "toy"), force=False)
    back = node_ids.read(npz.members(file, (), "ids", optional=None), str(file))
    assert back == tuple(ids)
    assert [type(node) for node in back] == [
        int if isinstance(node, np.integer) else type(node) for node in ids
    ]


@pytest.mark.parametrize("kind", [[1, 2], ["a", "b\0"], [(0, 1), (0, 2)], [1, "1"], [0, 2**70]])
def test_one_kind_is_an_array_that_numpy_alone_reads(kind):
    members = node_ids.members(kind, "toy")
    assert set(members) == {"ids" if kind == [1, 2] else "ids_literal"}
    assert not any(array.dtype.hasobject for array in members.values())


@pytest.mark.parametrize(
    ("node", "shown"),
    [
        (1.5, "1.5"),
        (True, "True"),
        (None, "None"),
        (frozenset({1}), "frozenset({1})"),
        ((1, 2.5), "(1, 2.5)"),
        (10**2000, "1000000"),
        (10**9000, "of type int"),
        (b"x" * 200, "b'xxx"),
    ],
    ids=["float", "bool", "none", "set", "part", "digits", "more-digits", "long"],
)
def test_what_cannot_be_written_is_refused_by_name(node, shown):
    with pytest.raises(UsageError) as refusal:
        node_ids.members([0, node], "toy")
    said = str(refusal.value)
    assert said.startswith(f"toy: node id {shown}")
    assert said.endswith("cannot be stored; use texts, whole numbers or tuples")
    assert len(said) < 200


def nested(levels):
    node = 1
    for _ in range(levels):
        node = (node,)
    return node


def test_tuples_may_be_nested_but_not_without_end():
    ids = (nested(node_ids.DEEPEST), 2)
    assert node_ids.read(node_ids.members(ids, "toy"), "toy") == ids
    for levels in (node_ids.DEEPEST + 1, 100_000):
        with pytest.raises(UsageError, match="cannot be stored"):
            node_ids.members([nested(levels)], "toy")


@pytest.mark.parametrize("text", ["exit()", "[1]", "{}", "(" * 500, "1 +"])
def test_literals_that_are_no_ids_are_one_line(text):
    with pytest.raises(InputError, match=r"f\.npz: ids_literal holds .* not a literal of a"):
        node_ids.read({"ids_literal": np.array(["1", text])}, "f.npz")


def test_floats_that_were_written_once_are_still_read():
    assert node_ids.read({"ids_literal": np.array(["1.5", "None"])}, "f.npz") == (1.5, None)


def test_a_networkx_grid_survives_in_every_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    grid = from_networkx(nx.grid_2d_graph(3, 4))
    write_npz(grid, "grid.npz")
    assert read_npz("grid.npz").hash == grid.hash
    predictor = Predictor("gpa", grid, classes=["x", "y"])
    predictor.tell(predictor.ask((1, 2)), label="y")
    predictor.save("predictor.npz")
    again = Predictor.load("predictor.npz")
    assert again.graph.hash == grid.hash and again.ask((1, 2)).label == "y"
    assert main(["embed", "--graph", "grid.npz", "--out", "rows.npz", "--quiet"]) == 0
    assert main(["solve", "--graph", "grid.npz", "--out", "x.npz", "--quiet"]) == 0
    for file in ("rows.npz", "x.npz"):
        stored = npz.members(tmp_path / file, (), "rows", optional=None)
        assert node_ids.read(stored, file) == grid.ids


def test_an_older_predictor_is_read(tmp_path):
    """Before, ids stood in its meta.json."""
    graph = Graph.from_edges(["a", "b"], ["b", "c"])
    predictor = Predictor("gpa", graph, classes=["x", "y"])
    predictor.save(tmp_path / "new.npz")
    arrays, meta = npz.read(tmp_path / "new.npz", "saved predictor", (saved.SCHEMA,))
    del arrays["ids"]
    old = {**meta, "schema": 2, "ids": ["a", "b", "c"]}
    npz.write(tmp_path / "old.npz", arrays, old, force=False)
    assert json.loads(json.dumps(meta)) == meta
    assert Predictor.load(tmp_path / "old.npz").graph.hash == graph.hash
