"""Poisson learning: labels are charges, and the class with the largest potential is said."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np

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
from graphol.bases.potentials import Potentials
from graphol.bases.shares import centred, frequencies, shares, usual_lead
from graphol.bases.usual import UsualLearner
from graphol.errors import UsageError, shown
from graphol.params import param
from graphol.registry import component


class State(NamedTuple):
    """The labels, and what they add up to."""

    label: Integers  # (n,), -1 where not known
    V: Matrix  # (n, K), potentials of every class's labels
    counts: Vector  # (components, K), labels in each
    lead: Vector  # (1,), the mean over the nodes of the largest score
    potentials: Potentials


@attrs.frozen
class Poisson(UsualLearner):
    r"""Poisson learning, exact: labels are point charges, made neutral; for very few labels.

    With L = D - S and :math:`\bar y` the mean of the labels' indicators :math:`e_{y_j}`, u solves

    .. math:: L u = \sum_{j\ \text{labelled}} (e_{y_j} - \bar y)\, \delta_j ,
              \qquad \sum_i d_i u_i = 0 ,

    and the prediction at node i is :math:`\arg\max_k q_k u_{ik}` (ties: the lowest k). Where labels
    are held fast (``label-propagation``) few of them are spikes in a sea of one value; charges are
    felt everywhere. Every component has its own :math:`\bar y`. Scores are probabilities
    :math:`\propto S^{2 z_k}` for the S classes with a label in the component, where z is
    :math:`q_k u_{ik}`, centred, over its mean largest entry. Where the component has no label they
    are the classes' shares among all labels, and the node is not known.

    u is linear in potentials :math:`V_k` of the classes' labels: :math:`u = V - V 1 \bar y^\top`.
    So one label more is one solve with L, which is prepared once, and O(nK). Labels in one go are K
    solves, a prediction is O(K). The state is nK + n numbers.

    Parameters
    ----------
    prior
        What share b of the nodes each class is taken to have: :math:`q_k = b_k / \bar y_k`.
        ``seen`` for the shares among the labels (q = 1), ``uniform`` for equal ones, or one number
        per class, as in ``0.2/0.3/0.5``.
    solver
        The linear solver: a name on the command line, a value in Python.

    Examples
    --------
    >>> import graphol
    >>> few = "seeds:count=20"
    >>> poisson = graphol.simulate("poisson", dataset="sbm", feedback=few, repeats=2)
    >>> spikes = graphol.simulate("label-propagation:noise=0,prior=none", dataset="sbm",
    ...                           feedback=few, repeats=2)
    >>> poisson.error_rate_mean < spikes.error_rate_mean
    True

    References
    ----------
    Calder, Cook, Thorpe, Slepčev. Poisson learning: graph based semi-supervised learning at very
    low label rates. ICML 2020.

    Deviation: the paper iterates until a random walk has mixed; we solve. It has one component.
    """

    name: ClassVar[str] = "poisson"
    needs: ClassVar[Needs] = "graph"
    prior: str = param("seen")
    solver: Any = component("solver", "auto:columns=64,tol=1e-10")

    def __attrs_post_init__(self) -> None:
        self._wanted()

    def start(self, problem: Problem) -> State:
        """No label known."""
        graph, K = problem.graph, problem.n_classes
        assert graph is not None and K is not None
        self._check_classes(K)
        return State(
            label=np.full(graph.n, -1),
            V=np.zeros((graph.n, K)),
            counts=np.zeros((graph.n_components, K)),
            lead=np.zeros(1),
            potentials=Potentials(graph, self.solver),
        )

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest potential; the most frequent one out of reach."""
        i = np.array([instance.node])
        counts = state.counts[state.potentials.components[i]]
        if not counts.any():
            p = frequencies(state.counts.sum(axis=0))
            return Prediction(int(p.argmax()), p, known=False)
        z = self.potential(state, i)[0]
        p = shares(z / state.lead[0] if state.lead[0] > 0 else z, counts[0] > 0)
        return Prediction(int(p.argmax()), p)

    def potential(self, state: State, nodes: Integers) -> Matrix:
        """The weighted potentials of some nodes, centred, (len(nodes), K)."""
        counts = state.counts[state.potentials.components[nodes]]
        mean = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
        V = state.V[nodes]
        u = V - V.sum(axis=1, keepdims=True) * mean
        b = self._wanted()
        if b is not None:
            wanted = np.ones(mean.shape[1]) if len(b) == 0 else b
            u *= np.divide(wanted, mean, out=np.zeros_like(mean), where=mean > 0)
        return centred(u, counts > 0)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """Every class model, unless the label was known; the last label of a node counts."""
        assert reveal.label is not None
        s, y = instance.node, int(reveal.label)
        before, c = int(state.label[s]), state.potentials.components[s]
        if before == y:
            return 0
        g = state.potentials.of_one(s)
        if before >= 0:
            state.V[:, before] -= g
            state.counts[c, before] -= 1.0
        state.V[:, y] += g
        state.counts[c, y] += 1.0
        state.label[s] = y
        self._measure(state)
        return int(state.V.shape[1])

    def fit(self, state: State, given: Given) -> int:
        """All labels in one go."""
        before, K = state.label.copy(), len(state.counts[0])
        state.label[given.nodes] = given.labels
        if np.array_equal(before, state.label):
            return 0
        known = np.flatnonzero(state.label >= 0)
        Y = np.zeros_like(state.V)
        Y[known, state.label[known]] = 1.0
        state.V[:] = state.potentials.of(Y)
        state.counts[:] = self._counted(state)
        self._measure(state)
        return K

    def grow(self, state: State, n_classes: int) -> State:
        """New classes have no label yet."""
        self._check_classes(n_classes)
        more = ((0, 0), (0, n_classes - state.V.shape[1]))
        return state._replace(V=np.pad(state.V, more), counts=np.pad(state.counts, more))

    def check_state(self, state: State, nodes: int) -> None:
        """Labels are classes, and the counts are theirs."""
        if state.label.min() < -1 or state.label.max() >= state.V.shape[1]:
            raise ValueError("labels are not classes")
        if not np.array_equal(state.counts, self._counted(state)):
            raise ValueError("the counts are not those of the labels")
        if not state.lead[0] >= 0:
            raise ValueError("the mean largest score is negative")

    def _measure(self, state: State) -> None:
        """The usual lead, over the nodes where classes compete."""
        compete = (state.counts > 0).sum(axis=1) > 1
        nodes = np.flatnonzero(compete[state.potentials.components])
        state.lead[0] = usual_lead(self.potential(state, nodes))

    def _counted(self, state: State) -> Vector:
        counts = np.zeros_like(state.counts)
        known = np.flatnonzero(state.label >= 0)
        np.add.at(counts, (state.potentials.components[known], state.label[known]), 1.0)
        return counts

    def _wanted(self) -> Vector | None:
        """The classes' shares; of length 0 where they are equal, None for those of the labels."""
        if self.prior == "seen":
            return None
        if self.prior == "uniform":
            return np.zeros(0)
        try:
            b = [float(each) for each in self.prior.split("/")]
        except ValueError:
            b = []
        if not b or not all(0 < each < math.inf for each in b):
            raise UsageError(
                f"{self.name}: prior must be seen, uniform, or one number > 0 per class, as in "
                f"0.2/0.3/0.5; got {shown(self.prior)}"
            )
        return np.array(b)

    def _check_classes(self, n_classes: int) -> None:
        b = self._wanted()
        if b is not None and len(b) not in (0, n_classes):
            raise UsageError(
                f"{self.name}: prior has {len(b)} numbers for {n_classes} classes; give one each, "
                "or say uniform"
            )
