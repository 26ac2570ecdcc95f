"""graphol's own file: one compressed npz that numpy alone can read.

==========================================  ====================================================
``indptr, indices, data, n``                adjacency as CSR: symmetric, no self loops, weights > 0
``labels``                                  class 0..K-1 of every node, -1 where it is not known
``label_names``                             K texts
``unlabelled_idx``                          nodes whose label is to be ignored
``x_indptr, x_indices, x_data, x_shape``    node features as CSR
``ids`` or ``ids_literal``                  node ids, if not 0..n-1: see :mod:`graphol.node_ids`
``notes``                                   what was repaired on the way, each with a count
==========================================  ====================================================

Only the first row is required; members with other names are left alone. Pickles are never loaded.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphol import node_ids, npz
from graphol.errors import InputError
from graphol.formats.labels import read_labels
from graphol.formats.opening import FilePath, check_file
from graphol.graph import Graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

REQUIRED = ("indptr", "indices", "data", "n")
FEATURES = ("x_indptr", "x_indices", "x_data", "x_shape")
OPTIONAL = (
    "labels", "label_names", "unlabelled_idx", "notes", *node_ids.MEMBERS, *FEATURES,
)  # fmt: skip


def read_npz(path: FilePath, labels: FilePath | None = None, *, name: str | None = None) -> Graph:
    """A graph from an npz file in the form above; ``name`` is what error messages call it."""
    path = check_file(path)
    stored = npz.members(path, REQUIRED, "a graph", OPTIONAL)
    n = _whole(stored["n"], 1, f"{path}: n")[0]
    features = None
    if any(key in stored for key in FEATURES):
        missing = [key for key in FEATURES if key not in stored]
        if missing:
            raise InputError(f"{path}: its features lack {', '.join(missing)}")
        rows, columns = _whole(stored["x_shape"], 2, f"{path}: x_shape")
        features = _csr(stored, "x_", (rows, columns), path)
    graph = Graph(
        _csr(stored, "", (n, n), path),
        labels=_labels(stored, path),
        label_names=_texts(stored, "label_names"),
        ids=node_ids.read(stored, str(path)),
        features=features,
        name=name or str(path),
        notes=_texts(stored, "notes"),
    )
    return read_labels(graph, labels)


def write_npz(graph: Graph, path: FilePath) -> None:
    """Write a graph so that :func:`read_npz` gives it back with the same hash.

    The file is whole or not there. Node ids may be texts, whole numbers and tuples of them.
    """
    members: dict[str, Any] = {"n": graph.n} | _csr_members(graph.adjacency, "")
    if graph.labels is not None:
        members["labels"] = graph.labels
    if graph.label_names:
        members["label_names"] = np.array(graph.label_names)
    if graph.features is not None:
        members |= _csr_members(graph.features, "x_")
        members["x_shape"] = np.array(graph.features.shape)
    if graph.ids != tuple(range(graph.n)):
        members |= node_ids.members(graph.ids, graph.name)
    if graph.notes:
        members["notes"] = np.array(graph.notes)
    npz.write(Path(path), members, force=True)


def _whole(array: NDArray[Any], size: int, where: str) -> list[int]:
    if array.size != size or array.dtype.kind not in "iu":
        raise InputError(f"{where} must be {size} whole number(s)")
    return [int(value) for value in array.ravel()]


def _csr(stored: npz.Members, prefix: str, shape: tuple[int, int], path: Path) -> csr_array:
    from scipy.sparse import csr_array

    indptr, indices, data = (stored[prefix + key] for key in ("indptr", "indices", "data"))
    for key, array, kinds in (
        ("indptr", indptr, "iu"),
        ("indices", indices, "iu"),
        ("data", data, "biuf"),
    ):
        if array.ndim != 1 or array.dtype.kind not in kinds:
            raise InputError(f"{path}: {prefix}{key} must be a row of numbers")
    if len(indptr) != shape[0] + 1 or indptr[-1] != len(indices) or len(indices) != len(data):
        raise InputError(
            f"{path}: {prefix}indptr, {prefix}indices and {prefix}data do not fit together: "
            f"{len(indptr)}, {len(indices)} and {len(data)} entries for {shape[0]} rows"
        )
    try:
        matrix = csr_array((data, indices, indptr), shape=shape)
        matrix.check_format(full_check=True)
    except (ValueError, OverflowError) as reason:
        raise InputError(f"{path}: {prefix}indptr or {prefix}indices: {reason}") from None
    return matrix


def _labels(stored: npz.Members, path: Path) -> NDArray[np.int64] | None:
    labels = stored.get("labels")
    if labels is None or "unlabelled_idx" not in stored:
        return labels
    labels, hidden = labels.copy(), stored["unlabelled_idx"]
    try:
        labels[hidden] = -1
    except IndexError as reason:
        raise InputError(f"{path}: unlabelled_idx: {reason}") from None
    return labels


def _texts(stored: npz.Members, key: str) -> tuple[str, ...]:
    return tuple(str(value) for value in stored[key].ravel()) if key in stored else ()


def _csr_members(matrix: csr_array, prefix: str) -> dict[str, Any]:
    small = matrix.data.astype(np.float32)
    lossless = bool((small == matrix.data).all())
    return {
        f"{prefix}indptr": matrix.indptr,
        f"{prefix}indices": matrix.indices,
        f"{prefix}data": small if lossless else matrix.data,
    }
