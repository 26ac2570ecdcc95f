"""Readers and writers: graphs from files and from other libraries, labels, tables, gene sets.

>>> from graphol.formats import read_graph
>>> graph = read_graph("edges.csv", labels="labels.csv")       # doctest: +SKIP

One reader per file; :func:`read_graph` picks by the file's ending. Every reader returns a checked
:class:`graphol.Graph` or raises a one-line :class:`graphol.InputError` that names the file.
Importing this package imports no scipy, no scikit-learn and no other graph library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from graphol.door import FilePath, check_file
from graphol.errors import InputError
from graphol.formats.edgelist import read_edges
from graphol.formats.features import read_features
from graphol.formats.graph_npz import read_npz, write_npz
from graphol.formats.graphml import read_graphml
from graphol.formats.labels import read_labels
from graphol.formats.libraries import from_networkx, from_pandas, from_scipy
from graphol.formats.matrix_market import read_matrix_market
from graphol.formats.several import layer_names, over_one_set
from graphol.graph import Graph

__all__ = [
    "from_networkx",
    "from_pandas",
    "from_scipy",
    "read_edges",
    "read_features",
    "read_graph",
    "read_graphml",
    "read_layers",
    "read_matrix_market",
    "read_npz",
    "write_npz",
]

READERS: dict[str, Callable[[FilePath, FilePath | None], Graph]] = {
    ".csv": read_edges,
    ".tsv": read_edges,
    ".txt": read_edges,
    ".graphml": read_graphml,
    ".mtx": read_matrix_market,
    ".npz": read_npz,
}


def read_graph(path: FilePath, labels: FilePath | None = None) -> Graph:
    """A graph from a file, by its ending: .csv .tsv .txt .graphml .mtx (each also .gz), .npz.

    Parameters
    ----------
    path
        The graph: see :func:`read_edges`, :func:`read_graphml`, :func:`read_matrix_market` and
        :func:`read_npz` for what each format may hold.
    labels
        A CSV or TSV file with the header ``node,label``; it replaces labels of the graph file.
    """
    path = check_file(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    ending = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else path.suffix.lower()
    if ending not in READERS:
        known = " ".join(READERS)
        raise InputError(f"{path}: no reader for files that end in {ending!r}; there are {known}")
    return READERS[ending](path, labels)


def read_layers(
    paths: Sequence[FilePath], labels: FilePath | None = None, features: FilePath | None = None
) -> tuple[Graph, ...]:
    """Several graphs over the same nodes, matched by their ids; one file gives one graph.

    Parameters
    ----------
    paths
        The graphs, each as :func:`read_graph` reads it. Of several, each is named after its file.
        A node that is not in one of them is isolated there.
    labels
        A file ``node,label`` for the nodes of all of them; it replaces labels of the graph files.
    features
        A table as :func:`read_features` reads it; it replaces features of the graph files.
    """
    found = [read_graph(path) for path in paths]
    if len(found) > 1:
        names = layer_names(paths)
        if labels is not None:
            found = [each.unlabelled for each in found]
        found = [attrs.evolve(each, name=name) for each, name in zip(found, names, strict=True)]
    first, *more = over_one_set(found)
    first = read_labels(first, labels)
    return (first if features is None else read_features(features, first), *more)
