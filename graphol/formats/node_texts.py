"""What nodes are to a person: a table of texts with the user's ids."""

from __future__ import annotations

from graphol.door import FilePath, check_file, reader
from graphol.errors import InputError, hint, shown
from graphol.formats.delimited import check_table, read_cells
from graphol.graph import Graph

SPECIAL = ("title", "description", "link", "picture")


@reader
def read_texts(
    path: FilePath, graph: Graph
) -> tuple[dict[object, dict[str, str]], tuple[str, ...]]:
    """The texts of a file by node id, and what is worth a note.

    The first column holds the graph's own ids, as text; every other is a column of texts. Four have
    a meaning, in any case of letters: title, description, link and picture. Nodes that are not in
    the graph are left out and counted, unless no node is in it. A node with two lines is refused.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> graph = Graph.from_edges(["ann", "bob"], ["bob", "eve"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "nodes.csv")
    ...     _ = file.write_text("id,Title,town\\nann,Ann A.,Rome\\nzoe,Zoe,Oslo\\n")
    ...     read_texts(file, graph)[0]
    {'ann': {'title': 'Ann A.', 'town': 'Rome'}}
    """
    path = check_table(check_file(path), "a table of nodes")
    cells = read_cells(path, _header, "node,title,...")
    known = {str(node): node for node in graph.ids}
    found: dict[object, dict[str, str]] = {}
    seen: dict[str, int] = {}
    strangers = []
    for fields, line in zip(cells.rows, cells.lines, strict=True):
        node, *texts = (field.strip() for field in fields)
        if node in seen:
            raise InputError(
                f"{path} line {line}: node {shown(node)} already has a line, line {seen[node]}"
            )
        seen[node] = line
        if node not in known:
            strangers.append(node)
            continue
        pairs = zip(cells.header[1:], texts, strict=True)
        found[known[node]] = {column: text for column, text in pairs if text}
    if not found:
        raise InputError(
            f"{path}: none of its {len(strangers)} node(s) is in {graph.name}; the first is "
            f"{shown(strangers[0])}" + hint(strangers[0], known)
        )
    notes = [
        f"{len(strangers)} node(s) of {path} are not in the graph, their texts left out"
    ] * bool(strangers)
    without = graph.n - len(found)
    notes += [f"{without} node(s) without a line in {path}"] * bool(without)
    return found, tuple(notes)


def _header(row: list[str], where: str) -> list[str]:
    names = [name.strip() for name in row]
    names[1:] = [name.lower() if name.lower() in SPECIAL else name for name in names[1:]]
    if len(names) < 2:
        raise InputError(
            f"{where}: the header must be node,title,... with a column of texts at least, and with "
            f"commas or tabs between, got {shown(names[0])}"
        )
    for k, name in enumerate(names):
        if not name:
            raise InputError(f"{where}: column {k + 1} has no name; every column needs one")
        if name in names[1:k]:
            raise InputError(
                f"{where}: column {shown(name)} is there twice; give each its own name"
            )
    return names
