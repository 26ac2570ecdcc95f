"""1120 inputs that are not in order: 28 kinds of defect, 40 variants each, all from seeds.

``call(kind, k, folder)`` writes variant k of a kind into an empty folder and returns the arguments
of ``graphol`` that must be refused: one line, exit code 2 or 3.
"""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import socket
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

VARIANTS = 40
KINDS: dict[str, Callable[[np.random.Generator, int, Path], list[str]]] = {}

GOOD = "source,target,weight\na,b,2\nb,c,1\nc,d,1\nd,a,3\n"
LABELS = "node,label\na,x\nb,x\nc,y\nd,y\n"
MTX = "%%MatrixMarket matrix coordinate real "
BANNER = MTX + "symmetric\n"


def kind(make: Callable[[np.random.Generator, int, Path], list[str]]) -> Any:
    KINDS[make.__name__] = make
    return make


def call(name: str, k: int, folder: Path) -> list[str]:
    rng = np.random.default_rng([sorted(KINDS).index(name), k])
    return KINDS[name](rng, k, folder)


def simulate(
    folder: Path, name: str, content: str | bytes, labels: str | None = LABELS
) -> list[str]:
    path = folder / name
    path.write_bytes(
        content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    )
    arguments = ["simulate", "--learner", "gpa", "--repeats", "1", "--graph", str(path)]
    if labels is not None:
        (folder / "labels.csv").write_text(labels)
        arguments += ["--labels", str(folder / "labels.csv")]
    return arguments


def some_rows(rng: np.random.Generator, bad: str, least: int = 0) -> str:
    """A good edge list with one bad line somewhere below the header."""
    lines = [f"n{i},n{i + 1},{i % 3 + 1}" for i in range(int(rng.integers(least, 30)))]
    lines.insert(int(rng.integers(len(lines) + 1)), bad)
    return "\n".join(["source,target,weight", *lines]) + "\n"


@kind
def cells(rng, k, folder):
    """Rows of the wrong width, empty ids, quotes that stay open, cells without end."""
    bad = [
        "a,b", "a,b,1,2", ",b,1", "a,,1", '"a,b,1', "a", "a,b,1" + ",x" * int(rng.integers(1, 99)),
        'a"b,c"d"e,"1"2', "x" * 131_073 + ",b,1", '"' + "y" * int(rng.integers(131_073, 300_000)),
    ][k % 10]  # fmt: skip
    text = some_rows(rng, bad)
    return simulate(folder, "edges.tsv" if k % 4 == 3 else "edges.csv", text)


@kind
def weights(rng, k, folder):
    """Weights that are no finite numbers >= 0, also those that only Python can read."""
    bad = [
        "nan", "inf", "-inf", "-1", "1_0", "١٢", "1e999", "", "0x10", "9" * 5000, "1,5", "1e",
        "--1", "one", "1 2", "\x1b[2J", "-0.001", "1__0", "½", "NaN(1)", "1e101",
    ][k % 21]  # fmt: skip
    quoted = f'"{bad}"' if "," in bad else bad
    return simulate(folder, "edges.csv", some_rows(rng, f"p,q,{quoted}"))


@kind
def headers(rng, k, folder):
    """No header, a wrong one, columns twice, the header once more."""
    first = [
        "", "a,b,1", "source;target", "source,source,target", "sorce,target", "from,to", "source",
        "source,target,weigth", "source,target,weight,weight", "source,target,weight", "SOURCE, ",
        "Source,Target",
    ][k % 12]  # fmt: skip
    rows = [f"u{i},u{i + 1}" + ",1" * max(first.count(",") - 1, 0) for i in range(5)]
    if first in ("source,target,weight", "Source,Target"):
        rows.insert(int(rng.integers(6)), first)  # put together from several files
    return simulate(folder, "edges.csv", "\n".join([first, *rows][: 1 if k % 24 == 23 else None]))


@kind
def encodings(rng, k, folder):
    """Bytes that are not UTF-8, in every place."""
    text = GOOD.encode()
    place = int(rng.integers(len(text)))
    bad = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88", b"\x80"][k % 5]
    content = text[:place] + bad + text[place:]
    if k % 8 == 7:
        content = GOOD.encode(["utf-16", "utf-32", "utf-16-le"][k // 8 % 3])
    return simulate(folder, ["edges.csv", "edges.mtx", "edges.csv.gz"][k % 3], _packed(content, k))


def _packed(content: bytes, k: int) -> bytes:
    return gzip.compress(content) if k % 3 == 2 else content


@kind
def label_files(rng, k, folder):
    """Labels of strangers, twice, of nobody, of one class; the header again."""
    labels = [
        LABELS + "z,x\n", LABELS + "a,y\n", LABELS + "a,x\n", LABELS.replace("b,x", "b,"),
        "node,label\n", "", "id,class\na,x\n", LABELS + LABELS, LABELS.replace("y", "x"),
        LABELS + "\x1b]0;x\x07,y\n", LABELS.replace("a,", "A,"), "node,label\na,x\n",
        LABELS + "q" * 200_000 + ",y\n",
    ][k % 13]  # fmt: skip
    edges = some_rows(rng, "a,b,1").replace("n", "m") + "b,c,1\nc,d,1\n"
    return simulate(folder, "edges.csv", edges, labels)


@kind
def feature_files(rng, k, folder):
    """Features of nobody, twice, without end, not finite, in no table."""
    good = ["node,w0,w1", "a,1,0", "b,0,2.5", "c,1,1"]
    bad = [
        "d,nan,1", "d,1,inf", "d,1,1e999", "d,1_0,1", "d,x,1", "d,,1", "d,1", "d,1,1,1", "a,1,1",
        '"d,1,1', "node,w0,w1", "d,1,\x1b[2J", "d,1,1e101", "d,1," + "9" * 5000, "d,\u0661,1",
    ][k % 15]  # fmt: skip
    lines = [*good]
    lines.insert(int(rng.integers(1, len(lines) + 1)), bad)
    text = "\n".join(lines)
    if k >= 30:
        text = [
            "", "node", "node,w\n", "id,w\na,1\n", "node,w,w\na,1,1\n", "node,feature\na,\n",
            "node,feature,value\na,w,nan\n", "node,feature\na,w\na,w\n", "node,w\nz,1\n",
            "node,,w\na,1,1\n",
        ][k - 30]  # fmt: skip
    name = "f.csv.gz" if k % 10 == 7 else "f.csv"
    content = text.encode()
    (folder / name).write_bytes(gzip.compress(content)[:-6] if name.endswith("gz") else content)
    return [*simulate(folder, "edges.csv", GOOD), "--features", str(folder / name)]


@kind
def gz_damage(rng, k, folder):
    """Packed files that break off, are something else or do not keep their checksum."""
    packed = bytearray(gzip.compress(GOOD.encode(), mtime=0))
    how = k % 5
    if how == 0:
        packed = packed[: int(rng.integers(2, len(packed)))]
    elif how == 1:
        packed[-1 - int(rng.integers(8))] ^= int(rng.integers(1, 256))
    elif how == 2:
        packed += bytes(rng.integers(1, 256, size=20).astype(np.uint8))
    elif how == 3:
        packed = bytearray(GOOD.encode())
    else:
        packed = bytearray(rng.integers(0, 256, size=100).astype(np.uint8).tobytes())
    return simulate(folder, f"g.{['csv', 'graphml', 'mtx', 'txt'][k % 4]}.gz", bytes(packed))


@kind
def gz_bombs(rng, k, folder):
    """A few hundred kilobytes that unpack to 80 MB to 1 GiB."""
    block = [b"\0", b"\n", b"a,b,1\n", b"x", b"1 2 3\n", b'<node id="a"/>', b'"'][k % 7]
    piece = gzip.compress(block * (4_000_000 // len(block)), mtime=0)  # members may follow
    whole = piece * int(rng.integers(20, 270))
    return simulate(folder, f"g.{['csv', 'graphml', 'mtx', 'tsv'][k % 4]}.gz", whole)


def npy(header: str, body: bytes = b"", version: bytes = b"\1\0") -> bytes:
    text = header.encode("latin1") + b"\n"
    width = "<H" if version == b"\1\0" else "<I"
    return b"\x93NUMPY" + version + struct.pack(width, len(text)) + text + body


def array_header(shape: str, descr: str = "<i8") -> str:
    return f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"


def graph_members(rng: np.random.Generator) -> dict[str, Any]:
    """A ring with labels in a random number of classes."""
    n = int(rng.integers(4, 40))
    i = np.arange(n)
    ends = np.sort(np.stack([(i - 1) % n, (i + 1) % n], axis=1), axis=1)
    return {
        "n": np.array(n), "indptr": 2 * np.arange(n + 1), "indices": ends.ravel(),
        "data": np.ones(2 * n), "labels": i % 2,
    }  # fmt: skip


def packed(members: dict[str, Any], raw: dict[str, bytes] | None = None) -> bytes:
    """As an npz; ``raw`` are members as bytes, under their whole names."""
    file = io.BytesIO()
    np.savez(file, **{key: value for key, value in members.items() if value is not None})
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (raw or {}).items():
            archive.writestr(name, content)
    return file.getvalue()


def npz(folder: Path, members: dict[str, Any], raw: dict[str, bytes] | None = None) -> list[str]:
    return simulate(folder, "graph.npz", packed(members, raw), labels=None)


@kind
def npz_bombs(rng, k, folder):
    """Members that are, or say that they are, far larger than their file."""
    members = graph_members(rng)
    name = ["indices", "data", "labels", "indptr", "label_names"][k % 5]
    members[name] = None
    size = int(rng.integers(110_000_000, 200_000_000))
    how = k % 8
    if how == 0:
        raw = npy(array_header(f"({size // 8},)"), bytes(size // 8 * 8))
    elif how == 1:
        raw = npy(array_header(f"({10 ** int(rng.integers(9, 18))},)"), bytes(800))
    elif how == 2:
        raw = npy(array_header("(2,)", f"<U{10 ** int(rng.integers(8, 10)) - 1}"), bytes(800))
    elif how == 3:
        raw = npy(array_header(f"({10**9}, {10**9}, 0)"))
    elif how == 4:
        raw = npy(array_header(f"({10 ** int(rng.integers(9, 18))},)", "<U0"))
    elif how == 5:
        raw = npy(array_header("(" + "1000, " * 8 + ")", "|i1"), bytes(1000))
    elif how == 6:
        raw = npy(array_header(f"({size},)", "|b1"), bytes(size))
    else:
        raw = npy(array_header("(5,)"), bytes(size))
    return npz(folder, members, {f"{name}.npy": raw})


@kind
def npy_headers(rng, k, folder):
    """Headers that are unbalanced, nested, long, of objects, of records, of nothing."""
    members = graph_members(rng)
    members["data"] = None
    bad = [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (8,", "{" * 5000, "(" * 9000, "",
        array_header("(-8,)"), array_header("(8,)", "|O"), array_header(f"({'9' * 4000},)"),
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (8,), }",
        "{'descr': '<f8', 'shape': (8,), }", array_header("(8,)", "<f3"), array_header("8"),
        "{'descr': '<f8', 'fortran_order': __import__('os'), 'shape': (8,), }",
        array_header("(8.0,)"), array_header("(8,)") + "x" * 9000, array_header("(8,)", "<M8[s]"),
        array_header("(8,)", "|V8"), array_header("(1_0,)"), "\x00" * 64, array_header("(True,)"),
        array_header(f"({'1, ' * 70})"), "- " * 4000 + "1",
    ][k % 21]  # fmt: skip
    version = [b"\1\0", b"\2\0", b"\3\0"][k % 3] if k % 7 else b"\x09\0"
    return npz(folder, members, {"data.npy": npy(bad, bytes(64), version)})


@kind
def npz_members(rng, k, folder):
    """Members that are missing, not arrays, there twice, or of another kind or shape."""
    members, raw = graph_members(rng), {}
    name = ["n", "indptr", "indices", "data"][k % 4]
    value = members[name]
    how = k % 10
    if how == 0:
        members[name] = None
    elif how == 1:
        members[name], raw = None, {name: b"no array"}
    elif how == 2:
        members[name], raw = None, {f"{name}.npy": bytes(rng.bytes(50))}
    elif how == 3:
        raw = {name: npy(array_header("()"), bytes(8))}  # twice, once without .npy
    elif how == 4:
        members[name] = np.array([None, print], dtype=object)
    elif how == 5:
        members[name] = np.stack([np.atleast_1d(value)] * 2)
    elif how == 6:
        members[name] = np.atleast_1d(value).astype("U")
    elif how == 7:
        members[name] = np.atleast_1d(value)[:0]
    elif how == 8:
        members[name] = np.atleast_1d(value) * (1 + 1j)
    else:
        members[name] = np.append(np.atleast_1d(value), 1)
    return npz(folder, members, raw)


@kind
def sparse(rng, k, folder):
    """Pointers and indices that would send scipy into memory that is not its own."""
    members = graph_members(rng)
    n, at = int(members["n"]), int(rng.integers(1, 3))
    name = ["indices", "indptr"][k % 2]
    values = members[name].astype(np.int64)
    wrong = [10**9, -1, n + 10**6, 2**40, -(2**40), 2**62, -(10**9), 10**6][k // 2 % 8]
    if k < 32:
        values[at] = wrong
        members[name] = values if abs(wrong) >= 2**31 or k % 4 < 2 else values.astype(np.int32)
    elif k % 4 == 0:
        members["indices"] = members["indices"].astype(np.uint64) + np.uint64(2**63)
    elif k % 4 == 1:
        members["indptr"] = members["indptr"] + 1
    elif k % 4 == 2:
        members["indptr"] = members["indptr"][::-1].copy()
    else:
        members["n"] = np.array([n + 1, n - 1, -n, 10**12][k // 4 % 4])
    return npz(folder, members)


@kind
def npz_labels(rng, k, folder):
    """Labels without end, below -1, of nobody; names that are equal or missing."""
    members = graph_members(rng)
    n, labels = int(members["n"]), members["labels"].astype(np.int64)
    at = int(rng.integers(n))
    how = k % 10
    if how in (0, 1, 2):
        labels[at] = [10**8, 2**62, -2][how]
        members["labels"] = labels
    elif how == 3:
        members["labels"] = labels.astype(np.uint64)
        members["labels"][at] = 2**64 - 1
    elif how == 4:
        members["label_names"] = np.array(["x", "x"])
    elif how == 5:
        members["label_names"] = np.array(["x"])
    elif how == 6:
        members["labels"] = labels[: int(rng.integers(n))]
    elif how == 7:
        members["labels"] = labels + 0.5
    elif how == 8:
        members["labels"] = labels.astype(np.uint8)
        members["unlabelled_idx"] = np.array([[n], [-1], [2**40]][k // 10 % 3])
    else:
        members["label_names"] = np.array([str(i) for i in range(20_000)])
    return npz(folder, members)


@kind
def npz_ids(rng, k, folder):
    """Literals that are code, deep, or no ids; ids twice, too many or of the wrong kind."""
    members = graph_members(rng)
    n = int(members["n"])
    bad = [
        "exit()", "[1]", "{}", "(" * 5000, "1+1", "-" * 5000 + "1", "9" * 5000, "'a", "1j", "b'x'",
        "__import__('os')", "(1,,2)", "\x00", "'a' 'b'", "lambda: 0", "(((((1" + ")" * 5, "{1: 2}",
        "1 if 1 else 2", "'\\N{NOTHING}'", "(" * 30 + "1" + ",)" * 30,
    ][k % 20]  # fmt: skip
    if k < 20:
        members["ids_literal"] = np.array([bad, *map(str, range(n - 1))])
    elif k < 30:
        members["ids"] = [np.zeros(n, dtype=int), np.arange(n + 1), np.arange(n) / 7,
                          np.ones((n, 2), dtype=int), np.arange(n) * 1j, np.full(n, "x"),
                          np.ones(n, dtype=bool), np.arange(n).astype("S"), np.arange(n - 1),
                          np.zeros((0,), dtype="U1")][k % 10]  # fmt: skip
        if k % 10 == 9:
            members["ids"] = np.arange(n)[::-1][: n - 2]
    else:
        members["ids_literal"] = np.array(["'a'"] * n if k % 2 else ["1"] * (n + k))
    return npz(folder, members)


@kind
def features(rng, k, folder):
    """Features that are half there, infinite, or for other nodes."""
    members = graph_members(rng)
    n = int(members["n"])
    values = {"x_indptr": np.arange(n + 1), "x_indices": np.zeros(n, dtype=int),
              "x_data": np.ones(n), "x_shape": np.array([n, 3])}  # fmt: skip
    name = list(values)[k % 4]
    how = k // 4 % 5
    if how == 0:
        values[name] = None
    elif how == 1:
        values["x_data"][int(rng.integers(n))] = [np.nan, np.inf, -np.inf][k % 3]
    elif how == 2:
        values["x_shape"] = np.array([[n + 1, 3], [n, 0], [-n, 3], [n, -1]][k % 4])
    elif how == 3:
        values["x_indices"][int(rng.integers(n))] = [3, -1, 10**9, 2**40][k % 4]
    else:
        values["x_indptr"][int(rng.integers(1, n + 1))] = [10**9, -1, n + 5, 2**40][k % 4]
    return npz(folder, members | values)


@kind
def npz_weights(rng, k, folder):
    """Weights that are not finite, negative, enormous, lopsided or none."""
    members = graph_members(rng)
    data = members["data"]
    at = int(rng.integers(len(data)))
    bad = [np.nan, np.inf, -1.0, 1e101, -np.inf, 1e308, 2.5, -1e-3][k % 8]
    data[at] = bad
    if k % 8 == 5:
        members["data"] = np.zeros_like(data)  # no edge
    return npz(folder, members)


@kind
def zip_damage(rng, k, folder):
    """Archives that break off, or whose bytes do not keep their checksum."""
    content = bytearray(packed(graph_members(rng)))
    if k % 2:
        del content[int(rng.integers(len(content) - 22)) :]
    else:
        place = content.index(b"\x93NUMPY", int(rng.integers(0, 900)))
        content[place + 130] ^= int(rng.integers(1, 256))
    return simulate(folder, "graph.npz", bytes(content), labels=None)


@kind
def mtx_headers(rng, k, folder):
    """Sizes that no file of this length can have, of 20 digits, with underscores."""
    n = int(rng.integers(20_000, 10**9))
    size = [
        f"{n} {n} 0", f"{n} {n} 1", "1_0 1_0 1", "9" * 20 + " " + "9" * 20 + " 1",
        f"3 3 {'9' * 20}", "3 3", "3 3 1 1", "3 4 1", "-3 -3 1", "", "3.0 3.0 1", "٣ ٣ 1",
        f"{n} {n} {n}", "0 0 0", "9" * 5000 + " 3 1", "3 3 -1",
    ][k % 16]  # fmt: skip
    banner = BANNER
    if k % 10 == 9:
        banner = ["hello\n", MTX + "hermitian\n", MTX, "%%MatrixMarket\n"][k // 10 % 4]
        size = "3 3 1"
    return simulate(folder, "g.mtx", f"{banner}{size}\n2 1 1\n", labels="node,label\n1,a\n2,b\n")


@kind
def mtx_entries(rng, k, folder):
    """Entries that are outside, twice, too few, too many or no numbers."""
    good = [f"{i + 1} {i} 1" for i in range(1, int(rng.integers(3, 30)))]
    n = len(good) + 1
    bad = [
        f"{n + 1} 1 1", "0 1 1", "2 1 nan", "2 1", "2 1 1 1", "a 1 1", "2 1 -1", "2 1 1_0",
        "1_0 1 1",
        "2 1 1", "2 1 " + "9" * 5000, "-1 2 1", "2 1 1e999", "9" * 30 + " 1 1", "2.0 1 1",
    ][k % 15]  # fmt: skip
    at = int(rng.integers(len(good)))
    body = "\n".join([*good[:at], bad, *good[at:]])
    count = n if k % 4 else n + int(rng.integers(1, 5))
    return simulate(folder, "g.mtx", f"{BANNER}{n} {n} {count}\n{body}\n", labels=None)


def graphml(inside: str, head: str = 'edgedefault="undirected"', keys: str = "") -> str:
    return f'<?xml version="1.0"?><graphml>{keys}<graph {head}>{inside}</graph></graphml>'


NODES = "".join(f'<node id="{x}"/>' for x in "abcd")
EDGES = '<edge source="a" target="b"/><edge source="b" target="c"/>'
WEIGHT = '<key id="w" for="edge" attr.name="weight"/>'


@kind
def graphml_graphs(rng, k, folder):
    """Ids twice among many, strangers, arrows, several graphs, edges of three."""
    many = int(rng.integers(20_000, 60_000))
    weighed = '<edge source="a" target="b"><data key="w">{}</data></edge>'
    text = [
        lambda: graphml("".join(f'<node id="{i}"/>' for i in range(many)) + '<node id="0"/>'),
        lambda: graphml(NODES + '<edge source="a" target="zz"/>'),
        lambda: graphml(NODES + EDGES, 'edgedefault="directed"'),
        lambda: graphml(NODES + EDGES + "<graph/>"),
        lambda: graphml(NODES + "<hyperedge/>"),
        lambda: graphml(NODES + "<node/>" + EDGES),
        lambda: graphml(NODES),
        lambda: graphml(""),
        lambda: graphml(NODES + weighed.format("1_0"), keys=WEIGHT),
        lambda: graphml(NODES + weighed.format("nan"), keys=WEIGHT),
        lambda: graphml(NODES + EDGES, keys=WEIGHT),
        lambda: graphml(NODES + '<edge source="a"/>'),
        lambda: graphml("".join(f'<node id="{i % (many // 2)}"/>' for i in range(many))),
        lambda: graphml(NODES + EDGES),  # without labels
    ][k % 14]()  # fmt: skip
    return simulate(folder, "g.graphml", text, labels=None)


@kind
def graphml_xml(rng, k, folder):
    """Entities that multiply, other people's files, depth, pieces, unknown encodings."""
    levels = int(rng.integers(5, 12))
    laughs = '<!ENTITY l0 "lol">' + "".join(
        f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, levels)
    )
    body = graphml(NODES + EDGES).partition("?>")[2]
    deep = int(rng.integers(50_000, 150_000))
    text = [
        f"<!DOCTYPE graphml [{laughs}]>{body.replace('id=', 'name=')}&l{levels - 1};",
        f"<!DOCTYPE graphml [{laughs}]>" + body.replace('"a"', f'"&l{levels - 1};"'),
        '<!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        + body.replace("<node", "&x;<node", 1),
        f'<!DOCTYPE g [<!ATTLIST node a CDATA "{"x" * 100_000}">]>{body}',
        "<a>" * deep, "<a>" * deep + "</a>" * deep, body[: int(rng.integers(1, len(body)))],
        '<?xml version="1.0" encoding="rot13"?>' + body, body + body, "<" + "a" * 100_000,
        '<?xml version="1.0" encoding="utf-16"?>' + body, body.replace("<node", "<\x00node", 1),
        '<!DOCTYPE g [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x"> %p;]>' + body, "&" + body,
        body.replace('id="a"', 'id="a" id="b"'), '<?xml version="9.9"?>' + body + "x",
    ][k % 16]  # fmt: skip
    return simulate(folder, "g.graphml", text, labels=None)


@kind
def special_files(rng, k, folder):
    """Pipes, devices, sockets, folders, and links to them or to nothing."""
    path = folder / f"edges.{['csv', 'npz', 'mtx', 'graphml', 'csv.gz'][k % 5]}"
    how = k % 8
    if how == 0:
        os.mkfifo(path)
    elif how == 1:
        os.mkfifo(folder / "pipe")
        path.symlink_to(folder / "pipe")
    elif how in (2, 3, 4):
        path.symlink_to(["/dev/zero", "/dev/random", "/dev/tty"][how - 2])
    elif how == 5:
        path.mkdir()
    elif how == 6:
        path.symlink_to(path)
    else:
        here = os.getcwd()
        os.chdir(folder)  # a socket's name has 100 characters at the most
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
        os.chdir(here)
    if k % 3:
        return ["simulate", "--learner", "gpa", "--graph", str(path)]
    good = simulate(folder, "good.csv", GOOD)
    good[-1] = str(path)
    return good


@kind
def names(rng, k, folder):
    """Files that are not there, with names that a terminal or a plot would obey."""
    name = [
        "\x1b[2J.csv", "$\\frac{$.csv", "a\nb.csv", "x" * 300 + ".csv", "g.docx", "g",
        "\u202egpj.csv",
        "\x9b31m.csv", "no/such/folder.csv", "\x07.npz", "a\0b.csv", "g.csv.zip", "\r.mtx", ".gz",
        "\udcff.csv", "csv", "a:b.csv,c",
    ][k % 17]  # fmt: skip
    if k % 17 in (4, 5, 11, 13, 15):
        (folder / name).write_text(GOOD)
    more = ["--plot", str(folder / "p.svg")] if k % 2 else []
    return ["simulate", "--learner", "gpa", "--graph", f"{folder}/{name}", *more]


@kind
def signal_tables(rng, k, folder):
    """Tables of signals with cells, columns and arrays that are not in order."""
    (folder / "g.csv").write_text("source,target\na,b\nb,c\n")
    rows = [f"{i},{i % 3},{i % 2},{1 if i % 2 else -1}" for i in range(10)]
    cell = ["", "nan", "1_0", "inf", "1e101", "x", "٣", "9" * 5000, "\x1b[0m", "1 2"][k % 10]
    header, name = "a,b,c,target", "t.csv"
    content: bytes | None = None
    how = k // 10
    at = int(rng.integers(10))
    if how == 0:
        rows[at] = f"{cell},1,2,1"
    elif how == 1:
        rows[at] = f"1,2,3,{cell}"
    elif how == 2:
        header = ["a,b,target", "a,b,c", "a,a,c,target", "a,b,c,a", "target", "", "a b c target",
                  "x,y,z,target", "a,b,c,target,target", "A,b,c,target"][k % 10]  # fmt: skip
    else:
        X, y = np.arange(30.0).reshape(10, 3), np.tile([1.0, -1.0], 5)
        X = [X[:, :2], X[:5], X[None], X * np.nan, X.astype("U"), X * 1j, X[:0], X + 1e101,
             np.array(X, dtype=object), X][k % 10]  # fmt: skip
        y = [y, y, y, y, y, y, y[:0], y, y, y * 0][k % 10]
        file = io.BytesIO()
        np.savez(file, samples=X, targets=y)
        content, name = file.getvalue(), "t.npz"
    path = folder / name
    path.write_bytes(content if content is not None else "\n".join([header, *rows]).encode())
    data = f"signals:graph={folder / 'g.csv'},samples={path}"
    return ["simulate", "--learner", "adam", "--repeats", "1", "--dataset", data]


@kind
def right_hand_sides(rng, k, folder):
    """Right-hand sides that do not fit the graph, or are no numbers."""
    (folder / "g.csv").write_text(GOOD)
    how = k % 10
    values: Any = [
        np.ones(3), np.full(4, np.nan), np.array(["x"] * 4), np.ones((4, 0)), np.ones((2, 2, 2)),
        np.ones(4) * 1j, np.array([None] * 4, dtype=object), np.ones(0),
    ][how % 8]  # fmt: skip
    path = folder / f"b.{['npy', 'npz', 'csv'][k % 3]}"
    if k % 3 == 0:
        file = io.BytesIO()
        np.save(file, values)
        content = file.getvalue()
        if how >= 8:
            content = content[: int(rng.integers(len(content)))]
        path.write_bytes(content)
    elif k % 3 == 1:
        np.savez(path, **({"b": values} if how < 8 else {"u": np.ones(4), "v": np.ones(4)}))
    else:
        cell = ["1_0", "nan", "x", "", "inf", "٣", "9" * 5000, "1e999", "1;2", "--1"][how]
        path.write_text(f"node,b\na,1\nb,{cell}\n")
    return ["solve", "--graph", str(folder / "g.csv"), "--rhs", str(path)]


@kind
def result_folders(rng, k, folder):
    """Results whose record or traces were cut, exchanged or rewritten."""
    source = RESULTS
    for file in source.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    meta, trace = folder / "meta.json", sorted(folder.glob("trace-*.npz"))[0]
    text = meta.read_text()
    how = k % 10
    if how == 0:
        meta.write_text(text[: int(rng.integers(len(text) - 2))])
    elif how == 1:
        meta.write_text(
            ["[]", "{}", "null", "[" * 100_000, "1" * 5000, "\x00", "NaN", '"x"'][k // 10]
        )
    elif how == 2:
        record = json.loads(text)
        del record[["learner", "played", "engine", "notes"][k // 10]]
        meta.write_text(json.dumps(record))
    elif how == 3:
        record = json.loads(text)
        record[["learner", "played", "schema", "notes"][k // 10]] = [[1], 7, 10**30, [1]][k // 10]
        meta.write_text(json.dumps(record))
    elif how == 4:
        meta.unlink()
    elif how == 5:
        trace.unlink()
    elif how == 6:
        content = trace.read_bytes()
        trace.write_bytes(content[: int(rng.integers(len(content)))])
    elif how == 7:
        np.savez(trace, node=np.arange(3))
    elif how == 8:
        trace.unlink()
        os.mkfifo(trace)
    else:
        trace.write_bytes(bytes(rng.bytes(500)))
    return ["report", str(folder)]


def stream(folder: Path, rounds: str | bytes, latent: str | bytes | None = None) -> list[str]:
    """Rounds on a good graph, which is connected."""
    (folder / "edges.csv").write_text(GOOD)
    arguments = ["simulate", "--learner", "kernel-perceptron", "--repeats", "1"]
    arguments += ["--graph", str(folder / "edges.csv")]
    for name, content in (("stream", rounds), ("latent", latent)):
        if content is not None:
            path = folder / f"{name}.csv"
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            arguments += [f"--{name}", str(path)]
    return arguments


def some_rounds(rng: np.random.Generator, second: str, bad: str) -> str:
    """Good rounds with one bad line somewhere below the header."""
    lines = [f"{'abcd'[i % 4]},{i},{1 - 2 * (i % 2)}" for i in range(int(rng.integers(2, 30)))]
    lines.insert(int(rng.integers(len(lines) + 1)), bad)
    return "\n".join([f"node,{second},sign", *lines]) + "\n"


@kind
def stream_files(rng, k, folder):
    """Rounds of strangers, signs that are none, times that go back, are no whole numbers, ..."""
    times = [
        "a,-1,1\na,-2,1", "a,1.5,1", "a,1_0,1", "a,,1", "a,١,1", f"a,{'9' * 40},1", "a,1e3,1",
        "a,nan,1", "a,0x1,1", "a,2020-01-01,1",
    ]  # fmt: skip
    rows = [
        "e,u,1", ",u,1", "a,,1", "a,u,0", "a,u,+", "a,u,1.0", "a,u,", "a,u", "a,u,1,1",
        "\x1b[2J,u,1", "a,u,--1", '"a,u,1', "a,u,\x1b]0;x\x07", "q" * 200_000 + ",u,1", "a,u,²",
        "a,u,+１",
    ]  # fmt: skip
    if k < 16:
        return stream(folder, some_rounds(rng, "context", rows[k]))
    if k < 26:
        return stream(folder, some_rounds(rng, "time", times[k - 16]))
    return stream(folder, [
        "", "node,sign\n", "node,sign\na,1\nb,1\n", "node,context,time,sign\na,u,1,1\nb,u,1,-1\n",
        "nod,sign\na,1\n", "node,sgn\na,1\n", "node,node,sign\na,a,1\n", "a,1\nb,-1\n",
        "node,sign\na,1\nb,-1\nnode,sign\n", b"node,sign\n\xff,1\n", b"\0" * 100,
        bytes(rng.bytes(300)), gzip.compress(b"node,sign\na,1\nb,-1\n"), "node;sign\na;1\nb;-1\n",
    ][k - 26])  # fmt: skip


@kind
def latent_graphs(rng, k, folder):
    """Latent graphs that miss a context, are not connected, or are no graphs; rounds of times."""
    vertices = [f"u{i}" for i in range(int(rng.integers(3, 30)))]
    pairs = itertools.pairwise(vertices)
    good = "source,target\n" + "".join(f"{a},{b}\n" for a, b in pairs)
    rounds = "node,context,sign\n" + "".join(
        f"{'abcd'[i % 4]},{vertex},{1 - 2 * (i % 2)}\n" for i, vertex in enumerate(vertices)
    )
    stranger = ["v", "U0", "\x1b[2J", " u0 u1", "u" * 5000, "-1", "u٠", "1e9"][k % 8]
    how = k % 5
    if how == 0:
        return stream(folder, rounds + f"a,{stranger},1\n", good)
    if how == 1:
        return stream(folder, rounds, good + "p,q\n")
    if how == 2:
        return stream(folder, rounds.replace("context", ["time", "tim", "other"][k % 3]), good)
    if how == 3:
        return stream(folder, rounds, [
            "", "source,target\n", "source,target\nu0,u0\n", "x" * 100, rounds, b"\xff\xfe",
            good + "source,target\n", good.replace("u1\n", "\n"),
        ][k % 8])  # fmt: skip
    bad = [
        "switching-grid:T=20,S=3", "multitask-grid:tasks=40", "sbm",
        "switching-grid:context=labeling",
    ][k // 5 % 4]  # fmt: skip
    (folder / "latent.csv").write_text("source,target\na,b\nb,c\n")
    return ["simulate", "--learner", "kernel-perceptron", "--repeats", "1", "--dataset", bad,
            "--latent", str(folder / "latent.csv")]  # fmt: skip


RESULTS = Path()
"""A folder with good results, set by whoever calls ``result_folders``."""

assert len(KINDS) == 28, len(KINDS)
