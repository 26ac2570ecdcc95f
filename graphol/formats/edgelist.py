"""Edge lists: CSV or TSV, one edge per line."""

from __future__ import annotations

from graphol.door import FilePath, reader
from graphol.errors import InputError, shown
from graphol.formats import numerals
from graphol.formats.delimited import Columns, read_columns
from graphol.formats.labels import read_labels
from graphol.graph import Graph


@reader
def read_edges(path: FilePath, labels: FilePath | None = None) -> Graph:
    """A graph from an edge list with the header ``source,target`` or ``source,target,weight``.

    Node ids are text, in the order they first occur. Edges have no direction: ``a,b`` and ``b,a``
    are the same edge. The same edge twice is merged with a count if its weights agree and refused
    if they do not; self loops and zero weights are dropped with a count. See
    :func:`graphol.formats.delimited.read_columns` for what counts as a row, and
    :func:`graphol.formats.labels.read_labels` for the labels file.

    Parameters
    ----------
    path
        A comma or tab separated file, also ``.gz``.
    labels
        A file of the same kind with the header ``node,label``.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> edges, labels = Path(folder.name, "edges.csv"), Path(folder.name, "labels.csv")
    >>> _ = edges.write_text("source,target,weight\\nann,bob,2\\nbob,eve,1\\n")
    >>> _ = labels.write_text("node,label\\nann,red\\neve,blue\\n")
    >>> graph = read_edges(edges, labels)
    >>> graph.ids, graph.labels.tolist(), graph.label_names
    (('ann', 'bob', 'eve'), [1, -1, 0], ('blue', 'red'))
    >>> graph.notes
    ('1 node(s) without a label',)
    >>> folder.cleanup()
    """
    table = read_columns(path, ("source", "target"), ("weight",))
    source, target = table.columns["source"], table.columns["target"]
    for a, b, line in zip(source, target, table.lines, strict=True):
        if not (a and b):
            raise InputError(f"{path} line {line}: a node id is empty")
    weights = _weights(path, table) if "weight" in table.columns else None
    graph = Graph.from_edges(source, target, weights, name=str(path), notes=table.notes)
    return read_labels(graph, labels)


def _weights(path: FilePath, table: Columns) -> list[float]:
    """The weights as numbers, each checked while its line is still known."""
    source, target, texts = (table.columns[name] for name in ("source", "target", "weight"))
    found: dict[tuple[str, str], tuple[float, int]] = {}
    weights = []
    for a, b, text, line in zip(source, target, texts, table.lines, strict=True):
        where = f"{path} line {line}"
        weight = numerals.weight(text, where)
        edge = (a, b) if a <= b else (b, a)
        before, above = found.setdefault(edge, (weight, line))
        if before != weight:
            raise InputError(
                f"{where}: edge {shown(a)} - {shown(b)} has weight {weight:g}, but {before:g} "
                f"on line {above}; keep one line per edge"
            )
        weights.append(weight)
    return weights
