"""Learners of GraphLearning, fitted to all labels that are known."""

from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol import Derived, Instance, Prediction, Problem, Reveal, param


class Adjacency(Derived):
    """The graph."""

    def __init__(self, graph):
        self.S, self.components = graph.adjacency, graph.components


class State(NamedTuple):
    """The labels, and what was fitted to them."""

    label: np.ndarray  # (n,), -1 where not known
    U: np.ndarray  # (n, K), scores; 0 for classes without a label
    graph: Adjacency


@attrs.frozen(slots=False)
class Fitted:
    """What both have in common; ``model(S)`` makes one of GraphLearning's."""

    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[str, ...]] = ("label",)
    targets: ClassVar[tuple[str, ...]] = ("classes",)
    needs: ClassVar[str] = "graph"

    def start(self, problem: Problem) -> State:
        """No label known."""
        n = problem.graph.n
        return State(np.full(n, -1), np.zeros((n, problem.n_classes)), Adjacency(problem.graph))

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest score; the most frequent one in a component without labels."""
        i, K = instance.node, state.U.shape[1]
        here = state.label[state.graph.components == state.graph.components[i]]
        counts = np.bincount(here[here >= 0], minlength=K)
        if not counts.any():
            counts = np.bincount(state.label[state.label >= 0], minlength=K)
            return Prediction(int(counts.argmax()), counts.astype(float), known=False)
        scores = state.U[i].copy()
        return Prediction(int(np.where(counts > 0, scores, -np.inf).argmax()), scores)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """One label more: everything is fitted anew."""
        return self._learn(state, instance.node, int(reveal.label))

    def fit(self, state: State, given) -> int:
        """All labels in one go."""
        return self._learn(state, given.nodes, given.labels)

    def grow(self, state: State, n_classes: int) -> State:
        """New classes have no label yet."""
        more = n_classes - state.U.shape[1]
        return state._replace(U=np.pad(state.U, ((0, 0), (0, more))))

    def check_state(self, state: State, nodes: int) -> None:
        """Labels are classes."""
        if state.label.min() < -1 or state.label.max() >= state.U.shape[1]:
            raise ValueError("labels are not classes")

    def _learn(self, state: State, nodes, labels) -> int:
        before = state.label.copy()
        state.label[nodes] = labels
        if np.array_equal(before, state.label):
            return 0
        changed = np.flatnonzero(before != state.label)
        for c in np.unique(state.graph.components[changed]):
            here = np.flatnonzero(state.graph.components == c)
            state.U[here] = self._fitted(state, here)
        return state.U.shape[1]

    def _fitted(self, state: State, here):
        """The scores of one component, which GraphLearning takes for a graph of its own."""
        label = state.label[here]
        U, known = np.zeros((len(here), state.U.shape[1])), np.flatnonzero(label >= 0)
        classes, number = np.unique(label[known], return_inverse=True)
        if len(known) == len(here):  # nothing is left to be found, which it does not expect
            U[known, label] = 1.0
        elif len(classes) == 1:
            U[:, classes] = 1.0
        elif len(classes):
            with np.errstate(all="ignore"):  # a class with no label next to the rest is 0/0 to it
                u = self.model(state.graph.S[here][:, here]).fit(known, number)
            U[:, classes] = np.nan_to_num(u)
        return U


@attrs.frozen
class GlLaplace(Fitted):
    r"""GraphLearning's Laplace learning: the harmonic function, by conjugate gradients.

    Scores are what it calls so; predicted is the largest. After every label it is fitted anew.

    Parameters
    ----------
    normalization
        Of the Laplacian: ``combinatorial`` or ``normalized``.
    reweighting
        Of the graph near the labels: ``none``, ``poisson`` or ``wnll``.
    tol
        Tolerance of the conjugate gradients, > 0.

    References
    ----------
    Zhu, Ghahramani, Lafferty. Semi-supervised learning using Gaussian fields and harmonic
    functions. ICML, 2003.
    Calder, Slepčev. Properly-weighted graph Laplacian for semi-supervised learning. 2020.
    """

    name: ClassVar[str] = "gl-laplace"
    normalization: str = param("combinatorial", choices=("combinatorial", "normalized"))
    reweighting: str = param("none", choices=("none", "poisson", "wnll"))
    tol: float = param(1e-5, above=0)

    def model(self, S):
        """One of GraphLearning's."""
        from graphlearning import ssl

        return ssl.laplace(
            S, reweighting=self.reweighting, normalization=self.normalization, tol=self.tol
        )


@attrs.frozen
class GlPoisson(Fitted):
    r"""GraphLearning's Poisson learning.

    Scores are what it calls so; predicted is the largest. After every label it is fitted anew.

    Parameters
    ----------
    solver
        ``conjugate_gradient``, or ``gradient_descent`` for the iteration of the paper.
    tol
        Tolerance of the conjugate gradients, > 0.

    References
    ----------
    Calder, Cook, Thorpe, Slepčev. Poisson learning: graph based semi-supervised learning at very
    low label rates. ICML 2020.
    """

    name: ClassVar[str] = "gl-poisson"
    solver: str = param("conjugate_gradient", choices=("conjugate_gradient", "gradient_descent"))
    tol: float = param(1e-3, above=0)

    def model(self, S):
        """One of GraphLearning's."""
        from graphlearning import ssl

        return ssl.poisson(S, solver=self.solver, tol=self.tol)
