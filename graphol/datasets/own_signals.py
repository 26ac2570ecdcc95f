"""The user's own matrix of signals, with a graph over its columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol import npz
from graphol.api import Matrix, Vector
from graphol.datasets.signals import table_task
from graphol.door import check_file
from graphol.errors import InputError, UsageError, near
from graphol.formats import read_graph
from graphol.formats.signal_file import read_signal_file, refuse_target_among
from graphol.graph import Graph
from graphol.params import param
from graphol.tasks import SignalTask

MEMBERS = ("samples", "targets")


@attrs.frozen
class OwnSignals:
    """Signals of yours: a table with one column per node of a graph, and one for the target.

    A CSV or TSV file has a header with node ids and the target's name, in any order; columns that
    are neither are ignored with a note. An npz file has ``samples`` (N x p, columns in the order of
    the graph's nodes) and ``targets`` (N). Targets that are all -1 or +1, or all 0 or 1, are signs;
    others are numbers.

    Parameters
    ----------
    graph
        Path of the graph, in any format that ``--graph`` reads.
    samples
        Path of the table: .csv, .tsv or .npz.
    target
        Name of the target's column.
    test
        Share of the rows, the last ones, that is held out to score on; >= 0 and < 1.
    """

    name: ClassVar[str] = "signals"
    graph: str = param("")
    samples: str = param("")
    target: str = param("target")
    test: float = param(0.2, least=0, below=1)

    @classmethod
    def where(cls) -> str:
        """With the user."""
        return "your own: --dataset signals:graph=FILE,samples=FILE"

    def load(self, rng: np.random.Generator) -> SignalTask:
        """The task; the same for every ``rng``."""
        if not self.graph or not self.samples:
            raise UsageError("signals: give both files, --dataset signals:graph=FILE,samples=FILE")
        graph = read_graph(self.graph)
        if self.samples.lower().endswith(".npz"):
            X, y = _from_npz(check_file(self.samples), graph)
        else:
            X, y, notes = _from_text(self.samples, self.target, graph)
            graph = graph.noted(*notes)
        return table_task(graph, X, y, Path(self.samples).name, test=self.test)


def _from_npz(path: Path, graph: Graph) -> tuple[Matrix, Vector]:
    stored = npz.members(path, MEMBERS, "a table of signals")
    X, y = (_floats(stored[key], f"{path}: {key}") for key in MEMBERS)
    if X.ndim != 2 or y.ndim != 1 or len(X) != len(y):
        raise InputError(
            f"{path}: samples {X.shape} and targets {y.shape} do not fit together; "
            f"they must be (N, {graph.n}) and (N,)"
        )
    if X.shape[1] != graph.n:
        raise InputError(
            f"{path}: samples have {X.shape[1]} column(s), but {graph.name} has {graph.n} node(s); "
            "it needs one for each, in the same order"
        )
    return X, y


def _floats(array: NDArray[Any], where: str) -> NDArray[np.float64]:
    if array.dtype.kind not in "biuf":
        raise InputError(f"{where} must be numbers, got an array of {array.dtype}")
    with np.errstate(over="ignore"):  # a long double may become infinite, which is refused later
        return array.astype(np.float64)


def _from_text(path: str, target: str, graph: Graph) -> tuple[Matrix, Vector, tuple[str, ...]]:
    table = read_signal_file(path, target)
    refuse_target_among(graph, table)
    nodes = [str(node) for node in graph.ids]
    inputs, known = table.inputs, set(table.inputs)
    missing = [node for node in nodes if node not in known]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise InputError(
            f"{path}: no column for node {missing[0]!r}{more} of {graph.name}; "
            f"{near(missing[0], inputs)}"
        )
    ignored = known.difference(nodes)
    notes = (f"{len(ignored)} column(s) of {path} ignored: no node of {graph.name}",)
    return *table.numbers(nodes), notes if ignored else ()
