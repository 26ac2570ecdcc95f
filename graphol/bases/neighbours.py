"""Learners that look at the labels around a node, and at nothing else.

Their rules are plain loops over numbers, which numba compiles for streams. They add in the same
order either way, so that both give the same, bit by bit.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    Derived,
    Instance,
    Integers,
    Needs,
    Played,
    Prediction,
    Problem,
    Reveal,
    Shown,
    Steps,
    Stretch,
    Vector,
)
from graphol.bases.rules import Rule, play, required, settings
from graphol.bases.usual import UsualLearner
from graphol.graph import Graph
from graphol.params import param

NOTHING_NEW, NOT_THIS = -1, -2
"""What :func:`note` says in place of a label to learn."""


class Edges(NamedTuple):
    """The neighbours of node i are indices[indptr[i]:indptr[i + 1]]."""

    indptr: Integers
    indices: Integers
    weight: Vector  # in units of the mean weight


class Around(Derived):
    """The edges of the game's graph."""

    def __init__(self, graph: Graph) -> None:
        S = graph.adjacency
        self.edges = Edges(
            S.indptr.astype(np.int64), S.indices.astype(np.int64), S.data / S.data.mean()
        )


class Known(NamedTuple):
    """What was told, and the graph."""

    label: Integers  # (n,), -1 where not known
    not_: NDArray[np.bool_]  # (n, K), classes that a bit ruled out
    counts: Vector  # (K,), labels of each class
    plays: Vector  # (K,), answers of one bit for each class
    around: Around

    @property
    def told(self) -> Told:
        """The same without the graph."""
        return Told(*self[:4])


class Told(NamedTuple):
    """What was told, as rules get it; see :class:`Known`."""

    label: Integers
    not_: NDArray[np.bool_]
    counts: Vector
    plays: Vector


def hears_bits(told):
    """Did any answer come as a bit?"""
    return told.plays.max() > 0.0


def prior(told, p):
    """Fill p with the classes' shares among the labels, 0 for one that was not seen.

    Where bits are told it is as if each class had one label more: one never played may be anywhere.
    """
    K = len(p)
    more = 1.0 if hears_bits(told) else 0.0
    total = 0.0
    for k in range(K):
        p[k] = told.counts[k] + more
        total += p[k]
    if total > 0.0:
        for k in range(K):
            p[k] /= total


def softmax(z, p):
    """Make p proportional to exp(z) where it is above 0 already; it sums to 1."""
    most, total = -np.inf, 0.0
    for k in range(len(p)):
        if p[k] > 0.0:
            most = max(most, z[k])
    for k in range(len(p)):
        if p[k] > 0.0:
            p[k] = math.exp(z[k] - most)
            total += p[k]
    for k in range(len(p)):
        p[k] /= total


def say(told, i, p, bonus):
    """The class to say at node i; of p, what was ruled out there is taken away."""
    K = len(p)
    out, left = False, 0.0
    for k in range(K):
        if told.not_[i, k]:
            out = True
        else:
            left += p[k]
    if out and left > 0.0:
        for k in range(K):
            p[k] = 0.0 if told.not_[i, k] else p[k] / left
    bits = hears_bits(told)
    best, most = 0, -np.inf
    for k in range(K):
        worth = p[k]
        if bits:
            worth = -1.0 if told.not_[i, k] else p[k] + bonus / (1.0 + told.plays[k])
        if worth > most:
            best, most = k, worth
    return best


def note(told, i, said, heard, bits):
    """Write down that node i has class ``heard``, or, where that is -1, that not the one said.

    Answers the label to learn (or what there is in its place) and the one that it replaces, or -1.
    """
    before = told.label[i]
    if bits:
        told.plays[said] += 1.0
    if heard < 0:
        told.not_[i, said] = True
        return NOT_THIS, before
    if heard == before:
        return NOTHING_NEW, before
    if before >= 0:
        told.counts[before] -= 1.0
    told.label[i] = heard
    told.counts[heard] += 1.0
    told.not_[i, heard] = False
    return heard, before


def no_more(edges, told, model, i, a):
    """Nothing is learnt of a class that is ruled out, but for the node itself."""


@attrs.frozen(slots=False, kw_only=True)
class Neighbours(UsualLearner):
    """Base of learners from the labels around a node.

    Subclasses have a state whose first field is ``known`` and whose others are arrays, the model;
    ``begin(known)``, the state before round 1; ``widen(state, more)``, the state with room for more
    classes in the model; and these rules, each followed by hyper-parameters by name.

    ``share(edges, told, model, i, p)``
        Fill p (K,) with probabilities of the classes that were seen at node i, 0 for others; does
        anything bear on it?
    ``learn(edges, told, model, i, y, before)``
        Node i has label y, and ``told`` has it already; ``before`` is the one that it replaces, or
        -1.
    ``shun(edges, told, model, i, a)``
        Node i is not of class a. By default nothing is learnt from that.

    A right answer is a label. A wrong one rules a class out at this node. Who is told bits only has
    to try classes: then the class with the largest :math:`p_k + \\text{bonus}/(1 +
    \\text{plays}_k)` is played. With labels it is that with the largest p.

    Parameters
    ----------
    bonus
        How keen it is on classes rarely played, where it is told bits.
    """

    needs: ClassVar[Needs] = "graph"
    learns_from: ClassVar[tuple[Shown, ...]] = ("label", "bit")
    hears_flips: ClassVar[bool] = True
    keeps_scores: ClassVar[bool] = True
    bonus: float = param(10.0, least=0)

    share: ClassVar[Rule] = required()
    learn: ClassVar[Rule] = required()
    shun: ClassVar[Rule] = staticmethod(no_more)

    def begin(self, known: Known) -> Any:
        """The state before round 1."""
        raise NotImplementedError

    def widen(self, state: Any, more: int) -> Any:
        """Room for more classes in what is not in ``known``."""
        raise NotImplementedError

    def start(self, problem: Problem) -> Any:
        """No label known."""
        graph, K = problem.graph, problem.n_classes
        assert graph is not None and K is not None
        nothing = np.zeros((graph.n, K), dtype=bool)
        label = np.full(graph.n, -1)
        return self.begin(Known(label, nothing, np.zeros(K), np.zeros(K), Around(graph)))

    def predict(self, state: Any, instance: Instance) -> Prediction:
        """The most probable class; where bits are told, with a bonus for those rarely played."""
        known, i = state.known, instance.node
        told, p = known.told, np.empty(len(known.counts))
        sharing = settings(self, self.share, 5)
        bears = self.share(known.around.edges, told, state[1:], i, p, *sharing)
        return Prediction(say(told, i, p, self.bonus), p, known=bool(bears))

    def update(self, state: Any, instance: Instance, prediction: Prediction, reveal: Reveal) -> int:
        """Every class model from a label that is new, one from a wrong answer."""
        i, said, bits = instance.node, int(prediction.label), reveal.label is None
        heard = int(reveal.label) if reveal.label is not None else said if reveal.correct else -1
        edges, told, model = state.known.around.edges, state.known.told, state[1:]
        y, before = note(told, i, said, heard, bits)
        if y >= 0:
            learning = settings(self, self.learn, 6, answers=False)
            self.learn(edges, told, model, i, y, before, *learning)
            return len(told.counts)
        if y == NOT_THIS:
            shunning = settings(self, self.shun, 5, answers=False)
            self.shun(edges, told, model, i, said, *shunning)
        return int(bits)

    def stream(self, state: Any, stretch: Stretch, out: Played) -> None:
        """The whole stretch, compiled."""
        from graphol.compiled import neighbours

        rules = {"share": self.share, "learn": self.learn, "shun": self.shun}
        sharing = settings(self, self.share, 5)
        learning = settings(self, self.learn, 6, answers=False)
        shunning = settings(self, self.shun, 5, answers=False)
        play(
            self.name, neighbours.play, rules | {"say": say, "note": note}, stretch,
            state.known.around.edges, state.known.told, state[1:], stretch,
            self.bonus, sharing, learning, shunning, out,
        )  # fmt: skip

    def along(self, state: Any, stretch: Stretch) -> Steps:
        """In the loop of another."""
        from graphol.compiled import bind, neighbours

        own = neighbours.Along(
            state.known.around.edges, state.known.told, state[1:], self.bonus,
            settings(self, self.share, 5), settings(self, self.learn, 6, answers=False),
            settings(self, self.shun, 5, answers=False),
        )  # fmt: skip
        foresee = bind(neighbours.foresee, share=self.share, say=say)
        hear = bind(neighbours.hear, learn=self.learn, shun=self.shun, note=note)
        return Steps(foresee, hear, own)

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
