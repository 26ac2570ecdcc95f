"""Poisson learning and ridge regression, each with half of the say."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import (
    Derived,
    Given,
    Instance,
    Matrix,
    Prediction,
    Problem,
    Reveal,
    Vector,
)
from graphol.bases.inverse import check_inverse
from graphol.bases.shares import centred, frequencies, shares, usual_lead
from graphol.bases.usual import UsualLearner
from graphol.errors import UsageError
from graphol.learners.nodes import poisson
from graphol.params import param
from graphol.registry import component


class Rows(Derived):
    """The vectors of all nodes."""

    def __init__(self, X: Matrix) -> None:
        self.X = X  # (n, d)


class State(NamedTuple):
    """The state of Poisson learning, and the ridge regression of the same labels."""

    poisson: poisson.State
    P: Matrix  # (bI + sum of x x' over the labelled nodes)⁻¹, (d, d)
    R: Matrix  # (n, K), what ridge regression gives every node
    lead: Vector  # (1,), the mean over the nodes of its largest score, centred
    rows: Rows


@attrs.frozen
class PoissonRidge(UsualLearner):
    r"""Poisson learning on the graph and ridge regression on vectors, added; for few labels.

    With the potentials u of ``poisson`` and :math:`R = X W^\top`, where W is ridge regression on
    the labels' indicators (as in ``ridge``), the prediction at node i is the largest entry of

    .. math:: z_i = \tfrac12 (Z(u) + Z(R))_i, \qquad
              Z(F)_{ik} = \frac{F_{ik} - \bar F_i}{\operatorname{mean}_j \max_l (F_{jl} - \bar F_j)}

    (ties: the lowest k). The one feels single labels on the graph, the other sees its coarse shape;
    they err on different nodes. Scores are probabilities :math:`\propto S^{2 z_k}` of the S classes
    with a label. Only which label each node has matters, not their order; the last label of a node
    counts. A node is not known if no label is in its component, nor bears on its vector.

    Labels in one go: K solves with the Laplacian and one of d equations. One label more: one solve
    with the Laplacian and O(n (d + K) + d²). A prediction is O(K). The state is 2nK + d² numbers.

    Parameters
    ----------
    b
        Ridge.
    prior
        As in ``poisson``: ``seen``, ``uniform``, or one number per class, as in ``0.2/0.3/0.5``.
    solver
        The linear solver: a name on the command line, a value in Python.

    Examples
    --------
    >>> import graphol
    >>> run = graphol.simulate("poisson-ridge", dataset="sbm", feedback="seeds:count=20", repeats=2)
    >>> run.error_rate_mean < 0.1
    True

    References
    ----------
    Calder, Cook, Thorpe, Slepčev. Poisson learning: graph based semi-supervised learning at very
    low label rates. ICML 2020. The sum is our own.
    """

    name: ClassVar[str] = "poisson-ridge"
    b: float = param(1.0, above=0)
    prior: str = param("seen")
    solver: Any = component("solver", "auto:columns=64,tol=1e-10")

    def __attrs_post_init__(self) -> None:
        _ = self._poisson  # refuses a wrong prior

    @property
    def _poisson(self) -> poisson.Poisson:
        try:
            return poisson.Poisson(self.prior, self.solver)
        except UsageError as reason:
            raise UsageError(str(reason).replace("poisson:", f"{self.name}:", 1)) from None

    def start(self, problem: Problem) -> State:
        """No label known."""
        assert problem.features is not None and problem.features.rows is not None
        inner, X = self._poisson.start(problem), problem.features.rows
        P = np.eye(problem.dim) / self.b
        return State(inner, P, np.zeros_like(inner.V), np.zeros(1), Rows(X))

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest sum; the most frequent one where nothing is known."""
        i, inner = np.array([instance.node]), state.poisson
        counts, z = inner.counts.sum(axis=0), np.zeros((1, state.R.shape[1]))
        near = inner.counts[inner.potentials.components[i]].any()
        if not near and not state.R[i].any():
            p = frequencies(counts)
            return Prediction(int(p.argmax()), p, known=False)
        if inner.lead[0] > 0:
            z += self._poisson.potential(inner, i) / inner.lead[0]
        if state.lead[0] > 0:
            z += centred(state.R[i], counts > 0) / state.lead[0]
        p = shares(z[0] / 2, counts > 0)
        return Prediction(int(p.argmax()), p)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """Every class model, unless the label was known."""
        assert reveal.label is not None
        s, y, X = instance.node, int(reveal.label), state.rows.X
        again = state.poisson.label[s] >= 0
        changed = self._poisson.update(state.poisson, instance, prediction, reveal)
        if changed and again:
            self._regress(state)
        elif changed:
            u = state.P @ X[s]
            gain = 1.0 / (1.0 + max(float(X[s] @ u), 0.0))
            error = -state.R[s]
            error[y] += 1.0
            state.P[:] -= gain * np.outer(u, u)
            state.R[:] += np.outer(X @ u, gain * error)
            self._measure(state)
        return changed

    def fit(self, state: State, given: Given) -> int:
        """All labels in one go."""
        changed = self._poisson.fit(state.poisson, given)
        if changed:
            self._regress(state)
        return changed

    def grow(self, state: State, n_classes: int) -> State:
        """New classes have no label yet."""
        more = ((0, 0), (0, n_classes - state.R.shape[1]))
        inner = self._poisson.grow(state.poisson, n_classes)
        return state._replace(poisson=inner, R=np.pad(state.R, more))

    def check_state(self, state: State, nodes: int) -> None:
        """Poisson learning's own, and an inverse that can be one."""
        self._poisson.check_state(state.poisson, nodes)
        check_inverse(state.P, 1 / self.b)
        if not state.lead[0] >= 0:
            raise ValueError("the mean largest score is negative")

    def _regress(self, state: State) -> None:
        """Ridge regression of all labels, anew."""
        label, X = state.poisson.label, state.rows.X
        known = np.flatnonzero(label >= 0)
        Y = np.zeros((len(known), state.R.shape[1]))
        Y[np.arange(len(known)), label[known]] = 1.0
        A = self.b * np.eye(X.shape[1]) + X[known].T @ X[known]
        P = np.linalg.inv(A)
        state.P[:] = (P + P.T) / 2
        state.R[:] = X @ (state.P @ (X[known].T @ Y))
        self._measure(state)

    def _measure(self, state: State) -> None:
        seen = state.poisson.counts.sum(axis=0) > 0
        state.lead[0] = usual_lead(centred(state.R, seen))
