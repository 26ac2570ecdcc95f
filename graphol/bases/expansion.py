"""Perceptrons whose functions on the nodes are sums of kernel columns."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import (
    Appendable,
    Derived,
    Features,
    Instance,
    Integers,
    Matrix,
    Needs,
    Prediction,
    Problem,
    Reveal,
    Target,
    Vector,
)
from graphol.bases.inverse import rival
from graphol.bases.usual import UsualLearner


@attrs.frozen(eq=False)
class GameKernel(Derived):
    """The kernel of this game."""

    features: Features

    @classmethod
    def of(cls, problem: Problem) -> GameKernel:
        """The problem's; a learner that ``needs`` it is given one."""
        assert problem.features is not None
        return cls(problem.features)


class Expansion(NamedTuple):
    """The nodes it erred at, with one coefficient per function."""

    support: Appendable  # (m,)
    coefficients: Appendable  # (m, K), one column for signs
    kernel: GameKernel


class InContexts(NamedTuple):
    """The nodes it erred at, each with its context and one coefficient per function."""

    support: Appendable  # (m,)
    contexts: Appendable  # (m,)
    coefficients: Appendable  # (m, K), one column for signs
    kernel: GameKernel


def nodes() -> Appendable:
    """None yet; for contexts too."""
    return Appendable(np.zeros(0, dtype=np.int64))


def added(entries: Vector, c: Matrix) -> Vector:
    """Sum over s of entries[s] c[s], (K,).

    Added up in the order in which nodes joined, so that what is equal stays equal.
    """
    if len(c) == 0:
        return np.zeros(c.shape[1])
    total: Vector = np.cumsum(entries[:, None] * c, axis=0)[-1]
    return total


def row_of(node: int, support: Appendable, coefficients: Appendable) -> Vector:
    """The node's coefficients, to be changed in place; it joins the support if it is new."""
    known = np.flatnonzero(support.values == node)
    if len(known) == 0:
        support.append(node)
        coefficients.append(0.0)
    row: Vector = coefficients.values[known[0] if len(known) else -1]
    return row


def check_support(
    nodes: int, support: Integers, coefficients: Matrix, contexts: Integers | None = None
) -> None:
    """Raise ValueError where these are no nodes, each once in a context, with coefficients each."""
    pairs = support[None] if contexts is None else np.stack([support, contexts])
    inside = bool(((support >= 0) & (support < nodes)).all())
    if not inside or np.unique(pairs, axis=1).shape != pairs.shape:
        raise ValueError("the support are not distinct nodes")
    if len(support) != len(coefficients):
        raise ValueError("the support and its coefficients are not of one length")
    if contexts is not None and contexts.min(initial=0) < -1:
        raise ValueError(f"there is no context {contexts.min()}")


class KernelSums(UsualLearner):
    """Base of perceptrons whose functions are sums of kernel columns.

    Class k has the function f_k(i) = sum over s of c_sk K(i, s), with s all that it erred at. The
    class with the largest value is predicted, ties going to the lowest; for signs there is one
    function, and the sign of 0 is +1. On a mistake c_iy rises and c_ij falls by 1, with j the
    best-scored wrong class; for signs c_i rises by y. Subclasses say what the state is, and:

    ``entries(state, instance)``
        Kernel entries between what is asked and all of the support, (m,).
    ``row(state, instance)``
        The coefficients of what is asked, which joins the support if it is new.
    """

    targets: ClassVar[tuple[Target, ...]] = ("classes", "signs")
    needs: ClassVar[Needs] = "gram"

    def start(self, problem: Problem) -> Any:
        """No node erred at yet."""
        coefficients = Appendable(np.zeros((0, problem.n_classes or 1)))
        return Expansion(nodes(), coefficients, GameKernel.of(problem))

    def entries(self, state: Any, instance: Instance) -> Vector:
        """The kernel's own."""
        found: Vector = state.kernel.features.gram(instance.node, state.support.values)
        return found

    def row(self, state: Any, instance: Instance) -> Vector:
        """One per node."""
        return row_of(instance.node, state.support, state.coefficients)

    def _scores(self, state: Any, instance: Instance) -> Vector:
        return added(self.entries(state, instance), state.coefficients.values)

    def predict(self, state: Any, instance: Instance) -> Prediction:
        """The class with the largest score, or the sign of the only one."""
        scores = self._scores(state, instance)
        if len(scores) == 1:
            return Prediction(1 if scores[0] >= 0 else -1, scores)
        return Prediction(int(np.argmax(scores)), scores)

    def update(self, state: Any, instance: Instance, prediction: Prediction, reveal: Reveal) -> int:
        """Two class models on a mistake; for signs the only one."""
        assert reveal.label is not None
        y = int(reveal.label)
        if prediction.label == y:
            return 0
        scores = self._scores(state, instance)
        c = self.row(state, instance)
        if len(scores) == 1:
            c[0] += y
            return 1
        c[y] += 1
        c[rival(scores, y)] -= 1
        return 2

    def grow(self, state: Any, n_classes: int) -> Any:
        """New classes start at zero."""
        c = state.coefficients.values
        wider = np.pad(c, ((0, 0), (0, n_classes - c.shape[1])))
        return state._replace(coefficients=Appendable(wider))

    def check_state(self, state: Any, nodes: int) -> None:
        """The support are nodes, each once, with a row of coefficients each."""
        check_support(nodes, state.support.values, state.coefficients.values)


class KernelSumsInContexts(KernelSums):
    """Base of those that keep what they erred at as pairs of a node and a context."""

    def start(self, problem: Problem) -> Any:
        """No node erred at yet, in no context."""
        plain = super().start(problem)
        return InContexts(plain.support, nodes(), plain.coefficients, plain.kernel)

    def row(self, state: Any, instance: Instance) -> Vector:
        """One per pair."""
        same = state.support.values == instance.node
        known = np.flatnonzero(same & (state.contexts.values == instance.context))
        if len(known) == 0:
            state.support.append(instance.node)
            state.contexts.append(instance.context)
            state.coefficients.append(0.0)
        row: Vector = state.coefficients.values[known[0] if len(known) else -1]
        return row

    def check_state(self, state: Any, nodes: int) -> None:
        """The support are nodes in contexts, each pair once, with a row of coefficients each."""
        if len(state.support.values) != len(state.contexts.values):
            raise ValueError("the support and its contexts are not of one length")
        check_support(nodes, state.support.values, state.coefficients.values, state.contexts.values)
