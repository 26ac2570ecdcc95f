"""A rectangular grid, cut into stripes."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.params import param
from graphol.tasks import NodeTask


@attrs.frozen
class Grid:
    """A grid of rows x cols nodes, each joined to its (up to) four neighbours.

    Node ``row * cols + col`` has that number as its id. The classes are vertical stripes of equal
    width (up to one column), numbered from the left: with 2 classes, left and right.

    Parameters
    ----------
    rows
        Number of rows, at least 1.
    cols
        Number of columns, at least 2.
    classes
        Number of vertical stripes, 2 to cols; each is a class.

    Examples
    --------
    >>> graph = Grid(rows=2, cols=4).load(np.random.default_rng(0)).graph
    >>> graph.labels.reshape(2, 4)
    array([[0, 0, 1, 1],
           [0, 0, 1, 1]])
    >>> graph.n_edges
    10
    """

    name: ClassVar[str] = "grid"
    rows: int = param(20, least=1)
    cols: int = param(20, least=2)
    classes: int = param(2, least=2)

    def __attrs_post_init__(self) -> None:
        if self.classes > self.cols:
            raise UsageError(f"grid: classes must be <= cols = {self.cols}, got {self.classes}")

    def load(self, rng: np.random.Generator) -> NodeTask:
        """The task; the same for every ``rng``."""
        labels = np.tile(np.arange(self.cols) * self.classes // self.cols, self.rows)
        graph = pixel_grid(self.rows, self.cols, self.name).labelled(labels)
        return NodeTask((graph,), name=self.name)


def pixel_grid(rows: int, cols: int, name: str) -> Graph:
    """A grid numbered row by row."""
    from scipy.sparse import coo_array

    node = np.arange(rows * cols).reshape(rows, cols)
    i = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
    j = np.concatenate([node[:, 1:].ravel(), node[1:].ravel()])
    half = coo_array((np.ones(len(i)), (i, j)), shape=(node.size, node.size)).tocsr()
    return Graph(half + half.T, name=name)
