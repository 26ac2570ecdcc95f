"""Groups of entries that are kept or dropped together."""

from __future__ import annotations

import re
from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Integers, Vector
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.params import param
from graphol.projections.vectors import checked
from graphol.standins import compiled_as


def partition(blocks: str, graph: Graph | None, dim: int, owner: str = "groups") -> Integers:
    """The group of every entry, from the text that a parameter ``blocks`` holds.

    ``"3x3"`` cuts a grid graph, numbered row by row, into blocks of 3 x 3 nodes (smaller ones at
    the border); ``"9"`` cuts any graph into connected pieces of at most 9 nodes, or without a graph
    the entries into runs of 9.

    >>> partition("4", None, 10)
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2])
    >>> square = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3])
    >>> partition("1x2", square, 4)
    array([0, 0, 1, 1])
    """
    if graph is not None and graph.n != dim:
        raise UsageError(f"{owner}: the graph has {graph.n} nodes for {dim} entries")
    sides = re.fullmatch(r"([1-9]\d*)(?:x([1-9]\d*))?", blocks)
    if sides is None:
        raise UsageError(
            f"{owner}: blocks must be a size such as 9, or rows x columns such as 3x3, "
            f"got {blocks!r}"
        )
    if sides[2] is not None:
        return _tiles(graph, dim, int(sides[1]), int(sides[2]), owner)
    return np.arange(dim) // int(sides[1]) if graph is None else _pieces(graph, int(sides[1]))


def _tiles(graph: Graph | None, dim: int, height: int, width: int, owner: str) -> Integers:
    cols = 0 if graph is None else grid_columns(graph)
    if cols == 0:
        raise UsageError(
            f"{owner}: blocks={height}x{width} needs a grid numbered row by row; on another graph "
            f"give a size, e.g. blocks={height * width}"
        )
    row, col = np.divmod(np.arange(dim), cols)
    across = -(-cols // width)
    return np.asarray((row // height) * across + col // width)


def grid_columns(graph: Graph) -> int:
    """How many columns the grid has, or 0 if the graph is none."""
    first = graph.adjacency.indices[: graph.adjacency.indptr[1]]
    cols = int(first.max(initial=0)) if len(first) > 1 else graph.n if 1 in first else 1
    if cols < 1 or graph.n % cols:
        return 0
    node = np.arange(graph.n).reshape(-1, cols)
    i = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
    j = np.concatenate([node[:, 1:].ravel(), node[1:].ravel()])
    edges = graph.adjacency.tocoo()
    upper = edges.row < edges.col
    wanted, found = i * graph.n + j, edges.row[upper].astype(np.int64) * graph.n + edges.col[upper]
    return cols if np.array_equal(np.sort(wanted), np.sort(found)) else 0


def _pieces(graph: Graph, size: int) -> Integers:
    """Breadth-first balls of at most ``size`` nodes, grown one after the other."""
    indptr, indices = graph.adjacency.indptr.tolist(), graph.adjacency.indices.tolist()
    group = [-1] * graph.n
    count = 0
    for source in range(graph.n):
        if group[source] >= 0:
            continue
        group[source] = count
        ball = [source]
        for u in ball:
            for v in indices[indptr[u] : indptr[u + 1]]:
                if group[v] < 0 and len(ball) < size:
                    group[v] = count
                    ball.append(v)
        count += 1
    return np.array(group, dtype=np.int64)


TINY = 1e-300
"""Keeps a division from 0 whose result is not used."""


@compiled_as("graphol.compiled.selection:group_norms")
def group_norms(v: Vector, group: Integers, count: int) -> Vector:
    """Euclidean length of every group's entries, (count,)."""
    return np.asarray(np.sqrt(np.bincount(group, weights=v * v, minlength=count)))


def group_shares(v: Vector, group: Integers, by: Vector) -> Vector:
    r"""What is left of every group if it is shortened by ``by``, and not beyond 0; from 0 to 1.

    The vector u with :math:`u_i = \mathrm{left}_{g(i)} v_i` minimises
    :math:`\tfrac12 \|u - v\|_2^2 + \sum_g \mathrm{by}_g \|u_g\|_2`.

    >>> group_shares(np.array([3.0, 4.0, 1.0]), np.array([0, 0, 1]), np.array([2.5, 2.0]))
    array([0.5, 0. ])
    """
    norms = group_norms(v, group, len(by))
    return np.where(norms > by, (norms - by) / np.maximum(norms, TINY), 0.0)


@attrs.frozen(eq=False)
class BoundGroups:
    """Keeps the largest groups of vectors of length ``dim``."""

    keep: int
    group: Integers
    count: int

    def __call__(self, v: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """v with all but its ``keep`` largest groups set to 0, and where it is not zero."""
        v = checked(Groups.name, v, len(self.group))
        largest = float(np.max(np.abs(v), initial=0.0))
        norms = group_norms(v / largest if largest else v, self.group, self.count)
        best = np.argsort(-norms, kind="stable")[: self.keep]
        found = np.where(np.isin(self.group, best), v, 0.0)
        return found, np.flatnonzero(found)


@attrs.frozen
class Groups:
    r"""Nearest vector with at most a given number of groups that are not zero.

    .. math:: \operatorname{P}(v) = \arg\min \{\|v - u\|_2 : |\{g : u_g \ne 0\}| \le k\}

    Groups do not overlap, so it keeps the groups with the largest Euclidean length; ties go to the
    lower number. O(p + G log G).

    Parameters
    ----------
    keep
        Number of groups kept, >= 1 and at most the number of groups.
    blocks
        What the groups are: ``3x3`` cuts a grid into blocks, ``9`` any graph into connected pieces
        of at most 9 nodes.

    Examples
    --------
    >>> Groups(keep=1, blocks="2").bind(None, dim=4)(np.array([2.0, 2.0, -2.5, 0.0]))
    (array([2., 2., 0., 0.]), array([0, 1]))

    References
    ----------
    Yuan, Lin. Model selection and estimation in regression with grouped variables. J. R. Statist.
    Soc. B, 2006.
    """

    name: ClassVar[str] = "groups"
    keep: int = param(2, least=1)
    blocks: str = param("9")

    def bind(self, graph: Graph | None, dim: int) -> BoundGroups:
        """Prepare for vectors of length ``dim`` on the graph's nodes."""
        group = partition(self.blocks, graph, dim, self.name)
        count = int(group.max()) + 1
        if self.keep > count:
            raise UsageError(
                f"groups: keep must be <= {count}, the number of groups, got {self.keep}"
            )
        return BoundGroups(self.keep, group, count)
