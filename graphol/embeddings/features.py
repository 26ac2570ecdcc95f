"""Nodes as the features they came with."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.embeddings.rows import RowFeatures, unit_rows
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.params import param


@attrs.frozen
class NodeFeatures:
    r"""The node's own features (words, pixels, ...): the graph is not used.

    :math:`x_i` is row i of ``graph.features``, made dense: n m floats. It is the baseline that
    tells what the edges are worth.

    Parameters
    ----------
    rows
        ``unit``: scaled to norm 1, which second-order learners want; ``raw``: as they are. A node
        without any feature stays a zero row.

    Examples
    --------
    >>> graph = Graph.from_edges([0], [1], features=[[3.0, 4.0], [0.0, 2.0]])
    >>> NodeFeatures().embed(graph, np.random.default_rng(0)).rows
    array([[0.6, 0.8],
           [0. , 1. ]])
    """

    name: ClassVar[str] = "features"
    rows: str = param("unit", choices=("unit", "raw"))

    def embed(self, graph: Graph, rng: np.random.Generator) -> RowFeatures:
        """The rows of all nodes; nothing is random."""
        if graph.features is None:
            raise UsageError(
                f"{graph.name} has no node features; use another embedding, e.g. spectral, "
                "or a data set that has some"
            )
        X = graph.features.toarray()
        return RowFeatures(unit_rows(X) if self.rows == "unit" else X)
