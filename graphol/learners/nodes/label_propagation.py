"""Label propagation: the smoothest function on the graph that agrees with the labels."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    Given,
    Instance,
    Integers,
    Matrix,
    Needs,
    Prediction,
    Problem,
    Reveal,
    Vector,
)
from graphol.bases.propagation import Propagation
from graphol.bases.usual import UsualLearner
from graphol.params import param
from graphol.registry import component

ROOM, ENTRIES = 128, 2**24
"""Labels taken one at a time before all are solved for anew; fewer where n times that is more."""

LOST = 1e-6
"""Where no more than this is left of a column's own entry, rounding has eaten the digits."""


class State(NamedTuple):
    """What is known, the function that follows from it, and what changed since the last solve."""

    label: Integers  # (n,), -1 where not known
    F: Matrix  # (n, K)
    mass: Vector  # (K,), column sums of F
    solved: NDArray[np.bool_]  # (n,), labels in the system that is prepared
    W: Matrix  # (room, n): the inverse now is the prepared one minus W'W
    used: Integers  # (1,), rows of W
    first: Integers  # (components,), the first label told in each, -1 if none
    system: Propagation


@attrs.frozen
class LabelPropagation(UsualLearner):
    r"""Harmonic functions, exact: every class spreads from its labels over the edges.

    With L = D - S and one indicator :math:`Y_{sk}` per class on the labelled nodes, F minimises

    .. math:: \operatorname{tr} F^\top (L + \epsilon I) F + \tfrac1\nu \sum_s |F_s - Y_s|^2

    and the prediction at node i is :math:`\arg\max_k q_k F_{ik}` (ties: the lowest k). With noise
    :math:`\nu = 0` labels are held fast, and for :math:`\epsilon = 0` F is harmonic: at every other
    node the mean of its neighbours, the chance that a random walk meets class k first. With
    :math:`\nu > 0`, :math:`(\nu L + \nu \epsilon I + I_S) F = I_S Y`.

    Class-mass normalisation has :math:`q_k = p_k n / \sum_i F_{ik}`: classes get the mass that the
    prior p gives them. ``noise=0,prior=none`` is the harmonic function pure and simple. Where no
    label is in a node's component, the most frequent class so far is said.

    Labels in one go cost one preparation of the solver and K solves. One label more is one solve
    and a rank-one change: :math:`F \leftarrow F + g (y - F_s)^\top / (\nu + g_s)`, g column s of
    the inverse, O(n (K + m)) with m < 128 changes since all were last solved for. A prediction
    costs O(K). The state is n (K + 128) numbers.

    Parameters
    ----------
    noise
        :math:`\nu` >= 0, how far F may be from the labels; 0 holds them fast.
    eps
        Ridge :math:`\epsilon` >= 0, which pulls F to 0 far from all labels.
    prior
        Class-mass normalisation: ``none``, ``uniform``, or ``seen`` for the classes' shares among
        the labels so far.
    solver
        The linear solver: a name on the command line, a value in Python.

    Examples
    --------
    >>> import graphol
    >>> run = graphol.simulate("label-propagation", dataset="sbm", feedback="seeds", repeats=2)
    >>> run.error_rate_mean < 0.1
    True

    References
    ----------
    Zhu, Ghahramani, Lafferty. Semi-supervised learning using Gaussian fields and harmonic
    functions. ICML, 2003.
    Zhou, Bousquet, Lal, Weston, Schölkopf. Learning with local and global consistency. NIPS, 2003.

    Deviation: the first paper has no noise; a little of it erred less on citation networks and a
    little more on digits. A class's mass is summed over all nodes, the first paper's over those
    without a label. The second paper's Laplacian is the normalised one.
    """

    name: ClassVar[str] = "label-propagation"
    needs: ClassVar[Needs] = "graph"
    noise: float = param(0.1, least=0)
    eps: float = param(0.0, least=0)
    prior: str = param("uniform", choices=("none", "uniform", "seen"))
    solver: Any = component("solver", "auto:columns=64,tol=1e-12")

    def start(self, problem: Problem) -> State:
        """No label known."""
        graph = problem.graph
        assert graph is not None and problem.n_classes is not None
        n = graph.n
        return State(
            label=np.full(n, -1),
            F=np.zeros((n, problem.n_classes)),
            mass=np.zeros(problem.n_classes),
            solved=np.zeros(n, dtype=bool),
            W=np.zeros((min(ROOM, max(ENTRIES // n, 8)), n)),
            used=np.zeros(1, dtype=np.int64),
            first=np.full(graph.n_components, -1),
            system=Propagation(graph, self.solver, self.noise, self.eps),
        )

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest share at the node; the most frequent one out of reach."""
        system = state.system
        if state.first[system.components[instance.node]] < 0:
            scores = self._counts(state)
        else:
            scores = state.F[instance.node] * self._balance(state)
        return Prediction(int(np.argmax(scores)), scores)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """Every class model, unless the label was known; the last label of a node counts."""
        assert reveal.label is not None
        s, y = instance.node, int(reveal.label)
        before = state.label[s]
        if before == y:
            return 0
        state.label[s] = y
        if before >= 0 or state.used[0] == len(state.W):
            self._solve(state)
        else:
            self._add(state, s, y)
        state.mass[:] = np.ones(len(state.F)) @ state.F
        return int(state.F.shape[1])

    def fit(self, state: State, given: Given) -> int:
        """All labels in one go."""
        before = state.label.copy()
        state.label[given.nodes] = given.labels
        if np.array_equal(before, state.label):
            return 0
        self._solve(state)
        state.mass[:] = np.ones(len(state.F)) @ state.F
        return int(state.F.shape[1])

    def grow(self, state: State, n_classes: int) -> State:
        """New classes have no label yet."""
        more = n_classes - len(state.mass)
        return state._replace(
            F=np.pad(state.F, ((0, 0), (0, more))), mass=np.pad(state.mass, (0, more))
        )

    def check_state(self, state: State, nodes: int) -> None:
        """Labels are classes, and the first ones are labelled nodes of their components."""
        known = np.flatnonzero(state.first >= 0)
        inside = state.first.min() >= -1 and state.first.max() < nodes
        if not inside or (state.system.components[state.first[known]] != known).any():
            raise ValueError("the first labels are not nodes of their components")
        if state.label.min() < -1 or state.label.max() >= len(state.mass):
            raise ValueError("labels are not classes")
        if not 0 <= state.used[0] <= len(state.W):
            raise ValueError(f"{state.used[0]} changes in room for {len(state.W)}")

    def _solve(self, state: State) -> None:
        """F from all labels, anew."""
        system = state.system
        state.solved[:] = state.label >= 0
        known = np.flatnonzero(state.solved)
        Y = np.zeros_like(state.F)
        Y[known, state.label[known]] = 1.0
        state.F[:] = system.solution(state.solved, Y)
        state.used[0] = 0
        state.first[system.components[known]] = known

    def _add(self, state: State, s: int, y: int) -> None:
        """One label more."""
        system = state.system
        c, m = system.components[s], int(state.used[0])
        ground = int(state.first[c])
        if ground < 0:
            state.first[c] = s
            if not self.eps:  # the only label of its component holds everywhere there
                state.F[system.components == c, y] = 1.0
                return
        elif self.eps or state.solved[ground]:
            ground = -1
        g = system.column(state.solved, s, ground)
        W, before = state.W[:m], g[s]
        g -= W.T @ W[:, s]
        if not g[s] > LOST * before:
            self._solve(state)
            return
        error = -state.F[s]
        error[y] += 1.0
        size = self.noise + g[s]
        state.F[:] += np.outer(g, error / size)
        state.W[m] = g / np.sqrt(size)
        state.used[0] += 1

    def _counts(self, state: State) -> Vector:
        known = state.label[state.label >= 0]
        return np.bincount(known, minlength=state.F.shape[1]).astype(float)

    def _balance(self, state: State) -> Vector:
        """What class-mass normalisation multiplies the classes with."""
        K = len(state.mass)
        if self.prior == "none":
            return np.ones(K)
        wanted = np.ones(K) if self.prior == "uniform" else self._counts(state)
        share = state.mass / len(state.F)
        balance: Vector = np.divide(wanted, share, out=np.zeros(K), where=share > 0)
        return balance
