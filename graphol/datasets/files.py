"""The user's own graph and labels."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import attrs
import numpy as np

from graphol.errors import UsageError
from graphol.formats import read_graph
from graphol.graph import Graph
from graphol.params import param
from graphol.tasks import NodeTask

COMPONENTS = ("largest", "all")


@attrs.frozen
class Files:
    """A graph from a file of yours, with labels in it or in a second file.

    Formats: edge list (.csv, .tsv, .txt), GraphML, Matrix Market, npz;
    see :func:`graphol.formats.read_graph`. Nodes without a label stay in the graph and are never
    asked.

    Parameters
    ----------
    graph
        Path of the graph: .csv, .tsv, .txt, .graphml, .mtx or .npz.
    labels
        Path of a labels file with the header ``node,label``; needed where the graph has none.
    component
        ``all`` nodes, or the ``largest`` connected component.
    """

    name: ClassVar[str] = "files"
    graph: str = param("")
    labels: str | None = param(None, type=str)
    component: str = param("all", choices=COMPONENTS)

    @classmethod
    def where(cls) -> str:
        """With the user."""
        return "your own: --graph FILE --labels FILE"

    def read(self) -> Graph:
        """The graph, labels or not."""
        if not self.graph:
            raise UsageError("files: no graph is given; name one with --graph FILE")
        graph = read_graph(self.graph, self.labels)
        return graph.largest_component() if self.component == "largest" else graph

    def load(self, rng: np.random.Generator) -> NodeTask:
        """The task; the same for every ``rng``."""
        graph = self.read()
        task = NodeTask((graph,), name=graph.name)  # what is missing is missing in that file
        return attrs.evolve(task, name=Path(self.graph).name)
