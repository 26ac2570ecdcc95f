"""The perceptron on the graph's kernel, with one function per class."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import (
    Appendable,
    Derived,
    Features,
    Instance,
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


class State(NamedTuple):
    """The nodes it erred at, with one coefficient per class."""

    support: Appendable  # (m,)
    coefficients: Appendable  # (m, K), one column for signs
    kernel: GameKernel


@attrs.frozen
class KernelPerceptron(UsualLearner):
    r"""Perceptron on the graph's kernel: exact, no dimension to choose, grows with its mistakes.

    Every class k has a function on the nodes, :math:`f_k(i) = \sum_{s \in S} c_{sk} K(i, s)`, with
    S the nodes it erred at so far; none at first. It predicts :math:`\arg\max_k f_k(i_t)` (ties:
    the lowest k) and, on a mistake, with j the best-scored wrong class,

    .. math:: c_{i_t y_t} \leftarrow c_{i_t y_t} + 1, \qquad c_{i_t j} \leftarrow c_{i_t j} - 1 .

    Signs need one function: :math:`c_{i_t} \leftarrow c_{i_t} + y_t`, and the sign of 0 is +1.

    With m nodes in S a round costs O(mK), and the first mistake at a node one linear solve, for its
    column of the kernel (:class:`graphol.embeddings.kernel.Kernel`). The state grows: m numbers and
    mK coefficients. With an embedding that has rows it is ``gpa``, more slowly.

    Examples
    --------
    >>> import graphol
    >>> result = graphol.simulate("kernel-perceptron", dataset="sbm", repeats=2)
    >>> result.recipe["embedding"]["name"], result.error_rate_mean < 0.2
    ('kernel', True)
    >>> rows = {"dataset": "sbm", "embedding": "spectral:dim=10", "repeats": 2}
    >>> dual, primal = (graphol.simulate(name, **rows) for name in ("kernel-perceptron", "gpa"))
    >>> dual.error_rates.tolist() == primal.error_rates.tolist()
    True

    References
    ----------
    Herbster, Pontil. Prediction on a graph with a perceptron. NIPS 2006.

    Deviation: the paper is binary; for classes this is the usual multi-class form, as in ``gpa``.
    """

    name: ClassVar[str] = "kernel-perceptron"
    targets: ClassVar[tuple[Target, ...]] = ("classes", "signs")
    needs: ClassVar[Needs] = "gram"

    def start(self, problem: Problem) -> State:
        """No node erred at yet."""
        assert problem.features is not None
        return State(
            support=Appendable(np.zeros(0, dtype=np.int64)),
            coefficients=Appendable(np.zeros((0, problem.n_classes or 1))),
            kernel=GameKernel(problem.features),
        )

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest score, or the sign of the only one."""
        scores = self._scores(state, instance.node)
        if len(scores) == 1:
            return Prediction(1 if scores[0] >= 0 else -1, scores)
        return Prediction(int(np.argmax(scores)), scores)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """Two class models on a mistake; for signs the only one."""
        assert reveal.label is not None
        y = int(reveal.label)
        if prediction.label == y:
            return 0
        scores = self._scores(state, instance.node)
        known = np.flatnonzero(state.support.values == instance.node)
        if len(known) == 0:
            state.support.append(instance.node)
            state.coefficients.append(0.0)
            known = np.array([-1])
        c = state.coefficients.values[known[0]]
        if len(scores) == 1:
            c[0] += y
            return 1
        c[y] += 1
        c[rival(scores, y)] -= 1
        return 2

    def grow(self, state: State, n_classes: int) -> State:
        """New classes start at zero."""
        c = state.coefficients.values
        wider = np.pad(c, ((0, 0), (0, n_classes - c.shape[1])))
        return state._replace(coefficients=Appendable(wider))

    def check_state(self, state: State, nodes: int) -> None:
        """The support are nodes, each once, with a row of coefficients each."""
        support = state.support.values
        inside = bool(((support >= 0) & (support < nodes)).all())
        if not inside or len(np.unique(support)) < len(support):
            raise ValueError("the support are not distinct nodes")
        if len(support) != len(state.coefficients.values):
            raise ValueError("the support and its coefficients are not of one length")

    def _scores(self, state: State, node: int) -> Vector:
        """Added up in the order in which nodes joined, so that what is equal stays equal."""
        c = state.coefficients.values
        if len(c) == 0:
            return np.zeros(c.shape[1])
        k = state.kernel.features.gram(node, state.support.values)
        scores: Vector = np.cumsum(k[:, None] * c, axis=0)[-1]
        return scores
