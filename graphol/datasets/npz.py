"""graphol's own file: one compressed npz that numpy alone can read.

==========================================  ====================================================
``indptr, indices, data, n``                adjacency as CSR: symmetric, no self loops, weights > 0
``labels``                                  class 0..K-1 of every node, -1 where it is not known
``label_names``                             K texts
``unlabelled_idx``                          nodes whose label is to be ignored
``x_indptr, x_indices, x_data, x_shape``    node features as CSR
``ids``                                     node ids (whole numbers or texts), if not 0..n-1
``ids_literal``                             node ids of any other kind, as Python literals
``notes``                                   what was repaired on the way, each with a count
==========================================  ====================================================

Only the first row is required; members with other names are left alone. Pickles are never loaded.
"""

from __future__ import annotations

import ast
import zipfile
import zlib
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphol.atomic import replacing
from graphol.datasets.labels import read_labels
from graphol.datasets.opening import FilePath, check_file
from graphol.errors import InputError, UsageError
from graphol.graph import Graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

REQUIRED = ("indptr", "indices", "data", "n")
FEATURES = ("x_indptr", "x_indices", "x_data", "x_shape")
OPTIONAL = ("labels", "label_names", "unlabelled_idx", "ids", "ids_literal", "notes", *FEATURES)

Members = dict[str, NDArray[Any]]


def read_npz(path: FilePath, labels: FilePath | None = None, *, name: str | None = None) -> Graph:
    """A graph from an npz file in the form above; ``name`` is what error messages call it."""
    path = check_file(path)
    stored = _members(path)
    missing = [key for key in REQUIRED if key not in stored]
    if missing:
        raise InputError(f"{path} has no {', '.join(missing)}; a graph needs {', '.join(REQUIRED)}")
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
        ids=_ids(stored, path),
        features=features,
        name=name or str(path),
        notes=_texts(stored, "notes"),
    )
    return read_labels(graph, labels)


def write_npz(graph: Graph, path: FilePath) -> None:
    """Write a graph so that :func:`read_npz` gives it back with the same hash.

    The file is whole or not there. Node ids of any kind that Python can write as a literal
    (numbers, texts, tuples of them, ...) survive.
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
        members |= id_members(graph)
    if graph.notes:
        members["notes"] = np.array(graph.notes)
    with replacing(Path(path)) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, **members)


def _members(path: Path) -> Members:
    """The members we know, none of them a pickle."""
    try:
        if not zipfile.is_zipfile(path):
            raise InputError(f"{path}: truncated, or not an npz file")
        key = ""
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            found: Members = {}
            for key in (*REQUIRED, *OPTIONAL):
                if key in file.files:
                    found[key] = np.asarray(file[key])
            return found
    except (OSError, ValueError, RuntimeError, MemoryError, EOFError, KeyError) as reason:
        said = " ".join(str(reason).split())
        if "allow_pickle" in said:
            raise InputError(
                f"{path}: {key} holds Python objects, which are never loaded; "
                "store numbers or texts"
            ) from None
        raise InputError(f"{path}: member {key!r} cannot be read ({said})") from None
    except (zipfile.BadZipFile, zlib.error) as reason:
        raise InputError(f"{path}: truncated or damaged ({reason})") from None


def _whole(array: NDArray[Any], size: int, where: str) -> list[int]:
    if array.size != size or array.dtype.kind not in "iu":
        raise InputError(f"{where} must be {size} whole number(s)")
    return [int(value) for value in array.ravel()]


def _csr(stored: Members, prefix: str, shape: tuple[int, int], path: Path) -> csr_array:
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


def _labels(stored: Members, path: Path) -> NDArray[np.int64] | None:
    labels = stored.get("labels")
    if labels is None or "unlabelled_idx" not in stored:
        return labels
    labels, hidden = labels.copy(), stored["unlabelled_idx"]
    try:
        labels[hidden] = -1
    except IndexError as reason:
        raise InputError(f"{path}: unlabelled_idx: {reason}") from None
    return labels


def _texts(stored: Members, key: str) -> tuple[str, ...]:
    return tuple(str(value) for value in stored[key].ravel()) if key in stored else ()


def _ids(stored: Members, path: Path) -> tuple[Hashable, ...]:
    if "ids" in stored:
        return tuple(stored["ids"].ravel().tolist())
    try:
        return tuple(ast.literal_eval(text) for text in _texts(stored, "ids_literal"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise InputError(f"{path}: ids_literal holds something that is not a literal") from None


def id_members(graph: Graph) -> dict[str, Any]:
    """The node ids as a member ``ids`` or ``ids_literal`` of an npz file."""
    kinds = {type(node) for node in graph.ids}
    if kinds == {str} or all(issubclass(kind, int | np.integer) for kind in kinds - {bool}):
        array = np.array(graph.ids)
        if array.dtype.kind in "iU" and tuple(array.tolist()) == graph.ids and bool not in kinds:
            return {"ids": array}
    texts = [repr(node) for node in graph.ids]
    for node, text in zip(graph.ids, texts, strict=True):
        try:
            same = ast.literal_eval(text) == node
        except (ValueError, SyntaxError):
            same = False
        if not same:
            raise UsageError(f"{graph.name}: node id {text} cannot be stored; use texts or numbers")
    return {"ids_literal": np.array(texts)}


def _csr_members(matrix: csr_array, prefix: str) -> dict[str, Any]:
    small = matrix.data.astype(np.float32)
    lossless = bool((small == matrix.data).all())
    return {
        f"{prefix}indptr": matrix.indptr,
        f"{prefix}indices": matrix.indices,
        f"{prefix}data": small if lossless else matrix.data,
    }
