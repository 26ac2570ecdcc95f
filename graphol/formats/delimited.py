"""A delimited text file: a header, then one row per line."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from graphol.door import FilePath, check_file, check_objects
from graphol.errors import MOST, InputError, nearest, shown
from graphol.formats.opening import read_text

ENDINGS = (".csv", ".tsv", ".txt")
ROW, CELL = 100, 60
"""Bytes of a row, and of a cell, as Python objects."""


class Columns(NamedTuple):
    """The columns of a file, and the line each row stood on."""

    columns: dict[str, list[str]]
    lines: list[int]
    notes: tuple[str, ...]


class Cells(NamedTuple):
    """A header, the rows below it, and the line each row stood on."""

    header: list[str]
    rows: list[list[str]]
    lines: list[int]


def check_table(path: FilePath, what: str) -> Path:
    """The path, if it is a file whose name says that it is a table; ``what`` it should be."""
    path = check_file(path)
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if not suffixes or suffixes[-1] not in ENDINGS:
        raise InputError(
            f"{path}: {what} ends in {' '.join(ENDINGS)}, each also .gz; save it as one of these"
        )
    return path


def read_cells(
    path: FilePath, names: Callable[[list[str], str], list[str]], wanted: str = ""
) -> Cells:
    """All fields of a CSV or TSV file; ``names(first row, where)`` checks and names the columns.

    The delimiter is a tab if the header has one, else a comma. Blank lines are skipped; fields may
    be quoted. Every error names the file and the line.
    """
    text = read_text(path)
    first = text.lstrip().partition("\n")[0]
    delimiter = "\t" if "\t" in first else ","
    rows = text.count("\n") + text.count("\r")
    check_objects(path, ROW * rows + CELL * (rows + text.count(delimiter)))
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True
    )
    found = Cells([], [], [])
    header, first_row = found.header, list[str]()
    try:
        for row in reader:
            if len(row) <= 1 and not "".join(row).strip():
                continue
            if not header:
                header += names(row, f"{path} line {reader.line_num}")
                first_row = row
            elif len(row) != len(header):
                raise InputError(
                    f"{path} line {reader.line_num}: {len(row)} field(s), "
                    f"but the header has {len(header)}"
                )
            elif row == first_row:
                raise InputError(
                    f"{path} line {reader.line_num} repeats the header; were files put together? "
                    "Keep the first header only"
                )
            else:
                found.rows.append(row)
                found.lines.append(reader.line_num)
    except csv.Error as reason:
        raise InputError(f"{path} line {reader.line_num}: {reason}") from None
    if not header:
        raise InputError(f"{path} is empty; it needs a header {wanted}".rstrip())
    if not found.rows:
        raise InputError(f"{path} has a header but no rows below it")
    return found


def read_columns(
    path: FilePath, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Columns:
    """The named columns of a CSV or TSV file, see :func:`read_cells`.

    Column names may be in any order and in any case. Spaces around a field are not part of it. A
    column nobody asked for is ignored with a note, unless its name is so close to a wanted one
    that it must be a slip.
    """
    known = (*required, *optional)
    header, rows, lines = read_cells(
        path, lambda row, where: _header(row, required, known, where), ",".join(required)
    )
    columns = {name: [row[k].strip() for row in rows] for k, name in enumerate(header)}
    ignored = [name for name in header if name not in known]
    notes = tuple(f"column {shown(name)} of {path} ignored" for name in ignored[:MOST])
    if len(ignored) > MOST:
        notes += (f"{len(ignored) - MOST} more column(s) of {path} ignored",)
    return Columns({name: columns[name] for name in known if name in columns}, lines, notes)


def _header(
    row: list[str], required: tuple[str, ...], known: tuple[str, ...], where: str
) -> list[str]:
    names = [name.strip().lower() for name in row]
    wanted = ",".join(required) + "".join(f"[,{name}]" for name in known[len(required) :])
    missing = [name for name in known if name not in names]
    for name in names:
        slip = None if name in known else nearest(name, missing, cutoff=0.75)
        if slip is not None:
            raise InputError(f"{where}: unknown column {name!r}: did you mean {slip!r}?")
    if not set(required) <= set(names):
        shown = ",".join(names)
        shown = shown if len(shown) <= 60 else shown[:60] + "..."
        raise InputError(
            f"{where}: the header must be {wanted}, with commas or tabs between, got {shown!r}"
        )
    for name in known:
        if names.count(name) > 1:
            raise InputError(f"{where}: column {name!r} is there twice")
    return names
