"""A table of signals: a header with node ids and the target's name, then a sample per line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np

from graphol.api import Matrix, Vector
from graphol.door import FilePath, reader
from graphol.errors import InputError, near, shown
from graphol.formats.delimited import Cells, check_table, read_cells
from graphol.formats.numerals import plain_float
from graphol.graph import Graph
from graphol.tasks import LARGEST_NUMBER


@attrs.frozen
class SignalFile:
    """The cells of a file as text; a column becomes numbers when it is asked for."""

    path: Path
    target: str
    cells: Cells

    @property
    def inputs(self) -> list[str]:
        """The names of all columns but the target's."""
        return [name for name in self.cells.header if name != self.target]

    def numbers(self, names: Sequence[str]) -> tuple[Matrix, Vector]:
        """The columns of these names, one of each, and the target."""
        header = self.cells.header
        wanted = (*names, self.target)
        for name in wanted if len(set(header)) < len(header) else ():
            if header.count(name) > 1:
                raise InputError(
                    f"{self.path}: column {shown(name)} is there twice; keep one of them"
                )
        place = {name: k for k, name in enumerate(header)}
        columns = [place[name] for name in wanted]
        values = np.empty((len(self.cells.rows), len(columns)))
        for i, row in enumerate(self.cells.rows):
            try:
                values[i] = [plain_float(row[k]) for k in columns]
            except ValueError:
                values[i] = [_number(row[k]) for k in columns]
        wrong = np.argwhere(~(np.abs(values) <= LARGEST_NUMBER))
        if len(wrong):
            i, j = (int(place) for place in wrong[0])
            text = self.cells.rows[i][columns[j]].strip()
            what = "is not a finite number"
            if np.isfinite(values[i, j]):
                what = f"is too large; rescale to below {LARGEST_NUMBER:g}"
            raise InputError(
                f"{self.path} line {self.cells.lines[i]}: {shown(text)} in column "
                f"{shown(wanted[j])} {what}"
            )
        return values[:, :-1], values[:, -1]


def _number(text: str) -> float:
    try:
        return plain_float(text)
    except ValueError:
        return float("nan")


@reader
def read_signal_file(path: FilePath, target: str) -> SignalFile:
    """The table in a CSV or TSV file, also ``.gz``, that has a column called ``target``."""
    path = check_table(path, "a table of signals")

    def names(row: list[str], where: str) -> list[str]:
        header = [name.strip() for name in row]
        if len(header) < 2:
            raise InputError(
                f"{where}: the header has one field; it needs a name for every column, "
                "with commas or tabs between"
            )
        if target not in header:
            raise InputError(f"{where}: no column {target!r}; {near(target, header)}")
        return header

    return SignalFile(path, target, read_cells(path, names, f"of node ids and {target!r}"))


def refuse_target_among(graph: Graph, table: SignalFile) -> None:
    """A target that is also an input would be predicted from itself."""
    if table.target in {str(node) for node in graph.ids}:
        raise InputError(
            f"{table.path}: the target {table.target!r} is also a node of {graph.name}; "
            "rename its column and say target=NAME"
        )
