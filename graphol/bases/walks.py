"""What `walk` makes of a graph, and its rules: written once for the plain and the compiled loop."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.api import Derived, LinearSolver, Matrix, Vector
from graphol.bases.asking import worth_asking
from graphol.bases.pushes import HEAD, NOT, OPEN, OTHER, SAME, SPAN, agree, spread, tell, web_of
from graphol.graph import Graph

Evidence = NDArray[np.int8]  # (n, K), see `pushes.OPEN`

AGAINST = -0.5
"""The target of a class that was said and was wrong; that of the right class is 1."""
PRIOR, FLAT = 0.005, 0.2
"""How much of a label's own weight the classes have everywhere: by their shares among the labels,
or, told bits, each the same: a part of it per class that was shown or said."""


class System(Derived):
    """Kernel ridge on a graph: one linear system per class, of which only the diagonals differ.

    In terms of x = D^1/2 F, with degrees in units of their mean: A = diag(a) - D^-1/2 W D^-1/2, a =
    1 + lam where nothing is known and (1 + lam) / (1 - rho) elsewhere. An isolated node counts as
    one of mean degree without edges.
    """

    def __init__(
        self,
        graph: Graph,
        solver: LinearSolver,
        dtype: Any,
        lam: float,
        rho: float,
        beta: float,
        tol: float,
    ) -> None:
        self.solver, self.components = solver, graph.components
        degrees = graph.degrees
        self.mean = float(degrees[degrees > 0].mean())
        linked = np.where(degrees > 0, degrees, self.mean)
        d = np.clip(linked / self.mean, 1 / SPAN, SPAN)
        self.root = np.sqrt(d)  # x = root * F
        self.L = graph.laplacian("combinatorial")
        self.ridge = (1 + lam) * linked - degrees
        self.more = linked * (1 + lam) * rho / (1 - rho)  # of the diagonal, where a label is known
        self.source = self.more / self.mean * d**-beta  # of F, not of x
        self.own = rho * self.root
        self.target = np.array([0.0, 0.0, AGAINST, 1.0])
        self.web = web_of(
            graph,
            linked,
            dtype,
            limit=tol * rho * (1 + lam) * self.root,
            source=self.source / self.root,
            target=self.target,
            stiff=(1 + lam) * np.array([1.0] + [1 / (1 - rho)] * 3),
        )

    def rows(self, z: Evidence) -> NDArray[Any]:
        """Limits, 1 / a and residuals, (n, HEAD + K), of which nothing is missing."""
        r = np.zeros((len(z), HEAD + z.shape[1]), self.web.limit.dtype)
        soft = self.web.soft[z]
        r[:, 0] = self.web.limit
        r[:, 1] = np.where((soft == soft[:, :1]).all(axis=1), soft[:, 0], 0.0)
        return r

    def solution(self, z: Evidence) -> Matrix:
        """X (n, K), by the solver."""
        B = self.source[:, None] * self.target[z]
        X: Matrix = np.zeros_like(B)
        for known, classes in self._alike(z).items():
            X[:, classes] = self._solve(known, B[:, classes])
        X *= self.root[:, None]
        return X

    def amounts(self, z: Evidence, node: int) -> Vector:
        """What every node's label adds to its class at this node, (n,); 0 where there is none."""
        e = np.zeros((len(z), 1))
        e[node] = 1.0
        amounts = np.zeros(len(z))
        for known, classes in self._alike(z).items():
            here = (z[:, classes] == SAME).any(axis=1)
            if here.any():  # A is symmetric: its inverse's row is its column
                amounts[here] = (self._solve(known, e)[:, 0] * self.source)[here]
        return amounts

    def _alike(self, z: Evidence) -> dict[bytes, list[int]]:
        """Classes by the nodes at which something is known of them: these share a matrix."""
        groups: dict[bytes, list[int]] = {}
        for k in range(z.shape[1]):
            groups.setdefault(np.packbits(z[:, k] != OPEN).tobytes(), []).append(k)
        return groups

    def _solve(self, known: bytes, B: Matrix) -> Matrix:
        from scipy.sparse import csr_array, diags_array

        mask = np.unpackbits(np.frombuffer(known, np.uint8), count=len(self.ridge))
        more = self.ridge + mask * self.more
        A = csr_array(self.L + diags_array(more))
        return self.mean * self.solver.prepare(A).solve(B)


def shares(web, z, F, r, counts, plays, i, own, p):
    """Fill p (K,) with the classes' shares at node i; all zero if nothing is known at all.

    ``own`` is what a label would put there by itself.
    """
    K = len(p)
    labels, bits, met = 0, 0, 0
    for k in range(K):
        labels += counts[k]
        bits += plays[k]
        if counts[k] > 0 or plays[k] > 0:
            met += 1
    total = 0.0
    for k in range(K):
        value = float(F[i, k] + r[i, k + HEAD] * web.soft[z[i, k]])
        if bits > 0:
            value += FLAT * own / met
        elif labels > 0:
            value += PRIOR * own * counts[k] / labels
        p[k] = max(value, 0.0)
        total += p[k]
    if total > 0.0:
        for k in range(K):
            p[k] /= total


def choose(p, plays, bonus):
    """The class with the largest share (ties: the lowest), those favoured that were rarely said."""
    best, most = 0, -1.0
    for k in range(len(p)):
        value = p[k] + bonus / (1.0 + plays[k])
        if value > most:
            best, most = k, value
    return best


def asks(web, z, p, counts, i, t, rate, voi):
    """Is the label of node i worth its price?"""
    if rate >= 1.0:
        return True
    most, labels = 0.0, 0
    for k in range(len(p)):
        most = max(most, p[k])
        labels += counts[k]
    around = 1.0
    for e in range(web.indptr[i], web.indptr[i + 1]):
        if z[web.indices[e], 0] == OPEN:
            around += 1.0
    return worth_asking(most, labels, around, t, rate, voi)


def learn(web, z, F, r, counts, plays, i, said, heard, bits, queue):
    """Take in that node i has class ``heard``, or, where that is -1, that it has not what was said.

    Answers how many class models that changes, and how many nodes wait to be pushed.
    """
    K = F.shape[1]
    if heard < 0 and K == 2:
        heard = 1 - said
    before = -1
    for k in range(K):
        if z[i, k] == SAME:
            before = k
    waiting, models = 0, K
    if heard >= 0:
        if heard == before:
            return 0, 0
        for k in range(K):
            known = SAME if k == heard else OTHER
            waiting = tell(web, z, F, r, i, k, known, queue, waiting)
        counts[heard] += 1
    else:
        if z[i, said] == NOT or z[i, said] == OTHER:
            return 0, 0
        models = 1 if before < 0 else K
        for k in range(K):
            if k == said:
                waiting = tell(web, z, F, r, i, k, NOT, queue, waiting)
            elif before >= 0:
                waiting = tell(web, z, F, r, i, k, OPEN, queue, waiting)
    agree(web, z, r, i)
    if before >= 0:
        counts[before] -= 1
    if bits:
        plays[said] += 1
    return models, waiting


class Along(NamedTuple):
    """What is `walk`'s own in the loop of another (see :class:`graphol.api.Steps`)."""

    web: Any
    alone: Any  # (n,), what a label puts at its own node
    component: Any
    z: Any
    F: Any
    r: Any
    counts: Any
    plays: Any
    reached: Any
    queue: Any  # (n,), room
    bonus: float
    rate: float
    voi: float


def foresee(own, stretch, t, p):
    """The first part of a round in the loop of another."""
    i = stretch.node[t]
    shares(own.web, own.z, own.F, own.r, own.counts, own.plays, i, own.alone[i], p)
    asked = asks(own.web, own.z, p, own.counts, i, stretch.first + t, own.rate, own.voi)
    return choose(p, own.plays, own.bonus), own.reached[own.component[i]], asked


def hear(own, stretch, t, said, heard, bits):
    """The second part of it."""
    web, z, F, r, i = own.web, own.z, own.F, own.r, stretch.node[t]
    models, waiting = learn(web, z, F, r, own.counts, own.plays, i, said, heard, bits, own.queue)
    if models > 0:
        own.reached[own.component[i]] = True
        spread(web, z, F, r, own.queue, waiting)
    return models
