"""The user's own matrix of signals, with a graph over its columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Matrix, Vector
from graphol.datasets.opening import check_file, read_text
from graphol.datasets.read import read_graph
from graphol.errors import InputError, UsageError, near
from graphol.graph import Graph
from graphol.params import param
from graphol.scores import Held
from graphol.tasks import SignalTask


@attrs.frozen
class OwnSignals:
    """Signals of yours: a table with one column per node of a graph, and one for the target.

    A CSV or TSV file has a header with node ids and the target's name, in any order; an npz file
    has ``samples`` (N x p, columns in the order of the graph's nodes) and ``targets`` (N). Targets
    that are all -1 or +1, or all 0 or 1, are signs; others are numbers.

    Parameters
    ----------
    graph
        Path of the graph, in any format that ``--graph`` reads.
    samples
        Path of the table.
    target
        Name of the target's column.
    test
        Share of the rows, the last ones, that is held out to score on; >= 0 and < 1.
    """

    name: ClassVar[str] = "signals"
    graph: str = param("", "Path of the graph over the columns.")
    samples: str = param("", "Path of the table: .csv, .tsv or .npz.")
    target: str = param("target", "Name of the target's column.")
    test: float = param(0.2, "Share of the rows held out to score on.", least=0, below=1)

    def load(self, rng: np.random.Generator) -> SignalTask:
        """The task; the same for every ``rng``."""
        if not self.graph or not self.samples:
            raise UsageError("signals: give both files, --dataset signals:graph=FILE,samples=FILE")
        graph = read_graph(self.graph)
        X, y = self._from_npz() if self.samples.lower().endswith(".npz") else self._from_text(graph)
        signs = bool(np.isin(y, (-1, 1)).all() or np.isin(y, (0, 1)).all())
        if signs:
            y = np.where(y > 0, 1, -1)
        played = len(y) - int(self.test * len(y))
        if played < 1:
            raise InputError(f"{self.samples}: {len(y)} row(s) leave none to play")
        held = Held(X[played:], y[played:]) if played < len(y) else None
        return SignalTask(
            graph,
            np.ascontiguousarray(X[:played]),
            y[:played],
            name=Path(self.samples).name,
            target="signs" if signs else "real",
            test=held,
        )

    def _from_npz(self) -> tuple[Matrix, Vector]:
        path = check_file(self.samples)
        try:
            with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as stored:
                X, y = (np.asarray(stored[key], dtype=np.float64) for key in ("samples", "targets"))
        except KeyError as missing:
            raise InputError(f"{path} has no member {missing}; it needs samples, targets") from None
        except Exception as reason:  # whatever zip, zlib and npy make of damaged bytes
            text = " ".join(str(reason).split())
            raise InputError(f"{path} is not an npz file, or is damaged ({text})") from None
        if X.ndim != 2 or y.ndim != 1 or len(X) != len(y):
            raise InputError(f"{path}: samples {X.shape} and targets {y.shape} do not fit together")
        return X, y

    def _from_text(self, graph: Graph) -> tuple[Matrix, Vector]:
        import csv
        import io

        text = read_text(self.samples)
        delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(row)]
        if len(rows) < 2:
            raise InputError(f"{self.samples}: needs a header and at least one row below it")
        header = [name.strip() for name in rows[0]]
        column = {name: k for k, name in enumerate(header)}
        if self.target not in column:
            raise InputError(
                f"{self.samples}: no column {self.target!r}; {near(self.target, header)}"
            )
        missing = [str(node) for node in graph.ids if str(node) not in column]
        if missing:
            raise InputError(f"{self.samples}: no column for node {missing[0]!r} of {self.graph}")
        values = np.empty((len(rows) - 1, len(header)))
        for i, row in enumerate(rows[1:]):
            values[i] = self._numbers(row, len(header), i + 2)
        return values[:, [column[str(node)] for node in graph.ids]], values[:, column[self.target]]

    def _numbers(self, row: list[str], count: int, line: int) -> list[Any]:
        if len(row) != count:
            raise InputError(
                f"{self.samples} line {line}: {len(row)} field(s), but the header has {count}"
            )
        try:
            return [float(field) for field in row]
        except ValueError as reason:
            raise InputError(f"{self.samples} line {line}: {reason}") from None
