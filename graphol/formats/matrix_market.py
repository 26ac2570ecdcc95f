"""Matrix Market files.

Read here and not by ``scipy.io.mmread``, whose compiled reader ends the whole process on some
malformed files (a line with too many fields is enough); here every error is a line with its number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphol.door import FilePath, check_objects, check_rows, reader
from graphol.errors import InputError, shown
from graphol.formats.labels import read_labels
from graphol.formats.numerals import weight, whole
from graphol.formats.opening import read_text
from graphol.graph import Graph

Lines = list[tuple[int, list[str]]]
"""Line number and fields of every line that is neither blank nor a comment."""
LINE = 300
"""Bytes of a line and its fields, as Python objects."""
Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


@reader
def read_matrix_market(path: FilePath, labels: FilePath | None = None) -> Graph:
    """A graph from a symmetric adjacency matrix in Matrix Market form.

    Node ids are the whole numbers 1..n, the row numbers as the file writes them; a ``labels``
    file uses the same numbers in its ``node`` column. ``pattern`` matrices have weights 1. A
    ``general`` matrix must hold both (i, j) and (j, i); the same entry stored twice is refused,
    because readers disagree on adding or overwriting.

    Parameters
    ----------
    path
        An ``.mtx`` file, also ``.mtx.gz``.
    labels
        A labels file with the header ``node,label``.

    References
    ----------
    Boisvert, Pozo, Remington. The Matrix Market exchange formats. NISTIR 5935, 1996.
    """
    from scipy.sparse import coo_array

    text = read_text(path)
    if not text.strip():
        raise InputError(f"{path} is empty")
    check_objects(path, LINE * text.count("\n"))
    banner, _, _ = text.partition("\n")
    form, field, symmetry = _banner(banner.lower().split(), path)
    numbered = enumerate(text.split("\n"), start=1)
    lines = [(k, line.split()) for k, line in numbered if line.strip()[:1] not in ("", "%")]
    n = _size(lines, form, path)
    read = _coordinates if form == "coordinate" else _array
    i, j, weights = read(lines[1:], n, field, symmetry, path)
    if symmetry == "symmetric":
        off = i != j
        i, j = np.concatenate([i, j[off]]), np.concatenate([j, i[off]])
        weights = np.concatenate([weights, weights[off]])
    matrix = coo_array((weights, (i, j)), shape=(n, n)).tocsr()
    if matrix.nnz < len(i):
        key, counts = np.unique(i * n + j, return_counts=True)
        row, column = divmod(int(key[np.argmax(counts > 1)]), n)
        raise InputError(
            f"{path}: entry ({row + 1}, {column + 1}) is stored twice; keep one of them"
        )
    return read_labels(Graph(matrix, ids=tuple(range(1, n + 1)), name=str(path)), labels)


def _banner(words: list[str], path: FilePath) -> tuple[str, str, str]:
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise InputError(
            f"{path} line 1: not a Matrix Market file; it begins %%MatrixMarket matrix"
        )
    for word, known in zip(words[2:], KNOWN, strict=True):
        if word not in known:
            raise InputError(
                f"{path} line 1: {shown(word)} matrices are not read, only {' and '.join(known)}"
            )
    return words[2], words[3], words[4]


KNOWN = (("coordinate", "array"), ("real", "integer", "pattern"), ("general", "symmetric"))


def _size(lines: Lines, form: str, path: FilePath) -> int:
    """n, after checking that the size line fits what follows."""
    if not lines:
        raise InputError(f"{path}: the line with the size of the matrix is missing")
    line, fields = lines[0]
    where = f"{path} line {line}"
    wanted = 3 if form == "coordinate" else 2
    if len(fields) != wanted:
        raise InputError(f"{where}: the size of the matrix is {wanted} numbers, got {len(fields)}")
    sizes = [whole(text, where) for text in fields]
    if sizes[0] != sizes[1]:
        raise InputError(f"{where}: the matrix must be square, got {sizes[0]} x {sizes[1]}")
    entries = len(lines) - 1
    if form == "coordinate" and sizes[2] != entries:
        raise InputError(f"{where}: {sizes[2]} entries are announced, {entries} are there")
    check_rows(sizes[0], entries, where)
    if sizes[0] < 0:
        raise InputError(f"{where}: a matrix cannot have {sizes[0]} rows")
    return sizes[0]


def _coordinates(lines: Lines, n: int, field: str, symmetry: str, path: FilePath) -> Entries:
    """One entry per line: row, column and, unless it is a pattern, weight."""
    width = 2 if field == "pattern" else 3
    rows, columns, weights = [], [], []
    for line, fields in lines:
        where = f"{path} line {line}"
        if len(fields) != width:
            raise InputError(f"{where}: {len(fields)} field(s), an entry has {width}")
        i, j = whole(fields[0], where), whole(fields[1], where)
        if not (1 <= i <= n and 1 <= j <= n):
            raise InputError(f"{where}: entry ({i}, {j}) is outside 1..{n}")
        rows.append(i - 1)
        columns.append(j - 1)
        weights.append(1.0 if field == "pattern" else weight(fields[2], where))
    return np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64), np.array(weights)


def _array(lines: Lines, n: int, field: str, symmetry: str, path: FilePath) -> Entries:
    """One value per line, column by column; of a symmetric matrix the lower half. Zero: no edge."""
    weights = np.array([weight(" ".join(fields), f"{path} line {line}") for line, fields in lines])
    needed = n * (n + 1) // 2 if symmetry == "symmetric" else n * n
    if len(weights) != needed or field == "pattern":
        raise InputError(f"{path}: {needed} numbers are needed, {len(weights)} are there")
    columns, rows = np.triu_indices(n) if symmetry == "symmetric" else np.indices((n, n))
    kept = np.flatnonzero(weights)
    return rows.ravel()[kept], columns.ravel()[kept], weights[kept]
