"""What a project begins with, written to its file and read from it: the graph, texts, classes."""

from __future__ import annotations

import io
import json
import sqlite3
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from graphol import node_ids, npz
from graphol.door import FilePath, Source, limit
from graphol.errors import InputError, UsageError, hint, shown
from graphol.formats.graph_npz import graph_in, graph_members
from graphol.graph import Graph
from graphol.label import events as log
from graphol.label.events import Event
from graphol.label.project_file import LARGEST_BLOB, made
from graphol.label.replay import MOST_CLASSES
from graphol.label.texts import check_picture, checked_texts

MAKER = "graphol"
"""The annotator of what a project begins with."""
ABOUT: dict[str, type | tuple[type, ...]] = {
    "title": str, "name": str, "created": str, "hash": str, "columns": list,
    "pictures": (str, type(None)),
}  # fmt: skip


def write(
    path: Path,
    graph: Graph,
    nodes: Mapping[Hashable, Mapping[str, Any]],
    classes: Sequence[str],
    title: str,
    answers: Mapping[Hashable, str],
    pictures: FilePath | None,
    who: str,
) -> None:
    """A new file."""
    graph = attrs.evolve(graph.unlabelled, label_names=())
    _check_alike(graph)
    row = {node: i for i, node in enumerate(graph.ids)}
    texts = {_row(row, graph, node): checked_texts(each) for node, each in nodes.items()}
    names = _class_names(classes, answers.values())
    said = {_row(row, graph, node): log.name_of(name, "class") for node, name in answers.items()}
    about = {
        "title": title,
        "name": graph.name,
        "created": log.written(log.moment(None)),
        "hash": graph.hash,
        "columns": list(dict.fromkeys(column for each in texts.values() for column in each)),
        "pictures": _folder(pictures, texts),
    }
    packed = npz.packed(graph_members(graph), {"schema": npz.SCHEMA}, path)
    if len(packed) >= LARGEST_BLOB:
        raise UsageError(f"{path}: the graph has {len(packed)} bytes, too many for a project")
    rows = [(i, json.dumps(each)) for i, each in sorted(texts.items())]
    with made(path) as connection:
        connection.execute("INSERT INTO project VALUES (?)", (json.dumps(about),))
        connection.execute("INSERT INTO graph VALUES (?)", (packed,))
        connection.executemany(
            "INSERT INTO node VALUES (?, ?, ?)", ((*each, log.seal(each)) for each in rows)
        )
        insert(connection, _beginning(names, said, who))


def insert(connection: sqlite3.Connection, events: Iterable[Event]) -> None:
    """Rows of the log."""
    places = ", ".join("?" * len(log.COLUMNS))
    connection.executemany(
        f"INSERT INTO event ({', '.join(log.COLUMNS)}) VALUES ({places})",
        (log.stored(event) for event in events),
    )


def _beginning(names: Sequence[str], said: Mapping[int, str], who: str) -> list[Event]:
    now, number = log.moment(None), {name: k for k, name in enumerate(names)}
    found = [
        Event(k + 1, now, who, "add-class", label=k, text=name) for k, name in enumerate(names)
    ]
    if said:
        batch = len(found) + 1
        found.append(Event(batch, now, who, "import", text="answers"))
        found += [
            Event(batch + k, now, who, "label", row=row, label=number[name], batch=batch)
            for k, (row, name) in enumerate(said.items(), 1)
        ]
    return found


def _class_names(classes: Sequence[str], said: Iterable[str]) -> list[str]:
    if isinstance(classes, str):
        raise UsageError(f'classes must be a list of texts, such as ["a", "b"], got {classes!r}')
    names = [log.name_of(name, "class") for name in classes]
    for name, times in Counter(names).items():
        if times > 1:
            raise UsageError(f"two classes are called {shown(name)}; give each its own name")
    names = list(dict.fromkeys([*names, *sorted({log.name_of(name, "class") for name in said})]))
    check_count(len(names))
    return names


def check_count(classes: int) -> None:
    """Nobody chooses among thousands."""
    if classes > MOST_CLASSES:
        raise UsageError(
            f"{classes} classes are too many to choose among, at most {MOST_CLASSES} are allowed; "
            "are these names of nodes, or numbers to be predicted? Put rare classes together"
        )


def _check_alike(graph: Graph) -> None:
    """A file of labels knows nodes by their texts alone."""
    seen: dict[str, Hashable] = {}
    for node in graph.ids:
        other = seen.setdefault(str(node), node)
        if other != node:
            raise UsageError(
                f"{graph.name} has the nodes {shown(other)} and {shown(node)}, which look the same "
                "in a file of labels; call one of them something else"
            )


def _row(row: Mapping[Hashable, int], graph: Graph, node: Hashable) -> int:
    plain = node_ids.plain(node)
    if plain not in row:
        said = hint(str(node), map(str, graph.ids))
        raise UsageError(f"node {shown(node)} is not in {graph.name}{said}")
    return row[plain]


def _folder(pictures: FilePath | None, texts: Mapping[int, Mapping[str, str]]) -> str | None:
    for each in texts.values():
        if "picture" in each:
            check_picture(each["picture"], "nodes")
    if pictures is None:
        return None
    folder = Path(pictures).absolute()
    if not folder.is_dir():
        raise UsageError(f"{pictures}: there is no such folder of pictures")
    return str(folder)


def read_about(connection: sqlite3.Connection) -> dict[str, Any]:
    """What the file says of itself; ValueError if it is not that."""
    found = connection.execute("SELECT about FROM project LIMIT 2").fetchall()
    about = json.loads(found[0][0]) if len(found) == 1 else None
    if not isinstance(about, dict) or not all(
        isinstance(about.get(key, ""), kind) for key, kind in ABOUT.items()
    ):
        raise ValueError("it does not say what it is about")
    if not all(type(column) is str for column in about["columns"]):
        raise ValueError("its columns are not texts")
    return about


def read_graph(connection: sqlite3.Connection, path: Path, about: Mapping[str, Any]) -> Graph:
    """The graph that labelling began with: as bytes of a stranger, and then by its hash."""
    found = connection.execute("SELECT npz FROM graph LIMIT 2").fetchall()
    if len(found) != 1 or type(found[0][0]) is not bytes:
        raise ValueError("it has no graph")
    data = found[0][0]
    source = Source(path, io.BytesIO(data), len(data), limit(len(data)))
    graph = graph_in(source, about["name"])
    if graph.hash != about["hash"]:
        raise InputError(f"{path} is damaged: its graph is not the one it was made with")
    return graph
