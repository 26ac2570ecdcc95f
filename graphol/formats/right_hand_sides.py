"""Numbers on the nodes of a graph, from a file: the right-hand sides of a linear system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol import npz
from graphol.door import FilePath, check_file, limit, reader, too_large
from graphol.errors import InputError, shown
from graphol.formats.delimited import read_cells
from graphol.formats.numerals import plain_float
from graphol.graph import Graph

ENDINGS = ".npy .npz .csv .tsv"


@reader
def read_right_hand_sides(path: FilePath, graph: Graph) -> NDArray[np.float64]:
    """An (n, k) array of numbers, one row per node of the graph.

    - ``.npy``: an array (n,) or (n, k), rows in the order of the graph's nodes.
    - ``.npz``: the same, as the member ``b`` or as the only member.
    - ``.csv``, ``.tsv``: a header whose first column is ``node``, one more column per right-hand
      side; nodes by their own ids, those that are not listed have 0.
    """
    path = check_file(path)
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv"):
        return _from_text(path, graph)
    if ending not in (".npy", ".npz"):
        raise InputError(f"{path}: no reader for files that end in {ending!r}; there are {ENDINGS}")
    found = npz.array(path) if ending == ".npy" else _only(path)
    if found.dtype.kind not in "biuf":
        raise InputError(f"{path}: needs numbers, got an array of {found.dtype}")
    if found.ndim not in (1, 2) or found.shape[0] != graph.n:
        raise InputError(f"{path}: needs {graph.n} rows, one per node, got shape {found.shape}")
    return _finite(found.reshape(graph.n, -1).astype(np.float64), path)


def _only(path: Path) -> NDArray[Any]:
    stored = npz.members(path, (), "a right-hand side", optional=None)
    if "b" not in stored and len(stored) != 1:
        raise InputError(
            f"{path} holds {', '.join(stored) or 'nothing'}; call the right-hand sides b"
        )
    return stored["b"] if "b" in stored else next(iter(stored.values()))


def _from_text(path: Path, graph: Graph) -> NDArray[np.float64]:
    header, rows, lines = read_cells(path, _names, "node,NAME,...")
    number = {str(node): i for i, node in enumerate(graph.ids)}
    most = limit(path.stat().st_size)
    if 8 * graph.n * len(header) > most:
        raise too_large(path, f"{len(header) - 1} right-hand sides of {graph.n} nodes", most)
    B = np.zeros((graph.n, len(header) - 1))
    seen: set[str] = set()
    for fields, line in zip(rows, lines, strict=True):
        node, *texts = (field.strip() for field in fields)
        where = f"{path} line {line}"
        if node not in number:
            raise InputError(f"{where}: node {shown(node)} is not in {graph.name}")
        if node in seen:
            raise InputError(f"{where}: node {shown(node)} has two lines")
        seen.add(node)
        try:
            B[number[node]] = [plain_float(text) for text in texts]
        except ValueError:
            raise InputError(f"{where}: {shown(','.join(texts))} is not a row of numbers") from None
    return _finite(B, path)


def _names(row: list[str], where: str) -> list[str]:
    names = [name.strip() for name in row]
    if len(names) < 2 or names[0].lower() != "node":
        raise InputError(f"{where}: needs a header node,NAME,..., one name per right-hand side")
    return names


def _finite(B: NDArray[np.float64], path: Path) -> NDArray[np.float64]:
    if B.shape[1] == 0:
        raise InputError(f"{path}: no right-hand side")
    if not np.isfinite(B).all():
        raise InputError(f"{path}: holds NaN or infinity")
    return B
