"""graphol's own file: one compressed npz that numpy alone can read.

==========================================  ====================================================
``indptr, indices, data, n``                adjacency as CSR: symmetric, no self loops, weights > 0
``labels``                                  class 0..K-1 of every node, -1 where it is not known
``label_names``                             K texts
``unlabelled_idx``                          nodes whose label is to be ignored
``x_indptr, x_indices, x_data, x_shape``    node features as CSR
``ids`` or ``ids_literal``                  node ids, if not 0..n-1: see :mod:`graphol.node_ids`
``x_names``                                 names of the features
``train_idx, val_idx, test_idx``            a split of the nodes, read by :func:`read_split`
``notes``                                   what was repaired on the way, each with a count
``meta.json``                               how the graph came about, if ``graphol fuse`` made it
==========================================  ====================================================

Only the first row is required; members with other names are left alone. Pickles are never loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphol import node_ids, npz
from graphol.api import Split
from graphol.declared import Member, check, csr, csr_form
from graphol.door import FilePath, Source, check_file, limit, reader, too_large
from graphol.errors import InputError
from graphol.formats.labels import read_labels
from graphol.graph import Graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SPLIT = ("train_idx", "val_idx", "test_idx")
NAME = 60
"""Bytes of a feature's name as a Python object."""
FEATURES = ("x_indptr", "x_indices", "x_data", "x_shape")
GRAPH = {
    "n": Member("iu", (), least=1),
    **csr_form(),
    "labels": Member("iu", ("n",), optional=True),
    "label_names": Member("U", ("classes",), optional=True),
    "unlabelled_idx": Member("iu", (None,), least=0, below="n", optional=True),
    "ids": Member("iuU", ("n",), optional=True),
    "ids_literal": Member("U", ("n",), optional=True),
    "notes": Member("U", (None,), optional=True),
    "x_shape": Member("iu", (2,), least=0, optional=True),
    "x_names": Member("U", (None,), optional=True),
}
"""What a file with a graph holds; features, if there are some, also have this form."""
REQUIRED = ("indptr", "indices", "data", "n")
OPTIONAL = (*(name for name, member in GRAPH.items() if member.optional), *FEATURES)


@reader
def read_npz(path: FilePath, labels: FilePath | None = None, *, name: str | None = None) -> Graph:
    """A graph from an npz file in the form above; ``name`` is what error messages call it."""
    path = check_file(path)
    where, size = str(path), path.stat().st_size
    stored = npz.members(path, REQUIRED, "a graph", OPTIONAL)
    return read_labels(_checked(stored, where, size, name or where), labels)


def graph_in(source: Source, name: str) -> Graph:
    """The graph that such a file holds, which may be bytes that stand in another file."""
    stored = npz.members_of(source, REQUIRED, "a graph", OPTIONAL)
    return _checked(stored, str(source.path), source.size, name)


def _checked(stored: npz.Members, where: str, size: int, name: str) -> Graph:
    if stored["n"].size == 1:
        stored["n"] = stored["n"].reshape(())  # some write a row of one number
    n = check(stored, GRAPH, where)["n"]
    return Graph(
        csr(stored, where, size, (n, n)),
        labels=_labels(stored),
        label_names=_texts(stored, "label_names"),
        ids=node_ids.read(stored, where),
        features=stored_features(stored, where, size, n),
        name=name,
        notes=_texts(stored, "notes"),
        feature_names=stored_names(stored),
    )


@reader
def read_split(path: FilePath, *, name: str | None = None) -> Split | None:
    """The split of the nodes that an npz file with a graph holds; None if it has none."""
    path = check_file(path)
    stored = npz.members(path, ("n",), "a graph", SPLIT)
    missing = [key for key in SPLIT if key not in stored]
    if len(missing) == len(SPLIT):
        return None
    if missing:
        raise InputError(f"{name or path}: its split lacks {', '.join(missing)}")
    stored["n"] = stored["n"].reshape(())
    form = {key: Member("iu", (None,), least=0, below="n") for key in SPLIT}
    check(stored, {"n": GRAPH["n"], **form}, str(path))
    return Split(*(stored[key].astype(np.int64) for key in SPLIT))


def stored_features(stored: npz.Members, where: str, size: int, n: int) -> csr_array | None:
    """The features of n nodes among the members of a file of this size; None if there are none."""
    missing = [key for key in FEATURES if key not in stored]
    if len(missing) == len(FEATURES):
        return None
    if missing:
        raise InputError(f"{where}: its features lack {', '.join(missing)}")
    rows, columns = (int(length) for length in stored["x_shape"])
    if rows != n:
        raise InputError(f"{where}: features have shape ({rows}, {columns}) for {n} nodes")
    if NAME * columns > limit(size):  # any number fits into x_shape
        raise too_large(where, f"the names of {columns} features", limit(size))
    check(stored, csr_form("x_", "rows", "columns"), where, rows=rows, columns=columns)
    return csr(stored, where, size, (rows, columns), "x_")


def stored_names(stored: npz.Members) -> tuple[str, ...]:
    """The names of the features; none where they are numbered."""
    return _texts(stored, "x_names") if "x_shape" in stored else ()


def feature_members(graph: Graph) -> dict[str, Any]:
    """The features and their names as members of a file; nothing if there are none."""
    if graph.features is None:
        return {}
    members = _csr_members(graph.features, "x_")
    members["x_shape"] = np.array(graph.features.shape)
    if graph.feature_names != tuple(map(str, range(graph.features.shape[1]))):
        members["x_names"] = np.array(graph.feature_names)
    return members


def _labels(stored: npz.Members) -> NDArray[Any] | None:
    labels = stored.get("labels")
    if labels is None or "unlabelled_idx" not in stored:
        return labels
    known = labels.astype(np.int64)
    known[stored["unlabelled_idx"]] = -1
    return known


def write_npz(
    graph: Graph,
    path: FilePath,
    split: Split | None = None,
    meta: Mapping[str, Any] | None = None,
    *,
    force: bool = True,
) -> None:
    """Write a graph so that :func:`read_npz` gives it back with the same hash.

    A split is written with it, and how it came about as ``meta.json``. The file is whole or not
    there. Node ids may be texts, whole numbers and tuples of them.
    """
    members = graph_members(graph)
    if split is not None:
        members |= dict(zip(SPLIT, split, strict=True))
    npz.write(Path(path), members, meta, force=force)


def graph_members(graph: Graph) -> dict[str, Any]:
    """What of a graph stands in such a file, by name."""
    members: dict[str, Any] = {"n": graph.n} | _csr_members(graph.adjacency, "")
    if graph.labels is not None:
        members["labels"] = graph.labels
    if graph.label_names:
        members["label_names"] = np.array(graph.label_names)
    members |= feature_members(graph)
    if graph.ids != tuple(range(graph.n)):
        members |= node_ids.members(graph.ids, graph.name)
    if graph.notes:
        members["notes"] = np.array(graph.notes)
    return members


def _texts(stored: npz.Members, key: str) -> tuple[str, ...]:
    return tuple(str(value) for value in stored[key].ravel()) if key in stored else ()


def _csr_members(matrix: csr_array, prefix: str) -> dict[str, Any]:
    with np.errstate(over="ignore"):  # then it is not lossless
        small = matrix.data.astype(np.float32)
    lossless = bool((small == matrix.data).all())
    return {
        f"{prefix}indptr": matrix.indptr,
        f"{prefix}indices": matrix.indices,
        f"{prefix}data": small if lossless else matrix.data,
    }
