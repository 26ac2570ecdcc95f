"""FastONL: a vote of all labels by columns of a graph kernel."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    Derived,
    Given,
    Instance,
    Integers,
    Matrix,
    Needs,
    NotCompiled,
    Played,
    Prediction,
    Problem,
    Reveal,
    Share,
    Steps,
    Stretch,
    Vector,
)
from graphol.bases.harmonic import largest_shares
from graphol.bases.inverse import DTYPE
from graphol.bases.pushes import SPAN, column, web_of
from graphol.bases.rules import play, quick
from graphol.bases.usual import UsualLearner
from graphol.graph import Graph
from graphol.params import param
from graphol.registry import component


class Kernel(Derived):
    """One column per label: (Q^1/2 times) the inverse of A = Q - W, and what a column weighs."""

    def __init__(
        self, graph: Graph, solver: Any, dtype: Any, kind: str, lam: float, eps: float
    ) -> None:
        from scipy.sparse import csr_array, diags_array

        d, self.components = graph.degrees, graph.components
        linked = np.where(d > 0, d, float(d[d > 0].mean()))
        combinatorial = kind == "combinatorial"
        self.q = d + lam if combinatorial else (1 + lam) * linked
        root = np.sqrt(self.q)
        mean = float(linked.mean())
        weights = np.ones_like(d) if combinatorial else np.sqrt(linked / mean)
        self.weight = np.clip(weights, 1 / SPAN, SPAN).astype(dtype)
        start = np.sqrt(mean)  # keeps sources near 1
        limit = start * eps * linked / root * (lam if combinatorial else 1.0)
        self.web = web_of(
            graph, self.q, dtype, limit=limit, source=start / root, target=[0.0], stiff=[1.0]
        )
        self.scale = start * weights  # of columns
        self.A, self.solver = csr_array(diags_array(self.q) - graph.adjacency), solver

    def exact(self, s: int) -> Vector:
        """Column s without a push, weighed, (n,)."""
        e = np.zeros(len(self.q))
        e[s] = self.scale[s]
        x: Vector = self.solver.prepare(self.A).solve(e)
        return np.sqrt(self.q) * x

    def votes(self, label: Integers, K: int) -> Matrix:
        """The sums of all labels' columns by class without a push, (n, K): one solve a class."""
        B = np.zeros((len(self.q), K))
        known = np.flatnonzero(label >= 0)
        B[known, label[known]] = self.scale[known]
        X: Matrix = self.solver.prepare(self.A).solve(B)
        return np.sqrt(self.q)[:, None] * X


class State(NamedTuple):
    """The labels, the vote so far, and room for a push."""

    label: Integers  # (n,), -1 where not known
    F: NDArray[Any]  # (n, K), votes at a node, all times the same number
    r: NDArray[Any]  # (n, 2), limit and residual, which is 0 between rounds
    reached: NDArray[np.bool_]  # (components,), is a label there?
    kernel: Kernel


class Along(NamedTuple):
    """What is its own in the loop of another (see :class:`graphol.api.Steps`)."""

    web: Any
    weight: Any
    component: Any
    label: Any
    F: Any
    r: Any
    reached: Any
    queue: Any  # (n,), room
    touched: Any  # (n,), room


def foresee(own, stretch, t, scores):
    """The first part of a round in the loop of another."""
    i, best = stretch.node[t], 0
    for k in range(len(scores)):
        scores[k] = own.F[i, k]
        if own.F[i, k] > own.F[i, best]:
            best = k
    return best, own.reached[own.component[i]], True


def hear(own, stretch, t, said, heard, bits):
    """The second part of it."""
    i = stretch.node[t]
    before, weight = own.label[i], own.weight[i]
    if heard == before:
        return 0
    if before >= 0:
        column(own.web, i, -weight, before, own.F, own.r, own.queue, own.touched)
    column(own.web, i, weight, heard, own.F, own.r, own.queue, own.touched)
    own.label[i] = heard
    own.reached[own.component[i]] = True
    return 1 if before < 0 else 2


@attrs.frozen
class FastOnl(UsualLearner):
    r"""Every label votes at every node with its entry of a graph kernel, found by local pushes.

    With M the kernel, the class said at node i is :math:`\arg\max_k \sum_j M_{ij} [y_j = k]` (ties:
    the lowest k) over the labels j so far; M is :math:`(L + \lambda I)^{-1}` (``combinatorial``) or
    :math:`(\lambda I + I - S)^{-1}` (``normalized``), :math:`S = D^{-1/2} W D^{-1/2}`.

    A label adds its column of M to all nodes' votes at once, by one local push, so that a
    prediction costs O(K). A push passes on what is above :math:`\epsilon d_i` (times
    :math:`\lambda` for the combinatorial kernel) of a unit that starts at the label, and throws the
    rest away: distant labels and hubs count less than in M. What is lost of an
    entry of :math:`M` is never negative and at most :math:`\epsilon \max d` (combinatorial) or
    :math:`\epsilon \sqrt{d_i d_j} / \lambda` (normalized), before rounding. With ``eps=0`` a solver
    finds whole columns. Labels that are given away are always solved for, one solve a class; of one
    that is replaced later, what a push loses stays.

    Parameters
    ----------
    kernel
        ``combinatorial`` (the paper's k1) or ``normalized`` (k2, and k3 with a large ``lam``).
    lam
        :math:`\lambda` > 0, the paper's divided by the number of nodes: less reaches further.
    eps
        :math:`\epsilon`, where a push ends; 0 solves exactly, and slowly.
    precision
        ``single`` or ``double``: of the state and of all arithmetic in it.
    solver
        The linear solver: a name on the command line, a value in Python.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("fastonl", dataset="sbm", repeats=2).error_rate_mean < 0.1
    True

    References
    ----------
    Zhou, Sun, Babanezhad. Fast online node labeling for very large graphs. ICML, 2023.

    Deviation: the authors push a column from the node that is asked, in every round, and weigh
    labels by a relaxation; with their step size it said the same as the vote in nearly all rounds
    of the games that were compared, so it is left out. M is symmetric, and pushing from the label
    loses other small entries.
    """

    name: ClassVar[str] = "fastonl"
    needs: ClassVar[Needs] = "graph"
    keeps_scores: ClassVar[bool] = True
    kernel: str = param("combinatorial", choices=("combinatorial", "normalized"))
    lam: float = param(0.5, above=0)
    eps: float = param(1e-4, least=0)
    precision: str = param("single", choices=tuple(DTYPE))
    solver: Any = component("solver", "auto:columns=1000,tol=1e-12")

    def start(self, problem: Problem) -> State:
        """No label, no vote."""
        graph, K = problem.graph, problem.n_classes
        assert graph is not None and K is not None
        dtype: Any = DTYPE[self.precision]
        kernel = Kernel(graph, self.solver, dtype, self.kernel, self.lam, self.eps)
        r = np.zeros((graph.n, 2), dtype)
        r[:, 0] = kernel.web.limit
        F, reached = np.zeros((graph.n, K), dtype), np.zeros(graph.n_components, dtype=bool)
        return State(np.full(graph.n, -1), F, r, reached, kernel)

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with most votes at the node."""
        votes = state.F[instance.node]
        known = bool(state.reached[state.kernel.components[instance.node]])
        return Prediction(int(votes.argmax()), votes.astype(np.float64), known=known)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The class of the label, and that of the node's last label if it had another."""
        assert reveal.label is not None
        i, y = instance.node, int(reveal.label)
        before = int(state.label[i])
        if before == y:
            return 0
        if before >= 0:
            self._vote(state, i, before, -state.kernel.weight[i])
        self._vote(state, i, y, state.kernel.weight[i])
        state.label[i] = y
        state.reached[state.kernel.components[i]] = True
        return 1 if before < 0 else 2

    def fit(self, state: State, given: Given) -> int:
        """All labels in one go, whole, and those that are known already with them."""
        before = state.label.copy()
        state.label[given.nodes] = given.labels
        if np.array_equal(before, state.label):
            return 0
        F = state.F.copy()
        state.F[:] = state.kernel.votes(state.label, F.shape[1])
        state.reached[state.kernel.components[given.nodes]] = True
        return int((F != state.F).any(axis=0).sum())

    def _vote(self, state: State, i: int, y: int, weight: Any) -> None:
        """Column i joins class y, or leaves it."""
        if self.eps:
            n = len(state.F)
            queue, touched = np.empty(n, np.int32), np.empty(n, np.int32)
            push = quick(self.name, column)
            push(state.kernel.web, i, weight, y, state.F, state.r, queue, touched)
        else:
            state.F[:, y] += np.sign(weight) * state.kernel.exact(i)

    def grow(self, state: State, n_classes: int) -> State:
        """New classes have no vote."""
        return state._replace(F=np.pad(state.F, ((0, 0), (0, n_classes - state.F.shape[1]))))

    def influences(self, state: State, node: int, top: int) -> tuple[Share, ...]:
        """The labels with the largest entries of M at this node, whole, by the solver."""
        e = np.zeros(len(state.label))
        e[node] = np.sqrt(state.kernel.q[node])
        entries = state.kernel.solver.prepare(state.kernel.A).solve(e) * state.kernel.scale
        labelled = np.flatnonzero(state.label >= 0)
        return largest_shares(labelled, state.label, entries[labelled], top)

    def check_state(self, state: State, nodes: int) -> None:
        """Labels are classes, limits are those of the graph, and no push is under way."""
        if state.label.min() < -1 or state.label.max() >= state.F.shape[1]:
            raise ValueError("labels are not classes")
        if state.r[:, 1].any() or not np.array_equal(state.r[:, 0], state.kernel.web.limit):
            raise ValueError("the limits of residuals are not those of the graph")

    def stream(self, state: State, stretch: Stretch, out: Played) -> None:
        """The whole stretch, compiled; not where every label is solved for."""
        if not self.eps:
            raise NotCompiled
        from graphol.compiled import vote

        label, F, r, reached, kernel = state
        play(
            self.name, vote.play, {"column": column}, stretch,
            kernel.web, kernel.weight, kernel.components, label, F, r, reached, stretch, out,
        )  # fmt: skip

    def along(self, state: State, stretch: Stretch) -> Steps:
        """In the loop of another; not where every label is solved for."""
        if not self.eps:
            raise NotCompiled
        label, F, r, reached, kernel = state
        queue, touched = np.empty(len(F), np.int32), np.empty(len(F), np.int32)
        own = Along(
            kernel.web, kernel.weight, kernel.components, label, F, r, reached, queue, touched
        )
        return Steps(foresee, hear, own)
