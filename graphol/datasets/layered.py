"""Another data set with a layer more, made of its node features."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.errors import InputError, UsageError
from graphol.graph import Graph
from graphol.layers.neighbours import nearest_neighbours
from graphol.layers.vertices import stars, with_vertices
from graphol.params import param
from graphol.registry import component
from graphol.tasks import NodeTask


@attrs.frozen
class Layered:
    r"""Another data set with one layer more, made of its node features.

    ``knn`` joins every node with the k nodes whose features have the largest cosine with its own,
    in one direction or the other; the edge's weight is the cosine. ``stars`` has a vertex more for
    every feature, called ``('feature', NAME)``, without a label and never asked, with an edge to
    every node that has the feature, as heavy as its value. A split of the nodes is kept.

    Learners that know one graph only, and embeddings, see the sum of all layers.

    Parameters
    ----------
    of
        The data set.
    add
        ``knn`` or ``stars``.
    k
        Nearest neighbours of a node in ``knn``, >= 1.

    Examples
    --------
    >>> from graphol import make
    >>> task = make("dataset", "layered:of=digits,add=knn,k=5").load(np.random.default_rng(0))
    >>> task.name, [graph.name for graph in task.graphs]
    ('digits+knn', ['digits', 'knn'])
    """

    name: ClassVar[str] = "layered"
    of: Any = component("dataset", "digits")
    add: str = param("knn", choices=("knn", "stars"))
    k: int = param(10, least=1)

    def load(self, rng: np.random.Generator) -> NodeTask:
        """What the data set loads by ``rng``, with the layer."""
        task = self.of.load(rng)
        if not isinstance(task, NodeTask):
            raise UsageError(f"{task.name} is no graph with classes of nodes; layered needs one")
        graph = task.graph
        if graph.features is None:
            raise InputError(
                f"{task.name} has no node features to make a layer of; take a data set that has "
                "some, or give your graph some with --features"
            )
        taken = [each.name for each in task.graphs]
        layer = next(f"{self.add}{i}" for i in ("", *range(2, 99)) if f"{self.add}{i}" not in taken)
        graphs = self._with_layer(task.graphs, graph, layer)
        return attrs.evolve(task, graphs=graphs, name=f"{task.name}+{self.add}", features=None)

    def _with_layer(self, graphs: tuple[Graph, ...], whole: Graph, layer: str) -> tuple[Graph, ...]:
        if self.add == "knn":
            weights = nearest_neighbours(whole.features, self.k, whole.name)
            return *graphs, Graph(weights, ids=whole.ids, name=layer)
        names = whole.feature_names
        weights = stars(whole.features, names, whole.name)
        graphs = tuple(with_vertices(graph, names) for graph in graphs)
        return *graphs, Graph(weights, ids=graphs[0].ids, name=layer)
