"""Learners that look at the labels around a node, and at nothing else."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    Derived,
    Instance,
    Integers,
    Needs,
    Prediction,
    Problem,
    Reveal,
    Shown,
    Vector,
)
from graphol.bases.usual import UsualLearner
from graphol.graph import Graph
from graphol.params import param


class Edges(Derived):
    """The neighbours of every node, their weights in units of the mean weight."""

    def __init__(self, graph: Graph) -> None:
        S = graph.adjacency
        self.indptr, self.indices = S.indptr.astype(np.int64), S.indices.astype(np.int64)
        self.weight = S.data / S.data.mean()

    def at(self, i: int) -> tuple[Integers, Vector]:
        """The neighbours of node i and the weights of the edges to them."""
        here = slice(self.indptr[i], self.indptr[i + 1])
        return self.indices[here], self.weight[here]


class Known(NamedTuple):
    """What was told, and the graph."""

    label: Integers  # (n,), -1 where not known
    not_: NDArray[np.bool_]  # (n, K), classes that a bit ruled out
    counts: Vector  # (K,), labels of each class
    plays: Vector  # (K,), answers of one bit for each class
    edges: Edges

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Classes that were seen; where bits are told, all: one never played may be anywhere."""
        return (self.counts > 0) | self.plays.any()

    @property
    def prior(self) -> Vector:
        """The classes' shares among the labels; where bits are told, as if each had one more."""
        counts = self.counts + float(self.plays.any())
        return np.asarray(counts / max(counts.sum(), 1.0))


@attrs.frozen(slots=False, kw_only=True)
class Neighbours(UsualLearner):
    """Base of learners from the labels around a node.

    Subclasses have a state whose first field is ``known``, and four methods: ``begin(known)``, the
    state before round 1; ``shares(state, i)``, probabilities of the classes that were seen and
    whether anything bears on node i; ``learn(state, i, y, before)``, where ``known`` has the label
    already and ``before`` is the one that it replaces, or -1; and ``widen(state, more)``.

    A right answer is a label. A wrong one rules a class out at this node; ``shun(state, i, a)`` may
    learn more from it. Who is told bits only has to try classes: then the class with the largest
    :math:`p_k + \\text{bonus}/(1 + \\text{plays}_k)` is played. With labels it is that with the
    largest p.

    Parameters
    ----------
    bonus
        How keen it is on classes rarely played, where it is told bits.
    """

    needs: ClassVar[Needs] = "graph"
    learns_from: ClassVar[tuple[Shown, ...]] = ("label", "bit")
    bonus: float = param(10.0, least=0)

    def begin(self, known: Known) -> Any:
        """The state before round 1."""
        raise NotImplementedError

    def shares(self, state: Any, i: int) -> tuple[Vector, bool]:
        """Probabilities of the classes, and whether anything bears on node i."""
        raise NotImplementedError

    def learn(self, state: Any, i: int, y: int, before: int) -> None:
        """Node i has label y now."""
        raise NotImplementedError

    def widen(self, state: Any, more: int) -> Any:
        """Room for more classes in what is not in ``known``."""
        raise NotImplementedError

    def shun(self, state: Any, i: int, a: int) -> None:
        """Node i is not of class a."""

    def start(self, problem: Problem) -> Any:
        """No label known."""
        graph, K = problem.graph, problem.n_classes
        assert graph is not None and K is not None
        nothing = np.zeros((graph.n, K), dtype=bool)
        label = np.full(graph.n, -1)
        return self.begin(Known(label, nothing, np.zeros(K), np.zeros(K), Edges(graph)))

    def predict(self, state: Any, instance: Instance) -> Prediction:
        """The most probable class; where bits are told, with a bonus for those rarely played."""
        i, known = instance.node, state.known
        p, bears = self.shares(state, i)
        out = known.not_[i]
        if out.any() and (left := np.where(out, 0.0, p)).any():
            p = left / left.sum()
        worth = p
        if known.plays.any():
            worth = np.where(out, -1.0, p + self.bonus / (1.0 + known.plays))
        return Prediction(int(worth.argmax()), p, known=bears)

    def update(self, state: Any, instance: Instance, prediction: Prediction, reveal: Reveal) -> int:
        """Every class model from a label that is new, one from a wrong answer."""
        i, known, said = instance.node, state.known, int(prediction.label)
        if reveal.label is None:
            known.plays[said] += 1.0
            if not reveal.correct:
                known.not_[i, said] = True
                self.shun(state, i, said)
                return 1
        y = said if reveal.label is None else int(reveal.label)
        before = int(known.label[i])
        if before == y:
            return int(reveal.label is None)
        if before >= 0:
            known.counts[before] -= 1.0
        known.label[i] = y
        known.counts[y] += 1.0
        known.not_[i, y] = False
        self.learn(state, i, y, before)
        return len(known.counts)

    def grow(self, state: Any, n_classes: int) -> Any:
        """New classes have no label yet."""
        known = state.known
        more = n_classes - len(known.counts)
        wider = known._replace(
            not_=np.pad(known.not_, ((0, 0), (0, more))),
            counts=np.pad(known.counts, (0, more)),
            plays=np.pad(known.plays, (0, more)),
        )
        return self.widen(state, more)._replace(known=wider)

    def check_state(self, state: Any, nodes: int) -> None:
        """Labels are classes, and the counts are theirs."""
        label, K = state.known.label, len(state.known.counts)
        if label.min() < -1 or label.max() >= K:
            raise ValueError("labels are not classes")
        if not np.array_equal(state.known.counts, np.bincount(label[label >= 0], minlength=K)):
            raise ValueError("the counts are not those of the labels")
        if not (state.known.plays >= 0).all():
            raise ValueError("a class was played less than never")
