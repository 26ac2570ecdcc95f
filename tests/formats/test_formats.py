"""Broken inputs: each gives one line that names the file and says what is wrong."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from graphol import door
from graphol.datasets.files import Files
from graphol.errors import GrapholError, InputError, UsageError
from graphol.formats import read_graph

EDGES = "source,target\na,b\nb,c\n"
NODES = '<node id="a"/><node id="b"/>'
MTX = "%%MatrixMarket matrix coordinate real "


def graphml(inside: str, keys: str = "", head: str = "") -> str:
    return f"<graphml>{keys}<graph {head}>{inside}</graph></graphml>"


WEIGHT_KEY = '<key id="w" for="edge" attr.name="weight"/>'

EDGE_LISTS = {
    "header again": (EDGES + EDGES, "repeats the header; were files put together?"),
    "underscore": ("source,target,weight\na,b,1_0\n", "line 2: weight '1_0' is not a number"),
    "a cell without end": (f"source,target\na,{'b' * 131_073}\n", "line 2: field larger than"),
    "empty file": ("", "is empty"),
    "blank file": ("\n \n", "is empty"),
    "only a header": ("source,target\n", "header but no rows"),
    "no header": ("a,b\nb,c\n", "line 1: the header must be source,target[,weight]"),
    "missing column": ("source,weight\na,1\n", "line 1: the header must be"),
    "semicolons": ("source;target\na;b\n", "with commas or tabs between"),
    "misspelt column": (
        "source,target,wieght\na,b,1\n",
        "line 1: unknown column 'wieght': did you",
    ),
    "column twice": ("source,target,weight,weight\na,b,1,1\n", "column 'weight' is there twice"),
    "ragged row": (
        "source,target,weight\na,b,1\n\nb,c\n",
        "line 4: 2 field(s), but the header has 3",
    ),
    "long row": ("source,target\na,b,c\n", "line 2: 3 field(s), but the header has 2"),
    "open quote": ('source,target\na,"b\nc,d\n', "line 3: unexpected end of data"),
    "empty id": ("source,target\na,b\n,c\n", "line 3: a node id is empty"),
    "nan": ("source,target,weight\na,b,nan\n", "line 2: weight nan is not allowed"),
    "inf": ("source,target,weight\na,b,1\nb,c,inf\n", "line 3: weight inf is not allowed"),
    "huge": ("source,target,weight\na,b,1e999\n", "line 2: weight 1e999 is not allowed"),
    "negative": ("source,target,weight\na,b,-1\n", "line 2: weight -1 is not allowed"),
    "not a number": ("source,target,weight\na,b,heavy\n", "line 2: weight 'heavy' is not a number"),
    "no weight": ("source,target,weight\na,b,\n", "line 2: weight '' is not a number"),
    "conflict": (
        "source,target,weight\na,b,1\nc,d,1\nb,a,2\n",
        "line 4: edge 'b' - 'a' has weight 2, but 1 on line 2",
    ),
    "only self loops": ("source,target\na,a\nb,b\n", "no edges are left"),
    "not utf-8": (b"source,target\na,b\n\xe9,c\n", "line 3: not UTF-8 text (byte 0xe9)"),
    "utf-16": (EDGES.encode("utf-16"), "line 1: not UTF-8"),
}
LABELS = {
    "stranger": ("node,label\na,x\nd,y\n", "line 3: node 'd' is not in"),
    "twice": ("node,label\na,x\nb,y\na,x\n", "line 4: node 'a' already has a label on line 2"),
    "empty label": ("node,label\na,x\nb,\n", "line 3: node 'b' has an empty label"),
    "no rows": ("node,label\n", "header but no rows"),
    "wrong header": ("id,class\na,x\n", "line 1: the header must be node,label"),
    "empty": ("", "is empty"),
}
GRAPHML = {
    "empty": ("", "is empty"),
    "broken": ("<graphml><graph>", "not well-formed XML"),
    "not xml": (EDGES, "not well-formed XML"),
    "encoding": ('<?xml version="1.0" encoding="nonsense"?><graphml/>', "not well-formed XML"),
    "no graph": ("<graphml/>", "holds 0 graphs"),
    "two graphs": ("<graphml><graph/><graph/></graphml>", "holds 2 graphs"),
    "no nodes": (graphml(""), "has no nodes"),
    "no edges": (graphml(NODES), "no edges are left"),
    "no id": (graphml('<node id="a"/><node/>'), "node number 2 has no id"),
    "same id": (graphml(NODES + '<node id="a"/>'), "node 'a' is there twice"),
    "stranger": (
        graphml('<node id="ann"/><edge source="ann" target="anne"/>'),
        "edge number 1 names no known node: 'anne'; did you mean 'ann'?",
    ),
    "no target": (graphml(NODES + '<edge source="a"/>'), "names no known node: ''"),
    "directed": (
        graphml(NODES + '<edge source="a" target="b"/>', head='edgedefault="directed"'),
        "edge 'a' - 'b' is directed",
    ),
    "directed edge": (
        graphml(NODES + '<edge source="a" target="b" directed="true"/>'),
        "edge 'a' - 'b' is directed",
    ),
    "one id twice among many": (
        graphml("".join(f'<node id="{i}"/>' for i in range(50_000)) + '<node id="49999"/>'),
        "node '49999' is there twice",
    ),
    "entities": (
        '<!DOCTYPE g [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + graphml("&b;"),
        "declares entities or defaults of its own",
    ),
    "defaults": (
        '<!DOCTYPE g [<!ATTLIST node x CDATA "aaaa">]>' + graphml(NODES),
        "declares entities or defaults of its own",
    ),
    "hyperedge": (graphml(NODES + "<hyperedge/>"), "has hyperedges"),
    "weight": (
        graphml(NODES + '<edge source="a" target="b"><data key="w">x</data></edge>', WEIGHT_KEY),
        "edge 'a' - 'b': weight 'x' is not a number",
    ),
    "nan": (
        graphml(NODES + '<edge source="a" target="b"><data key="w">nan</data></edge>', WEIGHT_KEY),
        "edge 'a' - 'b': weight nan is not allowed",
    ),
    "no weight": (
        graphml(NODES + '<edge source="a" target="b"/>', WEIGHT_KEY),
        "has no weight, and the file gives no default",
    ),
}
MATRICES = {
    "empty": ("", "is empty"),
    "garbage": ("hello\n1 2 3\n", "line 1: not a Matrix Market file"),
    "banner": ("%%MatrixMarket vector coordinate real general\n", "line 1: not a Matrix Market"),
    "no size": (MTX + "symmetric\n% nothing\n", "size of the matrix is missing"),
    "short size": (
        MTX + "symmetric\n3 3\n2 1 1.0\n",
        "line 2: the size of the matrix is 3 numbers",
    ),
    "truncated": (
        MTX + "symmetric\n% c\n3 3 2\n2 1 1.0\n",
        "line 3: 2 entries are announced, 1 are there",
    ),
    "one line": (MTX + "symmetric\n3 3 1\n2 1 1 3 2 0.5\n", "line 3: 6 field(s), an entry has 3"),
    "outside": (MTX + "symmetric\n2 2 1\n3 1 1.0\n", "line 3: entry (3, 1) is outside 1..2"),
    "from zero": (MTX + "symmetric\n2 2 1\n1 0 1.0\n", "line 3: entry (1, 0) is outside 1..2"),
    "not a row": (MTX + "symmetric\n2 2 1\n2 a 1.0\n", "line 3: 'a' is not a whole number"),
    "not square": (
        MTX + "general\n2 3 1\n1 2 1.0\n",
        "line 2: the matrix must be square, got 2 x 3",
    ),
    "asymmetric": (MTX + "general\n2 2 1\n1 2 1.0\n", "not symmetric, 1 pair"),
    "negative": (MTX + "symmetric\n2 2 1\n2 1 -1.0\n", "line 3: weight -1.0 is not allowed"),
    "nan": (MTX + "symmetric\n2 2 1\n2 1 nan\n", "line 3: weight nan is not allowed"),
    "skew": (MTX + "skew-symmetric\n2 2 1\n2 1 1.0\n", "'skew-symmetric' matrices are not read"),
    "twice": (MTX + "symmetric\n2 2 2\n2 1 1.0\n2 1 1.0\n", "entry (1, 2) is stored twice"),
    "both halves": (MTX + "symmetric\n2 2 2\n2 1 1.0\n1 2 1.0\n", "is stored twice"),
    "no entries": (MTX + "symmetric\n2 2 0\n", "no edges are left"),
    "no rows": (MTX + "symmetric\n0 0 0\n", "the graph is empty"),
    "negative size": (MTX + "symmetric\n-2 -2 0\n", "line 2"),
    "huge": (MTX + "symmetric\n9999999999 9999999999 1\n2 1 1\n", "cannot be right"),
    "60 bytes for a million": (
        MTX + "symmetric\n1000000 1000000 1\n2 1 1\n",
        "line 2: 1000000 rows for 1 entries cannot be right",
    ),
    "underscore": (MTX + "symmetric\n1_0 1_0 1\n2 1 1\n", "line 2: '1_0' is not a whole number"),
    "20 digits": (
        MTX + f"symmetric\n3 3 {10**19}\n2 1 1\n",
        "line 2: '10000000000000000000' has more than 18 digits",
    ),
    "complex": (MTX.replace("real", "complex") + "symmetric\n", "'complex' matrices are not read"),
    "array": (
        MTX.replace("coordinate", "array") + "general\n2 2\n0\n1\n1\n",
        "4 numbers are needed, 3 are there",
    ),
    "array row": (
        MTX.replace("coordinate", "array") + "general\n2 2\n0 1\n1 0\n",
        "line 3: weight '0 1' is not a number",
    ),
}


def npz(**changes: object) -> bytes:
    """The edge a - b, with some members changed (None: left out)."""
    members: dict[str, object] = {
        "indptr": np.array([0, 1, 2]),
        "indices": np.array([1, 0]),
        "data": np.ones(2),
        "n": 2,
    }
    members |= changes
    file = io.BytesIO()
    np.savez(file, **{key: value for key, value in members.items() if value is not None})
    return file.getvalue()


OBJECTS = np.array(["a", None], dtype=object)
NPZ = {
    "empty": (b"", "truncated, or not an npz file"),
    "not a zip": (b"hello", "truncated, or not an npz file"),
    "a npy file": (npz()[:0] + b"\x93NUMPY\x01\x00", "truncated, or not an npz file"),
    "truncated": (npz()[:-30], "truncated, or not an npz file"),
    "no adjacency": (npz(indptr=None, n=None), "has no indptr, n; a graph needs"),
    "objects": (npz(ids=OBJECTS), "ids holds Python objects, which are never loaded"),
    "object labels": (npz(labels=OBJECTS), "labels holds Python objects"),
    "n is text": (npz(n="two"), "n must be whole numbers (), got <U3 ()"),
    "n is wrong": (npz(n=3), "indptr must be whole numbers (4,), got int64 (3,)"),
    "n is negative": (npz(n=-1), "n holds -1; it must be >= 1"),
    "short data": (npz(data=np.ones(1)), "data must be numbers (2,), got float64 (1,)"),
    "flat": (npz(indices=np.array([[1, 0]])), "indices must be whole numbers (entries,), got"),
    "float indices": (npz(indices=np.array([1.0, 0.0])), "indices must be whole numbers"),
    "text data": (npz(data=np.array(["1", "1"])), "data must be numbers (2,), got <U1 (2,)"),
    "outside": (npz(indices=np.array([1, 7])), "indices holds 7; it must be below 2"),
    "backwards": (npz(indptr=np.array([0, 9, 2])), "indptr must rise from 0 to 2"),
    "asymmetric": (npz(data=np.array([1.0, 2.0])), "not symmetric, 1 pair"),
    "nan": (npz(data=np.array([np.nan, np.nan])), "weight nan between nodes 0 and 1"),
    "wrong labels": (npz(labels=np.array([0, 1, 2])), "labels must be whole numbers (2,)"),
    "float labels": (npz(labels=np.array([0.5, 1])), "labels must be whole numbers (2,)"),
    "few names": (npz(labels=np.array([0, 1]), label_names=np.array(["x"])), "label 1 has no name"),
    "unlabelled": (npz(labels=np.array([0, 1]), unlabelled_idx=np.array([9])), "unlabelled_idx"),
    "a label of 10^8": (npz(labels=np.array([0, 10**8])), "100000001 classes for 2 nodes"),
    "a label of 2^64-1": (
        npz(labels=np.array([0, 2**64 - 1], dtype=np.uint64)),
        "labels holds 18446744073709551615",
    ),
    "equal names": (
        npz(labels=np.array([0, 1]), label_names=np.array(["x", "x"])),
        "two classes are called 'x'; give each its own name",
    ),
    "names without end": (
        npz(labels=np.array([0, 1]), label_names=np.arange(10_001).astype(str)),
        "10001 classes for 2 nodes, at most 10000 are allowed",
    ),
    "ids twice": (npz(ids=np.array(["a", "a"])), "needs 2 distinct node ids"),
    "bad literal": (npz(ids_literal=np.array(["exit()", "1"])), "not a literal"),
    "half features": (npz(x_data=np.ones(1)), "features lack x_indptr, x_indices, x_shape"),
    "few features": (
        npz(x_data=np.ones(1), x_indptr=[0, 1], x_indices=[0], x_shape=[1, 1]),
        "features have shape (1, 1) for 2 nodes",
    ),
}
CASES = [
    pytest.param(suffix, content, words, id=f"{suffix} {case}")
    for suffix, cases in (
        (".csv", EDGE_LISTS), (".graphml", GRAPHML), (".mtx", MATRICES), (".npz", NPZ),
    )
    for case, (content, words) in cases.items()
]  # fmt: skip


def assert_refused(
    call: Callable[[], object], kind: type[GrapholError], path: Path, words: str
) -> None:
    with pytest.raises(kind) as refusal:
        call()
    said = str(refusal.value)
    assert "\n" not in said
    assert str(path) in said
    assert words in said
    assert refusal.value.exit_code == (3 if kind is InputError else 2)


@pytest.mark.parametrize(("suffix", "content", "words"), CASES)
def test_broken_graphs(tmp_path, suffix, content, words):
    file = tmp_path / f"broken{suffix}"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert_refused(lambda: read_graph(file), InputError, file, words)


@pytest.mark.parametrize(("content", "words"), LABELS.values(), ids=LABELS)
def test_broken_labels(tmp_path, content, words):
    (tmp_path / "edges.csv").write_text(EDGES)
    file = tmp_path / "labels.csv"
    file.write_text(content)
    assert_refused(lambda: read_graph(tmp_path / "edges.csv", file), InputError, file, words)


def test_paths_that_are_no_graph_files(tmp_path):
    (tmp_path / "edges.csv").write_text(EDGES)
    missing = tmp_path / "edgs.csv"
    hint = f"there is no such file; did you mean '{tmp_path}/edges.csv'?"
    assert_refused(lambda: read_graph(missing), InputError, missing, hint)
    lost = tmp_path / "nowhere" / "x.csv"
    assert_refused(lambda: read_graph(lost), InputError, lost, "there is no such file")
    assert_refused(
        lambda: read_graph(tmp_path), InputError, tmp_path, "is a folder; name a file in it"
    )
    strange = tmp_path / "graph.docx"
    strange.write_text("?")
    assert_refused(
        lambda: read_graph(strange), InputError, strange, "no reader for files that end in '.docx'"
    )
    bare = tmp_path / "graph"
    bare.write_text("?")
    assert_refused(lambda: read_graph(bare), InputError, bare, "no reader for files that end in ''")
    packed = tmp_path / "edges.csv.gz"
    packed.write_bytes(gzip.compress(EDGES.encode())[:-12])
    assert_refused(lambda: read_graph(packed), InputError, packed, "truncated, or not a gzip file")
    assert_refused(
        lambda: read_graph(tmp_path / "edges.csv", tmp_path / "no.csv"),
        InputError,
        tmp_path / "no.csv",
        "there is no such file",
    )


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind here")
def test_a_file_that_may_not_be_read(tmp_path):
    file = tmp_path / "secret.csv"
    file.write_text(EDGES)
    file.chmod(0)
    assert_refused(lambda: read_graph(file), InputError, file, "cannot be read (Permission denied)")


def test_games_that_cannot_be_played(tmp_path):
    rng = np.random.default_rng(0)
    edges, labels = tmp_path / "edges.csv", tmp_path / "labels.csv"
    edges.write_text(EDGES)
    labels.write_text("node,label\na,x\nb,x\nc,x\n")
    alone = Files(graph=str(edges))
    assert_refused(lambda: alone.load(rng), InputError, edges, "has no labels to predict")
    one = Files(graph=str(edges), labels=str(labels))
    assert_refused(
        lambda: one.load(rng), InputError, edges, "has 1 class(es) among its labelled nodes"
    )
    with pytest.raises(UsageError, match="files: no graph is given; name one with --graph FILE"):
        Files().load(rng)
    with pytest.raises(UsageError, match="files: component must be one of largest, all"):
        Files(graph=str(edges), component="biggest")


def test_a_graphml_file_may_name_a_dtd(tmp_path):
    """GraphML's own, as old writers do; it is not fetched."""
    dtd = '<!DOCTYPE graphml SYSTEM "http://graphml.graphdrawing.org/dtds/graphml.dtd">'
    text = dtd + graphml(NODES + '<edge source="a" target="b"/>')
    (tmp_path / "g.graphml").write_text(text)
    assert read_graph(tmp_path / "g.graphml").n_edges == 1


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint64])
def test_labels_of_any_width_may_be_ignored(tmp_path, kind):
    content = npz(labels=np.array([0, 1], dtype=kind), unlabelled_idx=np.array([0]))
    (tmp_path / "g.npz").write_bytes(content)
    assert read_graph(tmp_path / "g.npz").labels.tolist() == [-1, 1]


def test_labels_of_5000_digits_are_names(tmp_path):
    (tmp_path / "e.csv").write_text("source,target\na,b\nb,c\n")
    (tmp_path / "l.csv").write_text(f"node,label\na,{'9' * 5000}\nb,10\nc,9\n")
    graph = read_graph(tmp_path / "e.csv", tmp_path / "l.csv")
    assert graph.label_names == ("10", "9", "9" * 5000)  # as texts, where one is no number


def test_ids_that_fill_the_memory_are_not_made(tmp_path):
    """Two million nodes without an edge are some kilobytes of npz."""
    members = {"indptr": np.r_[0, 1, np.full(2_000_000, 2)], "indices": [1, 0], "data": [1, 1]}
    np.savez_compressed(tmp_path / "g.npz", n=2_000_001, **members)
    with pytest.raises(InputError, match="2000001 rows for 2 entries cannot be right"):
        read_graph(tmp_path / "g.npz")


SMALL = {
    ".csv": b"source,target\n" + b"a,b\n" * 500_000,
    ".tsv": b"source\ttarget\n" + b"\n" * 900_000,
    ".mtx": MTX.encode() + b"symmetric\n2 2 1\n" + b"\n" * 900_000,
    ".graphml": b"<graphml>" + b"<a/>" * 500_000,
}


@pytest.mark.parametrize("ending", SMALL)
def test_text_that_becomes_many_objects_is_counted_before(tmp_path, monkeypatch, ending):
    """As much as may be unpacked is still too much where every four bytes are an object."""
    monkeypatch.setattr(door, "FLOOR", 4_000_000)
    file = tmp_path / f"g{ending}.gz"
    file.write_bytes(gzip.compress(SMALL[ending]))
    assert_refused(lambda: read_graph(file), InputError, file, "its lines would take more than")
