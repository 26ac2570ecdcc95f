"""Robust label propagation: layers that fit the labels badly count less."""

from __future__ import annotations

from collections.abc import Mapping
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
    Prediction,
    Problem,
    Share,
    Vector,
)
from graphol.bases.choosing import best
from graphol.bases.harmonic import largest_shares
from graphol.bases.layered import feature_titles, layer_names
from graphol.bases.relearning import Relearner
from graphol.layers.edges import Layers
from graphol.layers.selection import select_at
from graphol.learners.graphs.smoothed_logistic import grid
from graphol.params import param
from graphol.registry import component

NUS = (1e6, 1e4, 100.0, 1.0)
"""What validation labels choose from; the first is the one for all who have none."""

ROUNDS, CLOSE = 100, 1e-6
"""Of expectation and maximisation, at most; they end when no weight moves by more than this."""


class State(NamedTuple):
    """What is known, the layers' weights, and the function that follows."""

    label: Integers  # (n,), -1 where not known
    F: Matrix  # (n, K)
    mass: Vector  # (K,), column means of F
    known: NDArray[np.bool_]  # (n,), is a label in the node's component?
    columns: Integers  # (features,), those that are stars, then -1
    u: Vector  # (layers + features,), weights
    nu: Vector  # (1,), as chosen; 0 before
    selected: Integers  # (1,), how many labels there were when stars were selected
    ground: Ground


@attrs.frozen
class RobustLP(Relearner):
    r"""Label propagation over several graphs whose weights have a Student-t likelihood.

    Layers are the problem's graphs and, where nodes have features, stars of the ``features``
    features that tell the labels apart best (l1 logistic regressions). Expectation and
    maximisation take turns until the weights u stand still:

    .. math:: (\textstyle\sum_i u_i L_i + \epsilon I + I_S) F = I_S Y, \qquad
        u_i = \frac{\nu + n}{\nu + \operatorname{tr} F^\top L_i F}

    Then :math:`\arg\max_k q_k F_{ik}` is predicted, :math:`q_k` the class-mass normalisation.
    Energies are small against n, so the weights hardly differ, whatever :math:`\nu` is: a small one
    only makes all of them larger.

    Labels in one go cost the selection and, for every turn, the preparation of one system and K
    solves; two or three turns for large :math:`\nu`. One label more costs the same from the weights
    that there are; stars are selected again whenever there are four times as many labels. The state
    is n K numbers. A node is not known if no label is in its component, stars included; the most
    frequent class is said there.

    Parameters
    ----------
    nu
        Degrees of freedom, > 0; large ones give all layers weight 1. ``auto``: 1e6, 1e4, 100 or 1,
        by the validation labels that come with the first labels, else 1e6.
    features
        Stars to select, >= 0.
    eps
        Ridge :math:`\epsilon` > 0, which pulls F to 0 far from all labels.
    prior
        Class-mass normalisation: ``none`` or ``uniform``.
    solver
        The linear solver: a name on the command line, a value in Python.

    Examples
    --------
    >>> import graphol
    >>> run = graphol.simulate("robust-lp", dataset="sbm", feedback="seeds", repeats=2)
    >>> run.error_rate_mean < 0.1
    True

    References
    ----------
    Kato, Kashima, Sugiyama. Robust label propagation on multiple networks. IEEE Trans. Neural
    Networks, 2009.

    Deviation: a reading of what later papers say of it; one weight per layer for all classes.
    """

    name: ClassVar[str] = "robust-lp"
    needs: ClassVar[Needs] = "graph"
    nu: float | str = param("auto", above=0, word="auto", type=float)
    features: int = param(10, least=0, most=10_000)
    eps: float = param(1e-4, above=0)
    prior: str = param("uniform", choices=("none", "uniform"))
    solver: Any = component("solver", "auto:columns=8,tol=1e-8")

    def start(self, problem: Problem) -> State:
        """No label known, all weights 1."""
        assert problem.graph is not None and problem.n_classes is not None
        n, K = problem.graph.n, problem.n_classes
        stars = 0 if problem.graph.features is None else self.features
        return State(
            label=np.full(n, -1),
            F=np.zeros((n, K)),
            mass=np.zeros(K),
            known=np.zeros(n, dtype=bool),
            columns=np.full(stars, -1),
            u=np.ones(len(problem.graphs) + stars),
            nu=np.zeros(1),
            selected=np.zeros(1, dtype=np.int64),
            ground=Ground(problem, self.eps, self.solver),
        )

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest share; the most frequent one out of reach."""
        known = bool(state.known[instance.node])
        scores = state.F[instance.node] * self._balance(state.mass) if known else _counts(state)
        return Prediction(int(np.argmax(scores)), scores, known=known)

    def n_classes(self, state: State) -> int:
        """K."""
        return int(state.F.shape[1])

    def influences(self, state: State, node: int, top: int) -> tuple[Share, ...]:
        """The labels that add most to the score of their class at the node."""
        labelled = np.flatnonzero(state.label >= 0)
        if not state.known[node]:
            return ()
        layers = state.ground.layers(state.columns)
        B = np.zeros((layers.vertices, 1))
        B[node] = 1.0
        shares = state.ground.solved(layers, state.u[: len(layers)], labelled, B)[labelled, 0]
        return largest_shares(
            labelled, state.label, shares * self._balance(state.mass)[state.label[labelled]], top
        )

    def layer_weights(self, state: State) -> Mapping[str, float]:
        """The weights of the graphs and of the stars that are selected."""
        names = state.ground.layers(state.columns).names
        return dict(zip(names, state.u.tolist(), strict=False))

    def grow(self, state: State, n_classes: int) -> State:
        """New classes have no label yet."""
        more = n_classes - len(state.mass)
        return state._replace(
            F=np.pad(state.F, ((0, 0), (0, more))), mass=np.pad(state.mass, (0, more))
        )

    def check_state(self, state: State, nodes: int) -> None:
        """Labels are classes, columns are features, weights are positive."""
        if state.label.min() < -1 or state.label.max() >= state.F.shape[1]:
            raise ValueError("labels are not classes")
        if len(state.columns):
            m = state.ground.features.shape[1]
            if state.columns.min() < -1 or state.columns.max() >= m:
                raise ValueError(f"the stars are not columns of {m} features")
        if not (state.u > 0).all() or state.nu[0] < 0:
            raise ValueError("weights or degrees of freedom are not positive")

    def relearn(self, state: State, given: Given, before: Integers) -> int:
        """Learn the labels anew."""
        ground, labelled = state.ground, np.flatnonzero(state.label >= 0)
        if len(state.columns) and len(labelled) >= 4 * state.selected[0]:
            found = select_at(ground.features, labelled, state.label[labelled], len(state.columns))
            state.columns[:] = -1
            state.columns[: len(found)] = found
            state.u[:], state.selected[0] = 1.0, len(labelled)
        layers = ground.layers(state.columns)
        u, V = state.u[: len(layers)].copy(), given.validation_nodes
        if not state.nu[0]:
            nus = grid(self.nu, NUS)
            state.nu[0] = nus[0]
            if len(nus) > 1 and len(V):
                each = ((nu, ground.turns(layers, state, u, nu)[1]) for nu in nus)
                tried = ((nu, F[V] * self._balance(F.mean(axis=0))) for nu, F in each)
                (state.nu[0],) = best(tried, given.validation_labels)
        state.u[: len(layers)], state.F[:] = ground.turns(layers, state, u, float(state.nu[0]))
        state.mass[:] = state.F.mean(axis=0)
        components = layers.components(u)
        state.known[:] = np.isin(components[: layers.n], components[labelled])
        return int(state.F.shape[1])

    def _balance(self, mass: Vector) -> Vector:
        """What class-mass normalisation multiplies the classes with."""
        if self.prior == "none":
            return np.ones(len(mass))
        balance: Vector = np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0)
        return balance


class Ground(Derived):
    """The graphs and features, and the layers that were made of them last."""

    def __init__(self, problem: Problem, eps: float, solver: Any) -> None:
        assert problem.graph is not None
        self.graphs, self.features = problem.graphs, problem.graph.features
        self.names = layer_names(problem.graphs)
        self.feature_names = feature_titles(problem.graph.feature_names, self.names)
        self.eps, self.solver = eps, solver
        self._last: tuple[bytes, Layers] | None = None

    def layers(self, columns: Integers) -> Layers:
        """The graphs, and the stars of these columns up to the first -1."""
        key = columns.tobytes()
        if self._last is None or self._last[0] != key:
            chosen = columns[columns >= 0]
            X = self.features if len(chosen) else None
            found = Layers.of(self.graphs, X, chosen, self.names, self.feature_names)
            self._last = key, found
        return self._last[1]

    def turns(self, layers: Layers, state: State, u: Vector, nu: float) -> tuple[Vector, Matrix]:
        """Weights and function when they stand still, from these weights on."""
        labelled = np.flatnonzero(state.label >= 0)
        B = np.zeros((layers.vertices, state.F.shape[1]))
        B[labelled, state.label[labelled]] = 1.0
        for _ in range(ROUNDS):
            F = self.solved(layers, u, labelled, B)
            before, u = u, (nu + layers.n) / (nu + layers.energies(F, F))
            if np.abs(u / before - 1).max() <= CLOSE:
                break
        return u, F[: layers.n]

    def solved(self, layers: Layers, u: Vector, labelled: Integers, B: Matrix) -> Matrix:
        """(sum u_i L_i + eps I + I_S)^-1 B."""
        added = np.full(layers.vertices, self.eps)
        added[labelled] += 1.0
        found: Matrix = self.solver.prepare(layers.laplacian(u, added)).solve(B)
        return found

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_last": None}


def _counts(state: State) -> Vector:
    known = state.label[state.label >= 0]
    return np.bincount(known, minlength=state.F.shape[1]).astype(float)
