"""Any learners as one: they vote, and who errs loses weight."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np

from graphol import api
from graphol.api import NOTHING, ChecksState, Growing, Instance, Prediction, Problem, Reveal, Vector
from graphol.bases.fixed_share import charge, check_weights, even
from graphol.bases.members import check_needs, least_needs, names, shared
from graphol.bases.memo import Memo
from graphol.errors import GrapholError, UsageError
from graphol.params import param
from graphol.registry import components


class Votes(Memo):
    """What is voted on in this game, and what the members last said."""

    def __init__(self, n_classes: int | None) -> None:
        super().__init__()
        self.n_classes = n_classes
        """K, or None for signs."""


class State(NamedTuple):
    """Who is trusted how much, and all that the members know."""

    weights: Vector  # (N,)
    members: tuple[api.State, ...]
    votes: Votes


@attrs.frozen
class WeightedMajority:
    r"""Weighted majority vote of any learners, which follows whoever is best of late.

    N members with weights :math:`w_e = 1/N` at first. It predicts the class that has most weight
    behind it (ties: the lowest), or the sign of :math:`\sum_e w_e p_e`, that of 0 being +1. Every
    member learns as if it played alone, from its own prediction; then all that erred are charged,

    .. math:: w_e \leftarrow \beta w_e, \qquad
              w \leftarrow (1 - \alpha) \frac{w}{\sum_e w_e} + \frac{\alpha}{N} ,

    where the share :math:`\alpha` lets a member come back that was bad for long.

    Of a bit it passes on what follows from it. Whoever predicted what was played gets the bit. If
    it was right, all others were wrong, and are told; if not, nothing is known about them: they are
    told nothing and keep their weight. A label is asked for if any member asks for it; those that
    did not ask are not told it, but charged.

    Members may be of any families that can play the same game: ``targets``, ``learns_from`` and
    ``needs`` are what they share, and members that share no game are refused. A round costs what
    the members cost in the plain loop; a prediction that is answered at once is worked out
    once. Scores are the weights behind every class; for signs, the sum above. The weights count as
    one more model that an answer changes.

    Parameters
    ----------
    learners
        The members, one or more: ``(molg-b:b=20)+(gpa)`` on the command line, a list in Python.
    beta
        What an error leaves of a weight, > 0 and at most 1.
    share
        What is shared out evenly after every answer, :math:`\alpha`, from 0 to 1.

    Examples
    --------
    >>> import graphol
    >>> both = WeightedMajority("(molg-f)+(kernel-perceptron)")
    >>> both.needs, both.targets, both.feedback
    ('rows', ('classes',), 'full')
    >>> graphol.simulate(both, dataset="sbm", repeats=2).error_rate_mean < 0.05
    True

    References
    ----------
    Littlestone, Warmuth. The weighted majority algorithm. Information and Computation, 1994.
    Herbster, Warmuth. Tracking the best expert. Machine Learning, 1998.

    Deviation: classes, bits and queries are ours. What a member said is looked at when the answer
    comes; if it comes late, that may differ from what it said when it was asked.
    """

    name: ClassVar[str] = "weighted-majority"
    learners: tuple[Any, ...] = components("learner", "(molg-f)+(oslg)")
    beta: float = param(0.5, above=0, most=1)
    share: float = param(0.01, least=0, most=1)

    def __attrs_post_init__(self) -> None:
        who = names(self.learners)
        if not self.targets:
            raise UsageError(f"{self.name}: {who} do not all predict classes, or all signs")
        if not self.learns_from:
            raise UsageError(f"{self.name}: {who} do not all learn from labels, or all from bits")
        if least_needs(self.learners) is None:
            raise UsageError(
                f"{self.name}: {who} play no game together; some need signals, others nodes"
            )

    @property
    def targets(self) -> tuple[api.Target, ...]:
        """Classes or signs, as all members do."""
        return shared([each.targets for each in self.learners], among=("classes", "signs"))

    @property
    def learns_from(self) -> tuple[api.Shown, ...]:
        """Labels or bits, as all members do."""
        return shared([each.learns_from for each in self.learners], among=("label", "bit"))

    @property
    def needs(self) -> api.Needs:
        """The least that serves all members."""
        return least_needs(self.learners) or "nothing"

    @property
    def feedback(self) -> str:
        """The members' own protocol where they agree; else the usual one of what they share."""
        theirs = {each.feedback for each in self.learners}
        usual = "full" if "label" in self.learns_from else "bandit"
        return theirs.pop() if len(theirs) == 1 else usual

    def start(self, problem: Problem) -> State:
        """Every member at its start, with random numbers of its own, all trusted alike."""
        check_needs(self.name, self.learners, problem)
        own = problem.rng.spawn(len(self.learners))
        states = (
            each.start(attrs.evolve(problem, rng=rng))
            for each, rng in zip(self.learners, own, strict=True)
        )
        return State(even(len(self.learners)), tuple(states), Votes(problem.n_classes))

    def predict(self, state: State, instance: Instance) -> Prediction:
        """What has most weight behind it; ask if anybody does."""
        said = self._said(state, instance)
        query = any(p.query for p in said)
        labels = np.array([p.label for p in said])
        K = state.votes.n_classes
        behind: Vector = np.zeros(K or 2)  # added up class by class, so that ties stay ties
        np.add.at(behind, labels.astype(np.int64) if K else (labels > 0) * 1, state.weights)
        if K is None:
            total = behind[1] - behind[0]
            return Prediction(1 if total >= 0 else -1, np.array([total]), query)
        return Prediction(int(np.argmax(behind)), behind, query)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The members' models that changed, and the weights if any of them moves."""
        said = self._said(state, instance)
        state.votes.drop()
        told = [_told(p, prediction, reveal) for p in said]
        changed: int = sum(
            each.update(own, instance, p, answer)
            for each, own, p, answer in zip(
                self.learners, state.members, said, told, strict=True
            )
            if p.query and answer is not NOTHING
        )  # fmt: skip
        wrong = np.array([answer.right(p) is False for p, answer in zip(said, told, strict=True)])
        factors = np.where(wrong, self.beta, 1.0)
        return changed + charge(state.weights, factors, self.share)

    def grow(self, state: State, n_classes: int) -> State:
        """All members grow; refused if one cannot."""
        fixed = [each for each in self.learners if not isinstance(each, Growing)]
        if fixed:
            raise UsageError(
                f"{self.name} cannot learn a new class: {names(fixed)} cannot; name all classes at "
                "the start"
            )
        members = tuple(
            each.grow(own, n_classes)
            for each, own in zip(self.learners, state.members, strict=True)
        )  # fmt: skip
        return State(state.weights.copy(), members, Votes(n_classes))

    def check_state(self, state: State, nodes: int) -> None:
        """Shares of 1, and what the members check."""
        check_weights(state.weights)
        for each, own in zip(self.learners, state.members, strict=True):
            if isinstance(each, ChecksState):
                each.check_state(own, nodes)

    def _said(self, state: State, instance: Instance) -> tuple[Prediction, ...]:
        """What the members predict as they are now."""
        known: tuple[Prediction, ...] | None = state.votes.recall(state.weights, instance)
        if known is not None:
            return known
        said = tuple(
            each.predict(own, instance)
            for each, own in zip(self.learners, state.members, strict=True)
        )  # fmt: skip
        K = state.votes.n_classes
        for each, p in zip(self.learners, said, strict=True):
            if not (p.label in (-1, 1) if K is None else p.label in range(K)):
                raise GrapholError(
                    f"{each.name} predicted {p.label} in round {instance.t}, which is not one of "
                    "the game's; its update may have overflowed"
                )
        state.votes.keep(state.weights, instance, said)
        return said


def _told(own: Prediction, played: Prediction, reveal: Reveal) -> Reveal:
    """What an answer to what was played says to a member that said its own."""
    if reveal.label is not None or own.label == played.label:
        return reveal
    return Reveal(correct=False) if reveal.correct else NOTHING
