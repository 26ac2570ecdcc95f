"""The user's own graphs, labels and features."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Split
from graphol.errors import UsageError
from graphol.formats import read_layers
from graphol.formats.graph_npz import read_split
from graphol.graph import Graph
from graphol.params import param, texts
from graphol.tasks import NodeTask
from graphol.tasks.layers import summed

COMPONENTS = ("largest", "all")


@attrs.frozen
class Files:
    """A graph from a file of yours, or several over the same nodes, with labels and features.

    Formats: edge list (.csv, .tsv, .txt), GraphML, Matrix Market, npz;
    see :func:`graphol.formats.read_graph`. Nodes without a label stay in the graph and are never
    asked. Several graphs are layers, named after their files: nodes are matched by their ids, and a
    node that is not in one of them is isolated there. The split of an npz file is kept, of several
    graphs that of the first.

    Parameters
    ----------
    graph
        Path of the graph: .csv, .tsv, .txt, .graphml, .mtx or .npz.
    labels
        Path of a labels file with the header ``node,label``; needed where the graph has none.
    component
        ``all`` nodes, or the ``largest`` connected component, of several graphs together.
    more
        Paths of further graphs over the same nodes; ``--graph`` once more for each of them.
    features
        Path of a table of node features, with the header ``node,NAME,NAME,...`` or
        ``node,feature,value``.
    """

    name: ClassVar[str] = "files"
    graph: str = param("")
    labels: str | None = param(None, type=str)
    component: str = param("all", choices=COMPONENTS)
    more: tuple[str, ...] = texts()
    features: str | None = param(None, type=str)

    @classmethod
    def where(cls) -> str:
        """With the user."""
        return "your own: --graph FILE --labels FILE"

    def layers(self) -> tuple[Graph, ...]:
        """All graphs whole, labels or not."""
        if not self.graph:
            needs = "features need a graph; " if self.features else "no graph is given; "
            raise UsageError(f"files: {needs}name one with --graph FILE")
        return read_layers((self.graph, *self.more), self.labels, self.features)

    def read(self) -> Graph:
        """The graph, or the sum of all, labels or not."""
        graphs = self.layers()
        graph = graphs[0] if len(graphs) == 1 else summed(graphs, self.title)
        return graph.largest_component() if self.component == "largest" else graph

    def load(self, rng: np.random.Generator) -> NodeTask:
        """The task; the same for every ``rng``."""
        graphs = self.layers()
        named = graphs[0].name if len(graphs) == 1 else self.title
        task = NodeTask(graphs, name=named)  # what is missing is missing in that file
        split = read_split(self.graph) if Path(self.graph).suffix.lower() == ".npz" else None
        if split is not None:
            task = _with_split(task, split)
        if self.component == "largest" and task.graph.n_components > 1:
            task = task.part(np.flatnonzero(task.graph.components == 0))
        return attrs.evolve(task, name=self.title)

    @property
    def title(self) -> str:
        """Its files, as messages name them."""
        first, *more = (Path(path).name for path in (self.graph, *self.more))
        if len(more) < 2:
            return " + ".join([first, *more])
        return f"{first} and {len(more)} more"


def _with_split(task: NodeTask, split: Split) -> NodeTask:
    """The task with a split that is in its file, as far as nodes have labels."""
    first, *more = task.graphs
    assert first.labels is not None
    kept = Split(*(part[first.labels[part] >= 0] for part in split))
    left = sum(map(len, split)) - sum(map(len, kept))
    if left:
        first = first.noted(f"{left} node(s) of its split have no label, and are left out of it")
    if not len(kept.train) or not len(kept.test):
        first = first.noted(
            "its split is left out: no labels are in the part that is learnt or asked"
        )
        return attrs.evolve(task, graphs=(first, *more))
    return attrs.evolve(task, graphs=(first, *more), split=kept)
