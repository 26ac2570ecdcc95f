"""The weighted graph model: supports of a given size made of few connected pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np

from graphol.api import Integers, Vector
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.params import param
from graphol.projections.steiner import Steiner
from graphol.projections.vectors import checked

if TYPE_CHECKING:
    from graphol.projections._wgm import Band

SEARCHES = ("warm", "exact")
COSTS = ("unit", "inverse")


@attrs.define(eq=False)
class BoundWgm:
    """A weighted graph model on one graph; use it from one thread.

    ``project(v)`` looks at v alone. ``project.warm(v, memory)`` also starts its search where the
    last one with this ``memory`` ended: an array of length 1 that is changed in place, 0 at first.
    """

    name: str
    steiner: Steiner
    g: int
    low: int
    high: int
    search: str
    forests: int = attrs.field(default=0, init=False)
    """How many Steiner forests the last call grew."""

    def __call__(self, v: Vector) -> tuple[Vector, Integers]:
        """v on the nodes of the forest and 0 elsewhere, and these nodes."""
        return self.warm(v, np.zeros(1))

    def warm(self, v: Vector, memory: Vector) -> tuple[Vector, Integers]:
        """The same, from where the last search ended."""
        from graphol.projections import _wgm

        v = np.ascontiguousarray(checked(self.name, v, self.steiner.n))
        found = np.empty_like(v)
        work = self.steiner.work
        size, self.forests = _wgm.project(work, self.band, v, memory, found)
        return found, np.sort(work.nodes[:size])

    @property
    def band(self) -> Band:
        """What is searched for, as the kernels take it."""
        from graphol.projections._wgm import Band

        return Band(self.steiner.least, self.g, self.low, self.high, self.search == "exact")

    def compiled(self) -> tuple[Any, Any]:
        """For compiled streams."""
        from graphol.projections._wgm import Search, compiled

        return compiled, Search(self.steiner.work, self.band)


def _bind(
    name: str, graph: Graph | None, dim: int, low: int, slack: float, g: int, search: str, cost: str
) -> BoundWgm:
    if graph is None or graph.n != dim:
        have = "none" if graph is None else f"one on {graph.n} nodes"
        raise UsageError(f"{name}: needs a graph on the vectors' {dim} entries, got {have}")
    if g > low:
        raise UsageError(f"{name}: g must be <= {low}, the size of the support, got {g}")
    from scipy.sparse import triu

    entries = triu(graph.adjacency, 1, format="coo")
    costs = np.ones(entries.nnz) if cost == "unit" else 1.0 / entries.data
    steiner = Steiner(dim, np.stack([entries.row, entries.col], axis=1).astype(np.int64), costs)
    high = min(int((1 + slack) * low + 1e-9), dim)
    return BoundWgm(name, steiner, g, low, high, search)


@attrs.frozen
class WgmTail:
    r"""Near-nearest vector whose support is s nodes in at most g connected pieces.

    The support is a prize-collecting Steiner forest (:func:`graphol.projections.steiner_forest`)
    with prizes :math:`v_i^2` and edge costs :math:`\lambda c_e`; the price :math:`\lambda` is
    searched until the forest has s to :math:`\lfloor (1 + \mathrm{slack})\, s \rfloor` nodes.
    Where no price that is tried gives such a size, the result is the next smaller forest, so the
    support may have fewer than s nodes. A vector that has the structure already comes back as it
    is. One search grows 2 to 5 forests of O(m log n) each where a price is remembered, else up
    to 20.

    Parameters
    ----------
    s
        Number of nodes, >= 1 and at most the length of the vectors.
    g
        Number of connected pieces, >= 1.
    slack
        The support may be larger than s by this share, >= 0.
    search
        ``exact`` is the published search: double the price until the forest is small enough, then
        bisect down to 0, at most 20 forests. ``warm`` begins at a guess (the last price, where the
        caller keeps it) with a bracket that widens ever faster, interpolates in it, and stops
        where it is 3 % wide and the sizes at its ends jump.
    costs
        Edges cost 1 (``unit``), or one over their weight (``inverse``).

    Examples
    --------
    >>> path = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    >>> WgmTail(s=3).bind(path, dim=5)(np.array([0.1, 3.0, -2.0, 3.0, 1.0]))
    (array([ 0.,  3., -2.,  3.,  0.]), array([1, 2, 3]))

    References
    ----------
    Hegde, Indyk, Schmidt. A nearly-linear time framework for graph-structured sparsity. ICML 2015.
    Zhou, Chen, Ying. Dual averaging method for online graph-structured sparsity. KDD 2019.

    Deviation: the first paper's guarantee is for supports of up to 5 s nodes; with the narrow band,
    which is what the second one's program uses, no factor is proved.
    """

    name: ClassVar[str] = "wgm-tail"
    factor: ClassVar[None] = None
    s: int = param(10, least=1)
    g: int = param(1, least=1)
    slack: float = param(0.1, least=0)
    search: str = param("warm", choices=SEARCHES)
    costs: str = param("unit", choices=COSTS)

    def bind(self, graph: Graph | None, dim: int) -> BoundWgm:
        """Prepare for vectors on the graph's ``dim`` nodes."""
        if self.s > dim:
            raise UsageError(f"{self.name}: s must be <= {dim}, the number of nodes, got {self.s}")
        return _bind(self.name, graph, dim, self.s, self.slack, self.g, self.search, self.costs)


@attrs.frozen
class WgmHead:
    r"""The part of a vector that a large connected support can hold.

    As :class:`WgmTail`, with a support of half of all nodes (to 55 %) instead of s: it keeps most
    of the energy :math:`\sum_i v_i^2` and leaves the choice of the final support to a tail
    projection of the result. The same search, the same cost.

    Parameters
    ----------
    share
        Share of all nodes in the support, > 0 and <= 1.
    g
        Number of connected pieces, >= 1.
    slack
        The support may be larger than ``share`` says by this share, >= 0.
    search
        ``exact`` or ``warm``, as for ``wgm-tail``.
    costs
        Edges cost 1 (``unit``), or one over their weight (``inverse``).

    Examples
    --------
    >>> path = Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    >>> WgmHead().bind(path, dim=6)(np.array([0.1, 3.0, -2.0, 3.0, 1.0, 2.0]))
    (array([ 0.,  3., -2.,  3.,  0.,  0.]), array([1, 2, 3]))

    References
    ----------
    Hegde, Indyk, Schmidt. A nearly-linear time framework for graph-structured sparsity. ICML 2015.
    Zhou, Chen, Ying. Dual averaging method for online graph-structured sparsity. KDD 2019.

    Deviation: the papers' head approximation keeps the energy that s nodes could hold; half of all
    nodes is what the second one's program takes.
    """

    name: ClassVar[str] = "wgm-head"
    factor: ClassVar[None] = None
    share: float = param(0.5, above=0, most=1)
    g: int = param(1, least=1)
    slack: float = param(0.1, least=0)
    search: str = param("warm", choices=SEARCHES)
    costs: str = param("unit", choices=COSTS)

    def bind(self, graph: Graph | None, dim: int) -> BoundWgm:
        """Prepare for vectors on the graph's ``dim`` nodes."""
        low = max(int(self.share * dim), 1)
        return _bind(self.name, graph, dim, low, self.slack, self.g, self.search, self.costs)
