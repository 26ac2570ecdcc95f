"""Walk: kernel ridge on a graph, kept solved by local pushes."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    Given,
    Instance,
    Integers,
    Needs,
    NotCompiled,
    Played,
    Prediction,
    Problem,
    Reveal,
    Share,
    Shown,
    Steps,
    Stretch,
)
from graphol.bases.harmonic import largest_shares
from graphol.bases.inverse import DTYPE
from graphol.bases.pushes import OTHER, SAME, spread
from graphol.bases.rules import Rule, play, quick
from graphol.bases.usual import UsualLearner
from graphol.bases.walks import Along, System, asks, choose, foresee, hear, learn, shares
from graphol.params import param
from graphol.registry import component


class State(NamedTuple):
    """What is known, the function that follows from it, and what is still missing of that."""

    z: NDArray[np.int8]  # (n, K), what is known, see `graphol.bases.pushes`
    F: NDArray[Any]  # (n, K), times the root of the degree
    r: NDArray[Any]  # (n, 2 + K), how much may be missing at a node, 1 / a, and what is missing
    counts: Integers  # (K,), labels known
    plays: Integers  # (K,), how often each class was said and a bit came back
    reached: NDArray[np.bool_]  # (components,), is anything known there?
    system: System


@attrs.frozen
class Walk(UsualLearner):
    r"""Labels spread by random walks over the edges; no embedding, one local push per answer.

    Every class has a function on the nodes. Where nothing is known it is the mean of the neighbours
    shrunk by :math:`1 + \lambda`; where a label is known, it is drawn to its target:

    .. math:: F_i = \frac{\sum_j w_{ij} F_j}{(1+\lambda) d_i}, \qquad
              F_i = \rho v_i + (1-\rho) \frac{\sum_j w_{ij} F_j}{(1+\lambda) d_i}

    with :math:`v_i = e_y (d_i/\bar d)^{-\beta}`. This is kernel ridge (the mean of a Gaussian
    process) with precision :math:`L + \lambda D` and noise :math:`(1-\rho)/(\rho (1+\lambda) d_i)`.
    It predicts :math:`\arg\max_k (F_{ik})_+ + 0.005 \rho \pi_k`, :math:`\pi` the shares of the
    classes among the labels; where nothing is known at all, class 0.

    The systems are kept solved by pushes, which stop where residuals are below ``tol``: then
    :math:`|F_{ik} - F^*_{ik}| \le \rho\,\mathrm{tol}/\lambda` for what predictions are made of,
    before rounding, whatever was told. With ``tol=0`` a linear solver finds :math:`F^*` anew for
    every answer. Labels that are given away are always solved for.

    Told bits, "right" is a label and "wrong" sets the target of the class that was said to -1/2
    and says nothing of the others (of two classes it is the other); classes that were rarely said
    are favoured by bonus / (1 + plays). With ``rate`` below 1 it asks where
    :math:`(1 - \frac{m}{m + 1} \max_k p_k)(1 + u)^{voi}` is above a price, m the labels so far and
    u the neighbours without one.

    A round costs what its pushes visit, some hundred to some thousand neighbours whatever the size
    of the graph, and O(K). The state is 2nK floats and nK bytes.

    Parameters
    ----------
    lam
        :math:`\lambda` > 0, how far labels reach: less, the larger it is.
    rho
        :math:`\rho`, between 0 and 1, how far a label is believed against its neighbours.
    beta
        How much less the labels of nodes with many neighbours count.
    tol
        The largest residual, in units of a label's own weight; 0 solves exactly, and slowly.
    bonus
        Told bits, how much classes are favoured that were rarely said.
    rate
        Share of the labels to ask for, between 0 and 1.
    voi
        Asking, how much neighbours without a label count.
    precision
        ``single`` or ``double``: of the state and of all arithmetic in it.
    solver
        The linear solver: a name on the command line, a value in Python.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("walk", dataset="sbm", repeats=2).error_rate_mean < 0.1
    True

    References
    ----------
    Zhou, Sun, Babanezhad. Fast online node labeling for very large graphs. ICML, 2023; Andersen,
    Chung, Lang. Local graph partitioning using PageRank vectors. FOCS, 2006: local pushes.

    Deviation: none of them has the ridge, the prior, bits or questions; they are our own.
    """

    name: ClassVar[str] = "walk"
    needs: ClassVar[Needs] = "graph"
    learns_from: ClassVar[tuple[Shown, ...]] = ("label", "bit")
    hears_flips: ClassVar[bool] = True
    keeps_scores: ClassVar[bool] = True
    lam: float = param(0.1, above=0)
    rho: float = param(0.2, above=0, below=1)
    beta: float = param(0.5, least=0)
    tol: float = param(0.003, least=0)
    bonus: float = param(3.0, least=0)
    rate: float = param(1.0, above=0, most=1)
    voi: float = param(1.0, least=0)
    precision: str = param("single", choices=tuple(DTYPE))
    solver: Any = component("solver", "auto:columns=64,tol=1e-12")

    def start(self, problem: Problem) -> State:
        """Nothing known."""
        graph, K = problem.graph, problem.n_classes
        assert graph is not None and K is not None
        dtype: Any = DTYPE[self.precision]
        system = System(graph, self.solver, dtype, self.lam, self.rho, self.beta, self.tol)
        z = np.zeros((graph.n, K), np.int8)
        return State(
            z=z,
            F=np.zeros((graph.n, K), dtype),
            r=system.rows(z),
            counts=np.zeros(K, np.int64),
            plays=np.zeros(K, np.int64),
            reached=np.zeros(graph.n_components, dtype=bool),
            system=system,
        )

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest share at the node."""
        z, F, r, counts, plays, reached, system = state
        i, p = instance.node, np.empty(len(counts))
        shares(system.web, z, F, r, counts, plays, i, system.own[i], p)
        asked = asks(system.web, z, p, counts, i, instance.t, self.rate, self.voi)
        known = bool(reached[system.components[i]])
        return Prediction(choose(p, plays, self.bonus), p, bool(asked), known)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """All class models, or that of the class which was wrong; none if that was known."""
        if not prediction.query:
            return 0
        z, F, r, counts, plays, reached, system = state
        said, bits = int(prediction.label), reveal.label is None
        heard = int(reveal.label) if reveal.label is not None else said if reveal.correct else -1
        queue = np.empty(len(F), np.int32)
        models, waiting = learn(
            system.web, z, F, r, counts, plays, instance.node, said, heard, bits, queue
        )
        if models:
            reached[system.components[instance.node]] = True
            if self.tol:
                quick(self.name, spread)(system.web, z, F, r, queue, waiting)
            else:
                self._solve(state)
        return int(models)

    def fit(self, state: State, given: Given) -> int:
        """All labels in one go; the last label of a node counts."""
        before = state.z.copy()
        state.z[given.nodes] = OTHER
        state.z[given.nodes, given.labels] = SAME
        if np.array_equal(before, state.z):
            return 0
        state.counts[:] = (state.z == SAME).sum(axis=0)
        state.reached[state.system.components[given.nodes]] = True
        self._solve(state)
        return len(state.counts)

    def _solve(self, state: State) -> None:
        """F as it should be, and nothing is missing."""
        state.F[:] = state.system.solution(state.z)
        state.r[:] = state.system.rows(state.z)

    def grow(self, state: State, n_classes: int) -> State:
        """New classes have no label; a node that has one is none of them."""
        more = n_classes - len(state.counts)
        z = np.pad(state.z, ((0, 0), (0, more)))
        z[(state.z == SAME).any(axis=1), -more:] = OTHER
        return state._replace(
            z=z,
            F=np.pad(state.F, ((0, 0), (0, more))),
            r=np.pad(state.r, ((0, 0), (0, more))),
            counts=np.pad(state.counts, (0, more)),
            plays=np.pad(state.plays, (0, more)),
        )

    def influences(self, state: State, node: int, top: int) -> tuple[Share, ...]:
        """The labels whose walks bring most to this node, by the solver."""
        label = np.argmax(state.z == SAME, axis=1)  # where there is none, nothing is added
        amounts = state.system.amounts(state.z, node)
        return largest_shares(np.arange(len(label)), label, amounts, top)

    def check_state(self, state: State, nodes: int) -> None:
        """A node has one label at most, and its limit is that of the graph."""
        if state.z.min() < 0 or state.z.max() > SAME or ((state.z == SAME).sum(axis=1) > 1).any():
            raise ValueError("what is known of nodes and classes cannot be")
        if not np.array_equal(state.r[:, :2], state.system.rows(state.z)[:, :2]):
            raise ValueError("the limits of residuals are not those of the graph")
        if min(state.counts.min(), state.plays.min()) < 0:
            raise ValueError("a class has a negative number of labels")

    def stream(self, state: State, stretch: Stretch, out: Played) -> None:
        """The whole stretch, compiled; not where every answer is solved for."""
        if not self.tol:
            raise NotCompiled
        from graphol.compiled import walk

        z, F, r, counts, plays, reached, system = state
        rules: dict[str, Rule] = {
            "shares": shares,
            "choose": choose,
            "asks": asks,
            "learn": learn,
            "spread": spread,
        }
        play(
            self.name, walk.play, rules, stretch,
            system.web, system.own, system.components, z, F, r, counts, plays, reached, stretch,
            self.bonus, self.rate, self.voi, out,
        )  # fmt: skip

    def along(self, state: State, stretch: Stretch) -> Steps:
        """In the loop of another; not where every answer is solved for."""
        if not self.tol:
            raise NotCompiled
        z, F, r, counts, plays, reached, system = state
        own = Along(
            system.web, system.own, system.components, z, F, r, counts, plays, reached,
            np.empty(len(F), np.int32), self.bonus, self.rate, self.voi,
        )  # fmt: skip
        return Steps(foresee, hear, own)
