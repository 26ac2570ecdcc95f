"""Nodes as entries of a graph kernel: one linear solve per column, and only when asked for."""

from __future__ import annotations

import functools
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.declared import Member
from graphol.embeddings.store import kept
from graphol.graph import Graph
from graphol.linalg.memory import require_memory
from graphol.params import describe, param
from graphol.registry import component

if TYPE_CHECKING:
    from graphol.api import LinearSolver, PreparedSolver


FORM = {"R": Member("f", ())}
"""What is kept on disk."""
PASSING = 8
"""Columns of nodes that nobody has learnt from yet."""


class KernelFeatures:
    """Kernel entries K_ij, each read from column j, which is solved for once and kept.

    An entry always comes from the column of its second index. So it does not depend, not even in
    its last bit, on what was asked before; and a learner that passes its support as ``js`` pays one
    solve per support node, not one per round. Of a node that is asked only for K_ii this number is
    kept, and the columns of the last few, since who is asked about a node may learn from it. Each
    column kept takes 8 n bytes. Copies and pickles carry the columns; the factorisation is made
    anew when the next one is needed.
    """

    rows: NDArray[np.float64] | None = None

    def __init__(self, graph: Graph, solver: LinearSolver, eps: float, R: float) -> None:
        self.L, self.components = graph.laplacian("combinatorial"), graph.components
        self.solver, self.eps, self.R = solver, eps, R
        self.largest: float | None = None  # max L^+_ii, where it is known already
        self._table = np.empty((graph.n, 0))  # column k is K's column of the node with slot k
        self._slot = np.full(graph.n, -1, dtype=np.int64)
        self._used = 0
        self._diagonal: dict[int, float] = {}
        self._passing: OrderedDict[int, NDArray[np.float64]] = OrderedDict()  # the last PASSING

    @functools.cached_property
    def prepared(self) -> PreparedSolver:
        """L, or L + eps I, prepared."""
        from scipy.sparse import eye_array

        ridge = self.eps * eye_array(self.L.shape[0])
        return self.solver.prepare(self.L + ridge if self.eps else self.L)

    @functools.cached_property
    def rho(self) -> float:
        """The largest K_ii; on more than 500 nodes of 32 exactly computed candidates."""
        if self.largest is not None:
            return self.largest + self.R
        from graphol.linalg.diagonal import largest_among

        nodes = largest_among(self.L, self.prepared, np.random.default_rng(0))
        blocks = np.array_split(nodes, -(-len(nodes) // 32))
        return max(float(self.columns(js)[js, np.arange(len(js))].max()) for js in blocks)

    @property
    def resistance(self) -> float | None:
        """R where K is L⁺ + max L⁺_ii of a connected graph, else None."""
        return self.largest if self.largest == self.R and not self.components.any() else None

    @property
    def vertices(self) -> int:
        """Nodes of the graph."""
        return len(self.components)

    def least_cut(self, labels: NDArray[np.int64], n_labels: int) -> float:
        """The weight cut by these labels; who may have any takes that of the nearest, in hops."""
        from graphol.linalg.cut import completed, cut

        return cut(self.L, completed(self.L, labels))

    def gram(self, i: int, js: NDArray[np.int64]) -> NDArray[np.float64]:
        """K between node i and the nodes js, (len(js),)."""
        js = np.asarray(js, dtype=np.int64)
        if len(js) == 1 and js[0] == i and self._slot[i] < 0:
            return np.array([self._own(int(i))])
        for j in js[self._slot[js] < 0]:
            if self._slot[j] < 0:  # the same node may be asked for twice
                self._solve(int(j))
        entries: NDArray[np.float64] = self._table[i, self._slot[js]]
        return entries

    def column(self, j: int) -> NDArray[np.float64]:
        """The whole column K e_j, (n,)."""
        if self._slot[j] < 0:
            self._solve(int(j))
        return self._table[:, self._slot[j]].copy()

    def columns(self, js: NDArray[np.int64]) -> NDArray[np.float64]:
        """The columns K e_j of several nodes at once, (n, len(js)); they are not kept.

        Solved for in blocks of 32, so the last bits may differ from those of :meth:`column`.
        """
        from graphol.linalg.diagonal import pseudo_inverse_columns

        js = np.asarray(js, dtype=np.int64)
        n = len(self.components)
        require_memory(8.0 * n * (len(js) + 64), f"{len(js)} kernel columns", "ask for fewer")
        if not self.eps:
            return pseudo_inverse_columns(self.prepared, self.components, js) + self.R
        E = np.zeros((n, len(js)))
        E[js, np.arange(len(js))] = 1.0
        return self.prepared.solve(E)

    def _solve(self, j: int) -> None:
        n, room = self._table.shape
        if self._used == room:
            require_memory(
                16.0 * n * max(16, room), "kernel columns", "keep fewer: kernel:keep=100"
            )
            self._table = np.hstack([self._table, np.empty((n, max(16, room)))])
        found = self._passing.pop(j, None)
        self._table[:, self._used] = self._solved(j) if found is None else found
        self._slot[j] = self._used
        self._used += 1

    def _own(self, i: int) -> float:
        """K_ii of a node whose column is not kept."""
        if i not in self._diagonal:
            column = self._passing[i] = self._solved(i)
            self._diagonal[i] = float(column[i])
            if len(self._passing) > PASSING:
                self._passing.popitem(last=False)
        return self._diagonal[i]

    def _solved(self, j: int) -> NDArray[np.float64]:
        """The column of one node, alone: the same bits whenever it is solved for, (n,)."""
        from graphol.linalg.diagonal import pseudo_inverse_columns

        if self.eps:
            e = np.zeros(len(self.components))
            e[j] = 1.0
            return self.prepared.solve(e)
        pseudo = pseudo_inverse_columns(self.prepared, self.components, np.array([j]))
        return pseudo.ravel() + self.R

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "prepared"}


class RecentColumns(KernelFeatures):
    """The same entries in bounded memory: those of :meth:`gram` are read from column i, not js.

    So a call costs at most one solve, however long ``js`` is, and none if the column of i is one of
    the ``keep`` that were used last. An entry depends on nothing that was asked before; K is
    symmetric, so it is that of :class:`KernelFeatures` up to what the solver leaves.
    """

    def __init__(
        self, graph: Graph, solver: LinearSolver, eps: float, R: float, *, keep: int
    ) -> None:
        super().__init__(graph, solver, eps, R)
        self.keep = keep
        self.recent: OrderedDict[int, NDArray[np.float64]] = OrderedDict()
        """Columns by node, the one used last at the end."""

    def gram(self, i: int, js: NDArray[np.int64]) -> NDArray[np.float64]:
        """K between node i and the nodes js, (len(js),)."""
        js = np.asarray(js, dtype=np.int64)
        entries: NDArray[np.float64] = self._column(int(i))[js] if len(js) else np.zeros(0)
        return entries

    def column(self, j: int) -> NDArray[np.float64]:
        """The whole column K e_j, (n,)."""
        return self._column(int(j)).copy()

    def _column(self, j: int) -> NDArray[np.float64]:
        found = self.recent.pop(j, None)
        if found is None:
            found = self._solved(j)
        self.recent[j] = found
        while len(self.recent) > self.keep:
            self.recent.popitem(last=False)
        return found


@attrs.frozen
class Kernel:
    r"""Kernel of the Laplacian, exact: L^+ + R, or (L + eps I)^-1.

    With ``eps`` = 0, :math:`K_{ij} = L^+_{ij} + R` with :math:`R = \max_i L^+_{ii}`: the second
    term is a bias, of the size that the first one reaches. With ``eps`` > 0,
    :math:`K = (L + \epsilon I)^{-1}`. L is D - S.

    :math:`L^+` is block diagonal over the connected components: between two of them, and at
    isolated nodes, K is just R (eps = 0) or 0 (eps > 0; an isolated node has
    :math:`K_{ii} = 1/\epsilon`).

    There are no rows: learners ask for entries. A column costs one solve (a fraction of a
    millisecond on a citation network of 2500 nodes, 0.1 s on a random graph of 100 000 with
    ``solver=cg``) and is kept, unless ``keep`` is a number. R costs at most 96 solves; on more
    than 500 nodes it is the largest of 32 exactly computed candidates.

    Parameters
    ----------
    eps
        Ridge :math:`\epsilon` >= 0; 0 means :math:`L^+ + R`.
    R
        The constant that is added when eps = 0, >= 0; none: :math:`\max_i L^+_{ii}`.
    solver
        The linear solver for the columns: a name on the command line, a value in Python.
    keep
        How many columns are kept, those not used for longest dropped first, >= 0; none: all. With a
        number, memory is n ``keep`` floats, but a learner pays a solve per round, not per node that
        it learns from: entries between i and others are then read from the column of i.

    Examples
    --------
    >>> edge = Graph.from_edges(["a"], ["b"])
    >>> K = Kernel(solver="cg").embed(edge, np.random.default_rng(0))
    >>> K.gram(0, np.array([0, 1]))
    array([0.5, 0. ])

    References
    ----------
    Herbster, Pontil. Prediction on a graph with a perceptron. NIPS, 2006.
    Herbster, Pasteris, Pontil. Predicting a switching sequence of graph labelings. JMLR, 2015.
    """

    name: ClassVar[str] = "kernel"
    eps: float = param(0.0, least=0)
    R: float | None = param(None, least=0, type=float)
    solver: Any = component("solver", "auto:columns=64")
    keep: int | None = param(None, least=0, type=int)

    def embed(self, graph: Graph, rng: np.random.Generator) -> KernelFeatures:
        """The kernel of the graph, no column solved for yet; ``rng`` seeds the search for R."""
        from graphol.linalg.diagonal import largest_diagonal

        seed = [int(word) for word in rng.integers(2**32, size=4)]  # the same draws in any case
        setting = {"graph": graph, "solver": self.solver, "eps": self.eps, "R": self.R or 0.0}
        features = (
            KernelFeatures(**setting)
            if self.keep is None
            else RecentColumns(**setting, keep=self.keep)
        )
        if self.eps == 0 and self.R is None:
            key = {"graph": graph.hash, "solver": describe(self.solver), "seed": seed}

            def search() -> dict[str, Any]:
                generator = np.random.default_rng(seed)
                return {"R": np.array(largest_diagonal(graph, features.prepared, generator))}

            features.R = features.largest = float(kept("kernel", key, search, FORM)["R"])
        return features
