"""What a Gaussian process on the graph does not know yet, given which nodes are labelled."""

from __future__ import annotations

import functools
import threading
import weakref
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Derived, Integers, Situation, Vector
from graphol.graph import Graph

if TYPE_CHECKING:
    from graphol.api import LinearSolver, PreparedSolver

EXACT = 3000
"""Up to this many nodes every variance is computed; of more they are estimated."""
PROBES, BLOCK = 64, 16
MOST_ENTRIES = 5e7
"""Of the columns of labelled nodes that are kept; with more the system is solved anew."""
SOLVER = "auto:columns=64,tol=1e-10"


@attrs.frozen(eq=False)
class Posterior:
    """Of every node, what is not known about it and about others through it."""

    own: Vector
    """(n,) its variance."""
    reach: Vector
    """(n,) the sum of its covariances with all nodes without a label, itself among them."""
    noise: Vector
    """(n,) the variance of its label about what is true of the node."""


def posterior(situation: Situation, lam: float, rho: float) -> Posterior:
    r"""The covariance :math:`C = (L + \lambda D + M)^{-1}` as far as strategies need it.

    It is that of `walk`: M is :math:`\rho (1 + \lambda) d / (1 - \rho)` at labelled nodes, the
    inverse of their noise, and 0 elsewhere. A node without an edge has the mean degree and no
    neighbours. Labels themselves do not matter, only whose are known.
    """
    prior = _prior(situation.graph, lam)
    labelled = np.flatnonzero(situation.labels >= 0)
    noise = (1 - rho) / (rho * (1 + lam) * prior.degrees)
    if len(labelled) * len(noise) > MOST_ENTRIES:
        return prior.anew(labelled, noise)
    return prior.given(labelled, noise)


class Prior(Derived):
    """The process before the first label, and what was solved for of it: once for a graph."""

    def __init__(self, graph: Graph, lam: float, exact: int = EXACT) -> None:
        degrees = graph.degrees
        mean = float(degrees[degrees > 0].mean())
        self.degrees = np.where(degrees > 0, degrees, mean)
        self.L, self.ridge = graph.laplacian("combinatorial"), self.degrees * (1 + lam) - degrees
        self.n, self.exact = graph.n, graph.n <= exact
        self._columns: dict[int, Vector] = {}

    @functools.cached_property
    def prepared(self) -> PreparedSolver:
        """The system without labels."""
        return self._prepare(self.ridge)

    @functools.cached_property
    def _dense(self) -> NDArray[np.float64]:
        """Its inverse, where there is room for one."""
        from scipy.linalg import cho_factor, cho_solve

        A = self.L.toarray() + np.diag(self.ridge)
        inverse: Any = cho_solve(cho_factor(A, lower=True, overwrite_a=True), np.eye(self.n))
        return np.asarray((inverse + inverse.T) / 2)

    @functools.cached_property
    def own(self) -> Vector:
        """The variances before the first label."""
        if self.exact:
            return self._dense.diagonal().copy()
        return self._estimated(self.prepared, self.ridge)

    @functools.cached_property
    def reach(self) -> Vector:
        """The sums of covariances before the first label."""
        if self.exact:
            return np.asarray(self._dense.sum(axis=1))
        return self.prepared.solve(np.ones((self.n, 1)))[:, 0]

    def columns(self, nodes: Integers) -> NDArray[np.float64]:
        """The covariances of all nodes with these, (n, len(nodes)).

        Each is solved for by itself and kept, so that it never depends on what was asked before.
        """
        if self.exact:
            return self._dense[:, nodes]
        for node in nodes.tolist():
            if node not in self._columns:
                e = np.zeros((self.n, 1))
                e[node] = 1.0
                self._columns[node] = self.prepared.solve(e)[:, 0]
        found = np.empty((self.n, len(nodes)))
        for j, node in enumerate(nodes.tolist()):
            found[:, j] = self._columns[node]
        return found

    def given(self, labelled: Integers, noise: Vector) -> Posterior:
        r"""By what labels take away: :math:`C = K - K_S (K_{SS} + N)^{-1} K_S^\top`."""
        from scipy.linalg import cholesky, solve_triangular

        if not len(labelled):
            return Posterior(self.own, self.reach, noise)
        K = self.columns(labelled)
        inner = K[labelled] + np.diag(noise[labelled])
        root: Any = cholesky((inner + inner.T) / 2, lower=True)
        T: Any = solve_triangular(root, K.T, lower=True)  # (labelled, n)
        own = self.own - np.einsum("sn,sn->n", T, T)
        waiting = np.ones(self.n)
        waiting[labelled] = 0.0
        reach = self.reach - K.sum(axis=1) - T.T @ (T @ waiting)
        return Posterior(np.maximum(own, self._least(labelled, noise)), reach, noise)

    def anew(self, labelled: Integers, noise: Vector) -> Posterior:
        """The same by solving the system with all labels in it."""
        ridge = self.ridge.copy()
        ridge[labelled] += 1 / noise[labelled]
        waiting = np.ones((self.n, 1))
        waiting[labelled] = 0.0
        prepared = self._prepare(ridge)
        return Posterior(self._estimated(prepared, ridge), prepared.solve(waiting)[:, 0], noise)

    def _least(self, labelled: Integers, noise: Vector) -> Vector:
        """What a variance cannot be below: that given all neighbours."""
        a = self.L.diagonal() + self.ridge
        a[labelled] += 1 / noise[labelled]
        return np.asarray(1 / a)

    def _prepare(self, ridge: Vector) -> PreparedSolver:
        from scipy.sparse import csr_array, diags_array

        from graphol.registry import make

        solver: LinearSolver = make("solver", SOLVER)
        return solver.prepare(csr_array(self.L + diags_array(ridge)))

    def _estimated(self, prepared: PreparedSolver, ridge: Vector) -> Vector:
        r"""Variances from 64 draws y of the process, always the same ones.

        That of a node given its neighbours is :math:`1 / a_i` exactly; to it comes the variance of
        what the neighbours say, :math:`\sum_j w_{ij} y_j / a_i`, a mean over the draws.
        """
        from scipy.sparse import csr_array, diags_array, triu

        rng = np.random.default_rng(0)
        edges = triu(-self.L, 1).tocoo()
        a = self.L.diagonal() + ridge
        W = csr_array(diags_array(self.L.diagonal()) - self.L)
        total = np.zeros(self.n)
        root = np.sqrt(edges.data)[:, None]
        for _ in range(PROBES // BLOCK):
            q = root * rng.standard_normal((len(edges.data), BLOCK))
            z = np.sqrt(ridge)[:, None] * rng.standard_normal((self.n, BLOCK))
            np.add.at(z, edges.row, q)
            np.subtract.at(z, edges.col, q)
            y = prepared.solve(z)
            total += ((W @ y) ** 2).sum(axis=1)
        return np.asarray(1 / a + total / PROBES / a**2)


_PRIORS: weakref.WeakKeyDictionary[Graph, dict[float, Prior]] = weakref.WeakKeyDictionary()
_one_at_a_time = threading.RLock()


def _prior(graph: Graph, lam: float) -> Prior:
    """That of a graph, made when it is first needed and kept as long as the graph is."""
    with _one_at_a_time:
        known = _PRIORS.setdefault(graph, {})
        if lam not in known:
            known[lam] = Prior(graph, lam)
        return known[lam]
