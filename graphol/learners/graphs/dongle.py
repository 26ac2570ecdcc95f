"""Dongle nodes: what features say, hung on the graph as one more labelled neighbour each."""

from __future__ import annotations

import itertools
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
    PreparedSolver,
    Problem,
    Share,
    Vector,
)
from graphol.bases.choosing import best
from graphol.bases.feature_rows import WEIGHTINGS, feature_rows
from graphol.bases.harmonic import largest_shares
from graphol.bases.logistic import Model, fit_logistic
from graphol.bases.relearning import Relearner
from graphol.bases.smoothing import normalised
from graphol.graph import Graph
from graphol.learners.graphs.smoothed_logistic import grid
from graphol.params import param
from graphol.registry import component

LAPLACIANS = ("normalized", "combinatorial")
PRIORS = ("none", "uniform")
SPREADS, ETAS = (3.0, 0.3), (0.1, 0.003, 0.01, 0.03, 0.3)
"""What validation labels choose from; the first is the one for all who have none."""


class Setting(NamedTuple):
    """What may be chosen by validation labels; names by their place in the tuples above."""

    laplacian: int
    prior: int
    spread: float
    eta: float


class State(NamedTuple):
    """What is known, the regression on it, and the function that follows."""

    label: Integers  # (n,), -1 where not known
    F: Matrix  # (n, K); 0 as long as no label is known
    known: NDArray[np.bool_]  # (n,), does anything bear on the node?
    W: Matrix  # (m, K), of the regression
    b: Vector  # (K,), 0 for a class without a label
    setting: Vector  # (4,), as chosen; 0 before
    ground: Ground


@attrs.frozen
class Dongle(Relearner):
    r"""Label propagation in which every node has its features' opinion as a neighbour.

    A logistic regression on the features of the labelled nodes S gives class probabilities h at
    all nodes. Each node gets a dongle, a neighbour of weight :math:`\eta` that is held at h:

    .. math:: (a L + I_S + \eta I) F = I_S Y + \eta H

    and :math:`\arg\max_k F_{ik}` is predicted, with class-mass normalisation (every class has the
    same mass) or without. Several layers count as their sum; with the combinatorial Laplacian,
    weights are divided by their mean.

    Parameters that are ``auto`` are chosen once, when the first labels come: by the validation
    labels if there are some, else the first value that is named below. Labels in one go cost the
    regression, the preparation of one system for every pair of Laplacian, ``spread`` and ``eta``
    that is tried, and K solves each. One label more costs the regression from where it was, one
    preparation and K solves. The state is (n + m) K numbers.

    Parameters
    ----------
    laplacian
        ``normalized``, ``combinatorial``, or ``auto``.
    spread
        a > 0, how far labels spread; or ``auto``: 3 or 0.3.
    eta
        Weight of a dongle, > 0; or ``auto``: 0.1, 0.003, 0.01, 0.03 or 0.3.
    prior
        Class-mass normalisation: ``none``, ``uniform``, or ``auto``.
    C
        Inverse penalty of the regression, > 0.
    weighting
        ``tf-idf`` of the features, ``none``, or ``auto``: tf-idf if they are counts.
    solver
        The linear solver: a name on the command line, a value in Python.

    Examples
    --------
    >>> import graphol
    >>> run = graphol.simulate("dongle", dataset="digits", feedback="seeds", repeats=1)
    >>> run.error_rate_mean < 0.1
    True

    References
    ----------
    Zhu, Ghahramani, Lafferty. Semi-supervised learning using Gaussian fields and harmonic
    functions. ICML, 2003. Section 5, incorporating external classifiers.

    Deviation: the paper's labels are held fast and its dongles hang on unlabelled nodes only.
    """

    name: ClassVar[str] = "dongle"
    needs: ClassVar[Needs] = "graph"
    laplacian: str = param("auto", choices=(*LAPLACIANS, "auto"))
    spread: float | str = param("auto", above=0, word="auto", type=float)
    eta: float | str = param("auto", above=0, word="auto", type=float)
    prior: str = param("auto", choices=(*PRIORS, "auto"))
    C: float = param(10.0, above=0)
    weighting: str = param("auto", choices=WEIGHTINGS)
    solver: Any = component("solver", "auto:columns=8,tol=1e-10")

    def start(self, problem: Problem) -> State:
        """No label known."""
        graph, K = problem.graph, problem.n_classes
        assert graph is not None and K is not None
        X = feature_rows(graph, self.weighting, self.name)
        return State(
            label=np.full(graph.n, -1),
            F=np.zeros((graph.n, K)),
            known=np.zeros(graph.n, dtype=bool),
            W=np.zeros((X.shape[1], K)),
            b=np.zeros(K),
            setting=np.zeros(len(Setting._fields)),
            ground=Ground(graph, X, self.solver),
        )

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest share."""
        scores = state.F[instance.node].copy()
        return Prediction(int(np.argmax(scores)), scores, known=bool(state.known[instance.node]))

    def n_classes(self, state: State) -> int:
        """K."""
        return int(state.F.shape[1])

    def influences(self, state: State, node: int, top: int) -> tuple[Share, ...]:
        """What the labels add through the graph; what they add through features is left out."""
        labelled = np.flatnonzero(state.label >= 0)
        if not len(labelled):
            return ()
        setting, ground = self._setting(state), state.ground
        seen = np.bincount(state.label[labelled], minlength=len(state.b)) > 0
        H = Model(state.W, np.where(seen, state.b, -np.inf)).probabilities(ground.X)
        _, balance = ground.parts(setting, state.label, H)
        shares = ground.column(setting, labelled, node)[labelled]
        return largest_shares(labelled, state.label, shares * balance[state.label[labelled]], top)

    def grow(self, state: State, n_classes: int) -> State:
        """New classes have no label yet."""
        more = n_classes - len(state.b)
        wider = ((0, 0), (0, more))
        return state._replace(
            F=np.pad(state.F, wider), W=np.pad(state.W, wider), b=np.pad(state.b, (0, more))
        )

    def check_state(self, state: State, nodes: int) -> None:
        """Labels are classes, and the setting is one."""
        if state.label.min() < -1 or state.label.max() >= len(state.b):
            raise ValueError("labels are not classes")
        laplacian, prior, spread, eta = state.setting.tolist()
        fits = laplacian in (0, 1) and prior in (0, 1) and spread > 0 and eta > 0
        if not fits and (state.setting.any() or (state.label >= 0).any()):
            raise ValueError(f"no dongles have the setting {state.setting.tolist()}")

    def settings(self) -> list[Setting]:
        """All that is to be tried, by system; the first is taken where nothing chooses."""
        laplacians, priors = _places(self.laplacian, LAPLACIANS), _places(self.prior, PRIORS)
        systems = itertools.product(laplacians, grid(self.spread, SPREADS), grid(self.eta, ETAS))
        return [Setting(lap, prior, a, eta) for lap, a, eta in systems for prior in priors]

    def _setting(self, state: State) -> Setting:
        laplacian, prior, spread, eta = state.setting.tolist()
        return Setting(int(laplacian), int(prior), spread, eta)

    def relearn(self, state: State, given: Given, before: Integers) -> int:
        """Learn the labels anew."""
        ground, labelled = state.ground, np.flatnonzero(state.label >= 0)
        X, y = ground.X[labelled], state.label[labelled]
        start = Model(state.W, state.b)
        model = fit_logistic(X, y, len(state.b), self.C, start=start)
        state.W[:] = model.W
        state.b[:] = np.where(np.isfinite(model.b), model.b, 0.0)
        H, V = model.probabilities(ground.X), given.validation_nodes
        settings = self.settings()
        if not state.setting.any():
            found = settings[0]
            if len(settings) > 1 and len(V):
                tried = ((each, ground.F(each, state.label, H)[V]) for each in settings)
                (found,) = best(tried, given.validation_labels)
            state.setting[:] = found
        state.F[:] = ground.F(self._setting(state), state.label, H)
        state.known[:] = ground.reached(labelled)
        return len(state.b)


def _places(value: str, names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(range(len(names))) if value == "auto" else (names.index(value),)


class Ground(Derived):
    """The graph and the features, and the last system that was prepared."""

    def __init__(self, graph: Graph, X: Any, solver: Any) -> None:
        self.X, self.solver = X, solver
        self.components: Integers = graph.components
        self.W = normalised(graph.adjacency)
        self.degrees = self.W.sum(axis=1)
        self._last: tuple[Any, PreparedSolver, Vector] | None = None

    def F(self, setting: Setting, label: Integers, H: Matrix) -> Matrix:
        """The function for a setting, (n, K)."""
        F, balance = self.parts(setting, label, H)
        return F * balance

    def parts(self, setting: Setting, label: Integers, H: Matrix) -> tuple[Matrix, Vector]:
        """The function before classes are balanced, (n, K), and what balances them, (K,)."""
        labelled = np.flatnonzero(label >= 0)
        B = setting.eta * H
        B[labelled, label[labelled]] += 1.0
        F = self._solved(setting, labelled, B)
        if PRIORS[setting.prior] == "none":
            return F, np.ones(F.shape[1])
        mass = F.mean(axis=0)
        return F, np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0)

    def column(self, setting: Setting, labelled: Integers, node: int) -> Vector:
        """What a label at each node adds at this one, (n,)."""
        e = np.zeros((len(self.degrees), 1))
        e[node] = 1.0
        return self._solved(setting, labelled, e)[:, 0]

    def reached(self, labelled: Integers) -> NDArray[np.bool_]:
        """The nodes with a label or a feature that tells in their component, (n,)."""
        there = np.zeros(int(self.components.max()) + 1, dtype=bool)
        there[self.components[labelled]] = True
        said = np.zeros(self.X.shape[1])
        said[self.X[labelled].indices] = 1.0
        there[self.components[abs(self.X) @ said > 0]] = True
        return there[self.components]

    def _solved(self, setting: Setting, labelled: Integers, B: Matrix) -> Matrix:
        """(a L + I_S + eta I)^-1 B."""
        from scipy.sparse import csr_array, diags_array

        key = (setting.laplacian, setting.spread, setting.eta, labelled.tobytes())
        if self._last is None or self._last[0] != key:
            d = self.degrees
            # L_sym = D^-1/2 (D - W) D^-1/2, so the system is D^-1/2 (a (D - W) + D (...)) D^-1/2
            scale = np.ones(len(d))
            if LAPLACIANS[setting.laplacian] == "normalized":
                scale = np.where(d > 0, d, 1.0)
            added = np.full(len(d), setting.eta)
            added[labelled] += 1.0
            diagonal = diags_array(setting.spread * d + added * scale)
            A = csr_array(diagonal - setting.spread * self.W)
            self._last = key, self.solver.prepare(A), np.sqrt(scale)
        _, prepared, root = self._last
        found: Matrix = root[:, None] * prepared.solve(root[:, None] * B)
        return found

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_last": None}
