"""Features of a graph's nodes, from a table with the user's ids."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from graphol.door import FilePath, reader
from graphol.errors import InputError, hint, shown
from graphol.formats.delimited import Cells, check_table, read_cells
from graphol.formats.numerals import plain_float
from graphol.graph import LARGEST_WEIGHT, Graph

LONG = (["node", "feature", "value"], ["node", "feature"])
"""Headers of a table with a line per feature of a node; in all others a feature is a column."""


class Entry(NamedTuple):
    """One number of the table."""

    row: int
    column: int
    value: float


@reader
def read_features(path: FilePath, graph: Graph) -> Graph:
    """The graph with the features of a file in place of its own.

    The header is ``node,NAME,NAME,...``, with a line of numbers per node, or
    ``node,feature,value``, with a line per feature of a node; without ``value`` every value is 1.
    The node column holds the graph's own ids, as text.

    Nodes that are not in the graph are left out and counted in ``notes``, unless no node is in it.
    A node without a line has no features, which is counted, too. A node, or a feature of a node,
    with two lines is refused, and so is a value that is no finite number.

    Parameters
    ----------
    path
        A comma or tab separated file, also ``.gz``.
    graph
        The graph whose nodes it describes.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> graph = Graph.from_edges(["ann", "bob"], ["bob", "eve"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "words.csv")
    ...     _ = file.write_text("node,feature\\nann,tea\\nbob,tea\\nbob,milk\\n")
    ...     found = read_features(file, graph)
    >>> found.feature_names, found.features.toarray().tolist()
    (('tea', 'milk'), [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    >>> found.notes
    ('1 node(s) without features',)
    """
    path = check_table(path, "a table of features")
    cells = read_cells(path, _header, "node,NAME,... or node,feature,value")
    row = {str(node): i for i, node in enumerate(graph.ids)}
    strangers = {fields[0].strip() for fields in cells.rows} - row.keys()
    if len(strangers) == len({fields[0].strip() for fields in cells.rows}):
        first = cells.rows[0][0].strip()
        raise InputError(
            f"{path}: none of its {len(strangers)} node(s) is in {graph.name}; the first, on line "
            f"{cells.lines[0]}, is {shown(first)}" + hint(first, row)
        )
    long = [name.lower() for name in cells.header] in LONG
    names = tuple(_numbered(cells) if long else cells.header[1:])
    entries = _long(path, cells, row, names) if long else _wide(path, cells, row)
    found = np.array([*entries], dtype=[("row", "i8"), ("column", "i8"), ("value", "f8")])
    return _with_features(graph, found, names, len(strangers), path)


def _with_features(
    graph: Graph, found: np.ndarray, names: tuple[str, ...], strangers: int, path: Path
) -> Graph:
    from scipy.sparse import coo_array

    shape = graph.n, len(names)
    X = coo_array((found["value"], (found["row"], found["column"])), shape=shape).tocsr()
    without = graph.n - len(np.unique(found["row"][found["value"] != 0]))
    notes = []
    if strangers:
        notes.append(f"{strangers} node(s) of {path} are not in the graph, their features left out")
    if without:
        notes.append(f"{without} node(s) without features")
    if graph.features is not None:
        notes.append(f"features of {graph.name} replaced")
    return graph.featured(X, names).noted(*notes)


def _header(row: list[str], where: str) -> list[str]:
    names = [name.strip() for name in row]
    if len(names) < 2 or names[0].lower() != "node":
        got = ",".join(names)
        raise InputError(
            f"{where}: the header must be node,NAME,... or node,feature,value, with commas or tabs "
            f"between, got {shown(got)}"
        )
    if "" in names:
        raise InputError(
            f"{where}: column {names.index('') + 1} has no name; every feature needs one"
        )
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(
                f"{where}: column {shown(name)} is there twice; give each its own name"
            )
        seen.add(name)
    return names


def _wide(path: Path, cells: Cells, row: dict[str, int]) -> Iterator[Entry]:
    seen: dict[str, int] = {}
    for fields, line in zip(cells.rows, cells.lines, strict=True):
        node = fields[0].strip()
        if node in seen:
            raise InputError(
                f"{path} line {line}: node {shown(node)} already has features on line {seen[node]}"
            )
        seen[node] = line
        values = [_number(text, path, line) for text in fields[1:]]  # a stranger's, too
        if node in row:
            yield from (Entry(row[node], j, x) for j, x in enumerate(values) if x)


def _numbered(cells: Cells) -> dict[str, int]:
    """The features of a long table, in the order they are first seen."""
    names = dict.fromkeys(fields[1].strip() for fields in cells.rows)
    return {name: j for j, name in enumerate(names)}


def _long(path: Path, cells: Cells, row: dict[str, int], names: tuple[str, ...]) -> Iterator[Entry]:
    column = {name: j for j, name in enumerate(names)}
    seen: dict[tuple[str, str], int] = {}
    for fields, line in zip(cells.rows, cells.lines, strict=True):
        node, name, *value = (field.strip() for field in fields)
        if not name:
            raise InputError(f"{path} line {line}: the name of the feature is empty")
        if (node, name) in seen:
            raise InputError(
                f"{path} line {line}: node {shown(node)} already has feature {shown(name)} on line "
                f"{seen[node, name]}"
            )
        seen[node, name] = line
        found = _number(value[0], path, line) if value else 1.0
        if node in row:
            yield Entry(row[node], column[name], found)


def _number(text: str, path: Path, line: int) -> float:
    try:
        found = plain_float(text)
    except ValueError:
        raise InputError(
            f"{path} line {line}: {shown(text.strip())} is not a number; a feature that a node "
            "does not have is 0"
        ) from None
    if not math.isfinite(found) or abs(found) > LARGEST_WEIGHT:
        raise InputError(
            f"{path} line {line}: {shown(text.strip())} is not allowed; features are finite and "
            f"below {LARGEST_WEIGHT:g}"
        )
    return found
