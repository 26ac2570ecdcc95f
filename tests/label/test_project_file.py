"""Files that somebody made, or broke, to do harm: one line, or a project that works."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import runpy
import sqlite3
import zlib
from pathlib import Path

import numpy as np
import pytest

from graphol import Graph, GrapholError, InputError, Project, UsageError, atomic

CHILDREN = runpy.run_path(str(Path(__file__).parents[1] / "hostile" / "children.py"))
GRAPH = Graph.from_edges(["a", "b", "c", "d"], ["b", "c", "d", "a"])


def fill(path):
    """A project in the middle of its work."""
    nodes = {node: {"title": node.upper(), "description": "words " * 300} for node in "abc"}
    with Project.create(path, GRAPH, nodes=nodes, classes=["tea", "coffee"]) as project:
        project._connection.execute("PRAGMA synchronous = OFF")
        for k in range(30):
            project.answer("abcd"[k % 4], "label", k % 2, annotator="ann", token=f"t{k}")
        project.answer("a", "bit", ("tea", False), annotator="bob", predicted="tea")
        project.undo("ann")
        project.import_labels({"a": "tea", "b": "milk"}, annotator="cyd", add_classes=True)
        project.merge_class("milk", "coffee")
        project.add_nodes({"e": {"title": "E"}}, [("e", "a")])
    return path


def use(path):
    """A checksum of all that it says; or 3: refused in one line; else an exception."""
    try:
        with Project.open(path) as project:
            project._connection.execute("PRAGMA synchronous = OFF")
            rows = range(project.graph.n)
            said = [project.texts(row) for row in rows], project.events(), project.progress()
            said += project.labelled().hash, [each.name for each in project.classes]
            [project.picture(row) for row in rows]
            project.export_labels(path.with_suffix(".csv"), "votes")
            project.answer(project.graph.ids[0], "label", "tea", annotator="eve")
    except GrapholError as reason:
        return 3 if "\n" not in str(reason) else 1
    return zlib.crc32(repr(said).encode())


def mutate(content, seed):
    """Bytes changed, cut out, put twice, or a page put in the place of another."""
    rng = np.random.default_rng(seed)
    changed, size, page = bytearray(content), len(content), 4096
    how = int(rng.integers(6))
    if how == 0:
        return bytes(changed[: int(rng.integers(size))])
    if how == 1:
        at, to = (int(k) * page for k in rng.integers(size // page, size=2))
        changed[at : at + page] = content[to : to + page]
        return bytes(changed)
    if how == 2:  # where pages say what is in them
        start = int(rng.integers(size // page)) * page
        for _ in range(int(rng.integers(1, 5))):
            changed[start + int(rng.integers(120))] = int(rng.integers(256))
        return bytes(changed)
    if how == 3:
        start = int(rng.integers(size - 8))
        changed[start : start + 8] = bytes(rng.integers(256, size=8, dtype=np.uint8))
        return bytes(changed)
    if how == 4:
        return bytes(changed) + bytes(rng.integers(256, size=page, dtype=np.uint8))
    for _ in range(int(rng.integers(1, 40))):
        changed[int(rng.integers(size))] ^= int(rng.integers(1, 256))
    return bytes(changed)


def used(path, contents, seconds=60):
    """What each of these comes to, in one child."""

    def call():
        atomic.flush = atomic.flush_folder = lambda _: None  # nobody pulls the plug here
        for k, content in enumerate(contents):
            file = path.with_name(f"m{k}.graphol")
            file.write_bytes(content)
            print(use(file), flush=True)
            for left in path.parent.glob(f"m{k}*"):
                left.unlink()
        return 0

    return CHILDREN["run"](call, path.parent, seconds, 500)


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    return fill(tmp_path_factory.mktemp("whole") / "p.graphol").read_bytes()


def test_200_mutations(tmp_path, content):
    done = used(tmp_path / "p.graphol", [content, *(mutate(content, k) for k in range(200))])
    whole, *out = done.out.split()
    assert done.code == 0 and len(out) == 200 and set(out) == {whole, "3"}, done.err
    assert len(whole) > 1 and out.count("3") > 50


@pytest.mark.once
def test_5000_mutations(tmp_path, content, capsys):
    mutated = (mutate(content, k) for k in range(1000, 6000))
    done = used(tmp_path / "p.graphol", itertools.chain([content], mutated), 550)
    whole, *out = done.out.split()
    with capsys.disabled():
        print(
            f"\n{out.count(whole)} say the same, {out.count('3')} refused, {done.megabytes:.0f} MB"
        )
    assert done.code == 0 and len(out) == 5000 and set(out) == {whole, "3"}, done.err


@pytest.fixture
def path(tmp_path, content):
    (tmp_path / "p.graphol").write_bytes(content)
    return tmp_path / "p.graphol"


def altered(path, *commands, sealed=True):
    """With other content, and with seals that fit to it where there are some."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for command in commands:
            connection.execute(*([command] if isinstance(command, str) else command))
        if sealed:
            reseal(connection)


def reseal(connection):
    for table in ("event", "node"):
        with contextlib.suppress(sqlite3.Error):  # the test may have taken it away
            for *values, _ in connection.execute(f"SELECT * FROM {table}").fetchall():
                new = zlib.crc32(repr(tuple(values)).encode("utf-8", "backslashreplace"))
                change = f"UPDATE {table} SET seal = ? WHERE rowid = ?"
                connection.execute(change, (new, values[0]))


def test_a_bit_that_was_turned_is_seen(path):
    altered(path, "UPDATE event SET label = 1 - label WHERE number = 7", sealed=False)
    with pytest.raises(InputError, match=r"event 7 cannot be .*its seal is broken"):
        Project.open(path)


def test_a_letter_that_was_turned_is_seen(path):
    altered(path, "UPDATE node SET texts = replace(texts, 'words', 'swords')", sealed=False)
    with Project.open(path) as project, pytest.raises(InputError, match="texts of row 0"):
        project.texts(0)


EVIL = "INSERT INTO event SELECT 99, time, 'x', 'skip', 0, {} FROM event LIMIT 1".format(
    ", ".join(["NULL"] * 9)
)
STRANGE = [
    f"CREATE TRIGGER t AFTER INSERT ON event BEGIN {EVIL}; END",
    "CREATE VIEW v AS SELECT * FROM event",
    "CREATE INDEX i ON event (abs(row))",
    "CREATE TABLE more (x)",
    "CREATE VIRTUAL TABLE f USING fts5(x)",
    "ANALYZE",
    "DROP TABLE node",
    "ALTER TABLE event ADD COLUMN more DEFAULT 1",
    "ALTER TABLE node RENAME TO nodes",
]


@pytest.mark.parametrize("command", STRANGE)
def test_a_schema_of_its_own_is_not_opened(path, command):
    altered(path, command)
    with pytest.raises(InputError, match=r"which is not one of|it has no table|not opened"):
        Project.open(path)


HOSTILE = {
    "no project": "PRAGMA application_id = 7",
    "no schema": "PRAGMA user_version = 0",
    "newer": "PRAGMA user_version = 2",
    "another journal": "PRAGMA journal_mode = WAL",
    "no record": "DELETE FROM project",
    "two records": "INSERT INTO project SELECT * FROM project",
    "deep": ("UPDATE project SET about = ?", ("[" * 100_000,)),
    "not JSON": "UPDATE project SET about = x'00ff'",
    "not text": "UPDATE project SET about = cast(x'ff22' AS TEXT)",
    "no graph": "DELETE FROM graph",
    "another hash": "UPDATE project SET about = replace(about, 'hash', 'hush')",
    "title": "UPDATE project SET about = json_set(about, '$.title', json_array())",
    "a gap": "DELETE FROM event WHERE number = 5",
    "no such class": "UPDATE event SET label = 50 WHERE number = 7",
    "a class of text": "UPDATE event SET label = 'tea' WHERE number = 7",
    "a row of blob": "UPDATE event SET row = zeroblob(8) WHERE number = 7",
    "row beyond": "UPDATE event SET row = 4 WHERE number = 7",
    "row below": "UPDATE event SET row = -1 WHERE number = 7",
    "no zone": "UPDATE event SET time = '2030-01-01T00:00:00' WHERE number = 7",
    "no time": "UPDATE event SET time = 'noon' WHERE number = 7",
    "edge of time": "UPDATE event SET time = '0001-01-01T00:00:00+23:59' WHERE number = 7",
    "kind": "UPDATE event SET kind = 'unheard of' WHERE number = 7",
    "dunder": "UPDATE event SET kind = '_init__' WHERE number = 7",
    "huge": "UPDATE event SET predicted = 9223372036854775807 WHERE number = 7",
    "infinite": "UPDATE event SET confidence = 9e999 WHERE number = 7",
    "yes and no": "UPDATE event SET yes = 7 WHERE kind = 'bit'",
    "merged into itself": "UPDATE event SET target = label WHERE kind = 'merge-class'",
    "somebody else's undo": "UPDATE event SET annotator = 'bob' WHERE kind = 'undo'",
    "a name twice": "UPDATE event SET text = 'tea' WHERE number = 2",
    "joins": "UPDATE event SET text = '{}' WHERE kind = 'add-nodes'",
    "joins itself": "UPDATE event SET text = replace(text, '[4, 0,', '[4, 4,') "
    "WHERE kind = 'add-nodes'",
    "joins again": "UPDATE event SET text = replace(text, '\"e\"', '\"a\"') "
    "WHERE kind = 'add-nodes'",
    "joins endlessly": "UPDATE event SET text = replace(text, '1.0', '1e999') "
    "WHERE kind = 'add-nodes'",
    "texts": "UPDATE node SET texts = '[1]' WHERE row = 0",
    "nested texts": "UPDATE node SET texts = '{\"title\": {}}' WHERE row = 0",
}  # fmt: skip


@pytest.mark.parametrize("command", HOSTILE.values(), ids=HOSTILE)
def test_what_a_project_cannot_hold(path, command):
    altered(path, command)

    def look():
        with Project.open(path) as project:
            project.labelled()
            project.texts(0)

    with pytest.raises(InputError) as reason:
        look()
    assert "\n" not in str(reason.value) and len(str(reason.value)) < 500
    assert path.name in str(reason.value)


def with_graph(path, **members):
    """Another graph in its place: other members in the same archive."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (packed,) = connection.execute("SELECT npz FROM graph").fetchone()
        with np.load(io.BytesIO(packed)) as file:
            arrays = {name: file[name] for name in file.files if name != "meta.json"} | members
        new = io.BytesIO()
        np.savez(new, **arrays)
        connection.execute("UPDATE graph SET npz = ?", (new.getvalue(),))
        connection.commit()


@pytest.mark.parametrize(
    "members",
    [
        {"indptr": np.array([0, 2, 4, 6, 10**9])}, {"indices": np.array([1, 3, 0, 2, 1, 3, 0, 99])},
        {"n": np.array(10**12)}, {"ids": np.array(["a"] * 4)}, {"data": np.array([np.nan] * 8)},
        {"data": np.arange(1.0, 9.0)},
        {"indices": np.array([1, 3, 0, 2, 1, 3, 0, 1])},
        {"labels": np.array([0, 1, 0, 1])},
    ],
)  # fmt: skip
def test_the_graph_is_checked_before_it_is_used(path, members):
    with_graph(path, **members)
    with pytest.raises(InputError):
        Project.open(path)


def test_a_picture_in_another_folder_is_not_shown(path, tmp_path):
    (tmp_path / "passwd").write_text("root:x:0")
    (tmp_path / "real.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    for name in ("../real.png", str(tmp_path / "real.png"), "passwd", "..", "", "a\0b", "x" * 5000):
        altered(
            path,
            ("UPDATE project SET about = json_set(about, '$.pictures', ?)", (str(inner),)),
            ("UPDATE node SET texts = ? WHERE row = 0", (json.dumps({"picture": name}),)),
        )
        with Project.open(path) as project:
            assert project.picture(0) is None


@pytest.mark.parametrize("content", [b"", b"node,label\n", b"SQLite format 3\0", b"\0" * 5000])
def test_what_is_no_project(tmp_path, content):
    (tmp_path / "x.graphol").write_bytes(content)
    with pytest.raises(InputError, match="not a graphol project"):
        Project.open(tmp_path / "x.graphol")


def test_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.graphol")
    for name in ("pipe.graphol", "nothing.graphol", "."):
        with pytest.raises(InputError):
            Project.open(tmp_path / name)
    with pytest.raises(UsageError, match="no folder"):
        Project.create(tmp_path / "no" / "x.graphol", GRAPH)


@pytest.mark.parametrize(
    "name", ["a b?c#d%20.graphol", "Zoë.graphol", "'; DROP TABLE event.graphol"]
)
def test_odd_names_of_files(tmp_path, name):
    with Project.create(tmp_path / name, GRAPH, classes=["x"]) as project:
        project.answer("a", "label", "x", annotator="ann")
    assert [each.name for each in tmp_path.iterdir()] == [name]
