"""Rows of nodes, averaged over the graph, without ever writing the averages down."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol.api import Appendable, Derived, Integers, LinearSolver, Matrix, PreparedSolver

LOST = 1e-8
"""A label's row is spanned by those of others if no more than this is left of its square."""

KEPT = 4
"""Prepared systems at a time: those that are compared when one is chosen."""


class Smoothing(Derived):
    r"""Rows :math:`Z = (I + \tau L)^{-1} X`, seen from some nodes S only.

    L is the normalised Laplacian of W + I (every node is its own neighbour, too), with W scaled
    to a mean weight of 1, so that units do not matter; X are the rows (n, m), or the identity
    where there are none. A second layer may be added to W. With :math:`\tilde D = D + I`,

    .. math:: (I + \tau L)^{-1} = \tilde D^{1/2} (\tilde D + \tau (D - W))^{-1} \tilde D^{1/2}

    which is a graph's Laplacian plus a diagonal, so that graphol's solvers apply. A linear model
    that is learnt from S with a ridge needs no more of Z than the products :math:`Z Z_S^\top`
    (n, |S|): two solves for every node of S, whatever m is.
    """

    def __init__(self, W: Any, X: Any, solver: LinearSolver, similar: Any = None) -> None:
        from scipy.sparse.csgraph import connected_components

        self.W, self.X, self.solver = normalised(W), X, solver
        self.similar = similar  # a second layer, csr (n, n), or None
        both = W if similar is None else W + similar
        self.components: Integers = connected_components(both, directed=False)[1].astype(np.int64)
        self._prepared: dict[tuple[float, float], tuple[PreparedSolver, Matrix]] = {}

    def products(self, similar: float, tau: float, nodes: Integers) -> Matrix:
        """Z Z_S' (n, |S|), where the second layer has weight ``similar``."""
        solver, root = self._system(similar, tau)
        E = np.zeros((len(root), len(nodes)))
        E[nodes, np.arange(len(nodes))] = root[nodes, 0]
        half = root * solver.solve(E)
        if self.X is not None:
            half = self.X @ (self.X.T @ half)
        found: Matrix = root * solver.solve(root * half)
        return found

    def reached(self, nodes: Integers) -> NDArray[np.bool_]:
        """Whose smoothed rows can have something in common with those of these nodes, (n,).

        Two components have, if they share a column of X.
        """
        from scipy.sparse import csr_array

        components = self.components
        n, count = len(components), int(components.max()) + 1
        member = csr_array((np.ones(n), (components, np.arange(n))), shape=(count, n))
        seeds = np.zeros(count)
        seeds[components[nodes]] = 1.0
        if self.X is None:
            return np.asarray(seeds[components] > 0)
        words = member @ abs(self.X)  # (components, m)
        near: NDArray[np.bool_] = words @ (words.T @ seeds) > 0
        return near[components]

    def _system(self, similar: float, tau: float) -> tuple[PreparedSolver, Matrix]:
        """The prepared system, and the root of its degrees (n, 1)."""
        from scipy.sparse import csr_array, diags_array

        key = (similar, tau)
        if key not in self._prepared:
            W = self.W + similar * self.similar if similar else self.W
            degrees = W.sum(axis=1)
            A = csr_array(diags_array(1 + (1 + tau) * degrees) - tau * W)
            while len(self._prepared) >= KEPT:
                del self._prepared[next(iter(self._prepared))]
            self._prepared[key] = self.solver.prepare(A), np.sqrt(1 + degrees)[:, None]
        return self._prepared[key]

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_prepared": {}}


def normalised(W: Any) -> Any:
    """Weights whose mean is 1."""
    return W / W.data.mean() if W.nnz else W


def span(rows: Appendable, products: Matrix, nodes: Integers) -> None:
    r"""Coordinates in which the products with these nodes are exact, too.

    ``rows`` are the coordinates so far, (r, n): for nodes that were spanned before,
    :math:`Z_i^\top Z_s = \sum_r R_{ri} R_{rs}`. Each new node adds one coordinate, as a row of a
    Cholesky factor, unless its own row lies in the span of the others; so r is at most m. A node
    costs O(n r).
    """
    for s, column in zip(nodes.tolist(), products.T, strict=True):
        left = column - rows.values.T @ rows.values[:, s]
        if left[s] > LOST * column[s] > 0:
            rows.append(left / np.sqrt(left[s]))
