"""Any learners as one: an online logistic stack of what they say, guarded by a mixture."""

from __future__ import annotations

import functools
import math
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol import api
from graphol.api import (
    ChecksState,
    Fits,
    Given,
    Growing,
    Instance,
    Played,
    PlaysAlong,
    Prediction,
    Problem,
    Reveal,
    Stretch,
)
from graphol.bases.along import chain
from graphol.bases.guarded import (
    ASIDE,
    FAILED,
    NEVER,
    PLAYS,
    WHY,
    Heard,
    ask,
    instance_of,
    label_of,
    part_of,
    play_alone,
    teach,
    told,
)
from graphol.bases.members import check_needs, least_needs, names
from graphol.bases.pooled import Said, State, begin, check, seen
from graphol.bases.rules import Rule, play
from graphol.bases.stacking import bucket, floored, learn, leave, mix, wanted
from graphol.bases.walks import choose
from graphol.errors import GrapholError, TooLargeError, UsageError, in_one_line
from graphol.params import param
from graphol.registry import components, registry

OFTEN = 1.25
"""The starter learns anew whenever the labels are so many times those it knows."""
NO_SAY = 1e-6
"""A starter with less weight than this stands aside for good."""


@attrs.frozen
class Pool:
    r"""An online logistic stack of any learners, which steps aside where one of them is better.

    Scores of every expert e, divided by their sum, are probabilities :math:`P_e` of the S classes
    that were seen; with :math:`Q_{ek} = (P_{ek} + f/S)/(1 + f)` and :math:`\phi = \log Q` the stack
    is

    .. math:: p_k \propto \exp \sum_e (\theta_e + \theta_{e,c})\, \phi_{ek} ,

    where c tells nodes with 0, 1, 2 to 3 and more labelled neighbours apart. A label y is one
    Newton step up :math:`\log p_y`, a wrong answer a one up :math:`\log(1 - p_a)`. At first
    :math:`\theta_e = 1/m` for the m leaders and 0 for the others.

    What is said is the class with the largest share of a mixture
    :math:`q = w_0 p + \sum_e w_e Q_e` of the stack and of its experts, which loses weight by the
    logarithmic loss: :math:`w_e \leftarrow w_e Q_{ey} / q_y`. So the sum of :math:`-\log q_y` is
    above that of any of the N, the stack included, by at most :math:`\log(1/w_e)` of the weights at
    first, which is :math:`\log N` if all are the same.

    The starter, ``poisson-ridge`` (or ``poisson``, where the experts need no vectors), is for few
    labels. It is in the mixture alone, learns all labels anew whenever they are a quarter more, and
    stands aside for good once its weight is nothing.

    Experts may be any learners of classes, from labels or bits, and hear whatever follows from an
    answer about what the pool said. One that fails or gives scores that are no numbers is left out
    from then on, and named, and so is one that refuses a graph of this size: by default
    ``label-propagation`` above 5000 nodes. Told bits, the class with the largest
    :math:`q_k + \text{bonus}/(1 + \text{plays}_k)` is said. With ``rate`` below 1 it asks where
    :math:`(1 - \frac{m}{m + 1} \max_k q_k)(1 + u)^{voi}` is above a price, m the labels so far and
    u the neighbours without one.

    A round costs what its experts cost, and O(K E²) for the stack of E. The scores are q.

    Parameters
    ----------
    experts
        Who is stacked, one or more: ``(walk)+(molg-f:b=20)`` on the command line, a list in Python.
    leaders
        How many of them, the first ones that play, are believed from the start.
    features
        Is ``smoothed-ridge``, which reads the nodes' features, one expert more, and the leader?
    starter
        Is there a learner for few labels besides?
    trust
        Weight of the starter at first, between 0 and 1; all others share the rest evenly.
    floor
        :math:`f`, how much of a probability is shared out evenly.
    prior
        Precision of the leaders' :math:`\theta` at first; that of the others is 10 times as large.
    bonus
        Told bits, how much classes are favoured that were rarely said.
    rate
        Share of the labels to ask for, between 0 and 1.
    voi
        Asking, how much neighbours without a label count.

    Examples
    --------
    >>> import graphol
    >>> pool = Pool("(walk)+(fastonl)")
    >>> pool.needs, pool.learns_from, pool.feedback
    ('graph', ('label', 'bit'), 'full')
    >>> graphol.simulate(pool, dataset="sbm", repeats=2).error_rate_mean < 0.1
    True

    References
    ----------
    Wolpert. Stacked generalization. Neural Networks, 1992; Vovk. A game of prediction with expert
    advice. JCSS, 1998: the mixture and its bound.

    Deviation: the stack's features, buckets and prior are our own.
    """

    name: ClassVar[str] = "pool"
    learns_from: ClassVar[tuple[api.Shown, ...]] = ("label", "bit")
    targets: ClassVar[tuple[api.Target, ...]] = ("classes",)
    keeps_scores: ClassVar[bool] = True
    experts: tuple[Any, ...] = components(
        "learner",
        "(walk)+(fastonl)+(label-propagation:noise=1,eps=0.2,prior=none,most=5000)"
        "+(label-propagation:noise=1,eps=0.05,prior=centred,most=5000)+(ridge)"
        "+(neighbour-logistic)",
    )
    leaders: int = param(4, least=1)
    features: bool = param(False)
    starter: bool = param(True)
    trust: float = param(0.99, above=0, below=1)
    floor: float = param(0.2, above=0)
    prior: float = param(20.0, above=0)
    bonus: float = param(3.0, least=0)
    rate: float = param(1.0, above=0, most=1)
    voi: float = param(0.0, least=0)

    def __attrs_post_init__(self) -> None:
        who = names(self.experts)
        for each in self.experts:
            if "classes" not in each.targets:
                raise UsageError(f"{self.name}: {each.name} predicts no classes")
            if not {"label", "bit"} & {*each.learns_from}:
                raise UsageError(f"{self.name}: {each.name} learns neither from labels nor bits")
        if least_needs(self._experts) in (None, "signals"):
            raise UsageError(f"{self.name}: {who} play no game together about nodes")

    @property
    def needs(self) -> api.Needs:
        """The least that serves all experts; the graph at the least."""
        needs = least_needs(self._experts) or "graph"
        return "graph" if needs == "nothing" else needs

    @property
    def feedback(self) -> str:
        """Labels, or those that are asked for."""
        return "full" if self.rate == 1 else "selective"

    @property
    def hears_flips(self) -> bool:
        """Only where all experts can play in one loop."""
        return all(isinstance(each, PlaysAlong) for each in self._experts)

    @property
    def _members(self) -> tuple[Any, ...]:
        """The experts, and the starter."""
        if not self.starter:
            return self._experts
        return *self._experts, _made("poisson-ridge" if self.needs == "rows" else "poisson")

    @property
    def _experts(self) -> tuple[Any, ...]:
        """All that are stacked."""
        return (*self.experts, _made("smoothed-ridge")) if self.features else self.experts

    def _leaders(self, playing: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The expert on features, or the first ones of those that play."""
        if self.features and playing[-1]:
            return np.asarray(np.arange(len(playing)) == len(self.experts))
        return playing & (np.cumsum(playing) <= self.leaders)

    def start(self, problem: Problem) -> State:
        """Everybody at his start, with random numbers of his own; the leaders alike."""
        import graphol.compiled  # noqa: F401, so that experts push quickly in the plain loop, too

        members = self._members
        check_needs(self.name, members, problem)
        own = problem.rng.spawn(len(members))
        states: list[api.State] = []
        refused: dict[int, str] = {}
        for e, (each, rng) in enumerate(zip(members, own, strict=True)):
            try:
                states.append(each.start(attrs.evolve(problem, rng=rng)))
            except TooLargeError as failure:
                states.append(())
                refused[e] = str(failure)
        started = np.array([e not in refused for e in range(len(self._experts))])
        if not started.any():
            raise TooLargeError(next(iter(refused.values())))
        state = begin(problem, tuple(states), self._leaders(started), self.prior, self.trust)
        state.place.never = frozenset(refused)
        for e, reason in refused.items():
            self._leave(state, e, NEVER, reason)
        return state

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest share of the mixture."""
        said = self._said(state, instance)
        known = any(each.prediction.known for each in said.heard if each.prediction)
        if state.plays.any():
            label = choose(said.mixture, state.plays, self.bonus)
        else:
            label = int(np.argmax(said.mixture))
        query = wanted(
            state.label, *state.place.edges, instance.node, said.mixture, state.counts, instance.t,
            self.rate, self.voi,
        )  # fmt: skip
        return Prediction(label, said.mixture.copy(), bool(query), known)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The experts' models that changed, and the stack."""
        if not prediction.query:
            return 0
        said, K, played = self._said(state, instance), len(state.counts), int(prediction.label)
        state.place.drop()
        changed = 1
        for e, each in enumerate(said.heard):
            if each.prediction is None:
                self._leave(state, e, each.standing, each.reason)
                continue
            if e == len(self._experts):  # the starter
                continue
            answer = told(self._experts[e], each.prediction, played, reveal, K)
            models, reason = teach(self._experts[e], state.members[e], instance, answer)
            changed += models
            if reason:
                self._leave(state, e, FAILED, reason)
        y = label_of(played, reveal, K)
        heard = -1 if y is None else y
        if seen(state)[played if y is None else y]:
            learn(
                state.theta, state.B, state.weights, state.losses, said.Q, said.phi, said.p,
                said.mixture, said.c, heard, played,
            )  # fmt: skip
        if reveal.label is None:
            state.plays[played] += 1
        if y is not None:
            state.label[instance.node] = y
            state.counts[y] += 1
            if self._refits_at(state) <= state.counts.sum():
                changed += self._refit(state)
        return changed

    def fit(self, state: State, given: Given) -> int:
        """One label after the other; the starter learns all of them."""
        changed, rows = 0, state.place.rows
        for t, (node, y) in enumerate(zip(given.nodes, given.labels, strict=True)):
            x = api.NO_VECTOR if rows is None else rows[node]
            instance = Instance(t, int(node), x)
            said = self.predict(state, instance)._replace(query=True)
            changed += self.update(state, instance, said, Reveal(label=int(y)))
        if self.starter and state.fitted[0] < state.counts.sum():
            changed += self._refit(state)
        return min(changed, len(state.counts))

    def stream(self, state: State, stretch: Stretch, out: Played) -> None:
        """Every expert plays the stretch by itself, then the stack plays over what they said.

        Where what they hear depends on what the pool says, all play in one loop.
        """
        if stretch.bits or self.rate < 1:
            self._stream_along(state, stretch, out)
            return
        labels, lo, T = state.counts.sum() + np.cumsum(stretch.answered), 0, len(stretch.node)
        while True:
            due = self._refits_at(state)
            hi = min(int(np.searchsorted(labels, due)) + 1, T)
            columns: Any = [column[lo:hi] for column in out]
            self._play(state, part_of(stretch, lo, hi), Played(*columns))
            if hi and labels[hi - 1] >= due:
                out.updates[hi - 1] += self._refit(state)
            lo = hi
            if lo >= T:
                return

    def _stream_along(self, state: State, stretch: Stretch, out: Played) -> None:
        """In stretches that bring too few labels for the starter to learn anew before their end."""
        lo, T = 0, len(stretch.node)
        while True:
            hi = lo + int(min(max(self._refits_at(state) - state.counts.sum(), 1), T - lo))
            columns: Any = [column[lo:hi] for column in out]
            lo += self._play_along(state, part_of(stretch, lo, hi), Played(*columns))
            if lo and self._refits_at(state) <= state.counts.sum():
                out.updates[lo - 1] += self._refit(state)
            if lo >= T:
                return

    def grow(self, state: State, n_classes: int) -> State:
        """All members grow; refused if one cannot."""
        fixed = [each for each in self._members if not isinstance(each, Growing)]
        if fixed:
            raise UsageError(
                f"{self.name} cannot learn a new class: {names(fixed)} cannot; name all classes at "
                "the start"
            )
        state.place.drop()
        more = n_classes - len(state.counts)
        return state._replace(
            counts=np.pad(state.counts, (0, more)),
            plays=np.pad(state.plays, (0, more)),
            members=tuple(
                own if standing == NEVER else each.grow(own, n_classes)
                for each, own, standing in zip(
                    self._members, state.members, state.standing, strict=True
                )
            ),
        )

    def regret(self, state: State) -> tuple[float, float]:
        """By how much its log loss is above that of the best who plays, and the most it can be."""
        N = len(state.weights)
        least = 1.0 / N if not self.starter else (1.0 - self.trust) / (N - 1)
        playing = np.append(True, state.standing == PLAYS)
        best = state.losses[:N][playing].min()
        return float(state.losses[N] - best), -math.log(least)

    def tells(self, state: State) -> tuple[str, ...]:
        """Who was left out."""
        return tuple(
            f"{each.name} was left out: {state.place.reasons.get(e) or WHY[int(standing)]}"
            for e, (each, standing) in enumerate(zip(self._members, state.standing, strict=True))
            if standing in WHY
        )

    def check_state(self, state: State, nodes: int) -> None:
        """Shares of 1, labels that are classes, an inverse, and what the members check."""
        check(state, self.prior)
        for e, (each, own) in enumerate(zip(self._members, state.members, strict=True)):
            refused = e in state.place.never
            if refused != (state.standing[e] == NEVER):
                raise ValueError("a member plays on a graph that it refuses, or does not")
            if not refused and isinstance(each, ChecksState):
                each.check_state(own, nodes)

    def _said(self, state: State, instance: Instance) -> Said:
        """What is made of the members as they are now."""
        known: Said | None = state.place.recall(state.weights, instance)
        if known is not None:
            return known
        K = len(state.counts)
        heard = tuple(
            ask(each, own, instance, K) if state.standing[e] == PLAYS else _silent(state, e)
            for e, (each, own) in enumerate(zip(self._members, state.members, strict=True))
        )
        weights, scores = state.weights.copy(), np.zeros((len(heard), K))
        for e, each in enumerate(heard):
            if each.prediction is not None:
                scores[e] = each.prediction.scores
            elif weights[1 + e]:
                leave(weights, 1 + e)
        self._check_left(heard, instance.t)
        Q, phi = np.empty_like(scores), np.empty((len(self._experts), K))
        is_open = seen(state)
        if not is_open.any():
            is_open[:] = True
        floored(scores, is_open, self.floor, Q)
        p, mixture, c = (
            np.empty(K),
            np.empty(K),
            bucket(state.label, *state.place.edges, instance.node),
        )
        mix(state.theta, weights, Q, is_open, c, phi, p, mixture)
        said = Said(heard, Q, phi, p, mixture, c)
        state.place.keep(state.weights, instance, said)
        return said

    def _check_left(self, heard: tuple[Heard, ...], t: int) -> None:
        """Refuse to play on without an expert."""
        if all(each.prediction is None for each in heard[: len(self._experts)]):
            why = next((x.reason for x in heard if x.reason), "") or WHY.get(heard[0].standing, "")
            raise GrapholError(
                f"{self.name}: no expert is left in round {t}, of {names(self._experts)}: {why}"
            )

    def _leave(self, state: State, e: int, standing: int, reason: str) -> None:
        """Member e plays no more."""
        if state.standing[e] == PLAYS:
            state.standing[e] = standing
            state.place.reasons[e] = reason
            leave(state.weights, 1 + e)

    def _refits_at(self, state: State) -> float:
        """The number of labels at which the starter learns anew."""
        if not self.starter or state.standing[-1] != PLAYS:
            return math.inf
        labels = int(state.fitted[0])
        return max(math.ceil(OFTEN * labels), labels + 1)

    def _refit(self, state: State) -> int:
        """The starter learns all labels, unless nobody listens to it any more."""
        if state.standing[-1] != PLAYS:
            return 0
        state.place.drop()
        e, starter = len(self._experts), self._members[-1]
        if state.weights[-1] < NO_SAY:
            self._leave(state, e, ASIDE, "")
            return 1
        nodes = np.flatnonzero(state.label >= 0)
        assert isinstance(starter, Fits)
        state.fitted[0] = state.counts.sum()
        try:
            return starter.fit(state.members[e], Given(nodes, state.label[nodes]))
        except Exception as failure:
            self._leave(state, e, FAILED, in_one_line(failure))
            return 0

    def _play(self, state: State, stretch: Stretch, out: Played) -> None:
        """A stretch in which the starter learns nothing."""
        from graphol.compiled import stack

        T, K, M = len(stretch.node), len(state.counts), len(state.members)
        state.place.drop()
        scores, gone = np.zeros((T, M, K)), np.full(M, T)
        out.updates[:], out.query[:], out.known[:] = 0, True, False
        left: list[tuple[int, int, str]] = []
        for e, (each, own) in enumerate(zip(self._members, state.members, strict=True)):
            if state.standing[e] != PLAYS:
                continue
            if e == len(self._experts):  # the starter
                quiet = stretch._replace(answered=np.zeros(T, dtype=bool))
                alone = play_alone(each, own, quiet, K)
            else:
                alone = play_alone(each, own, stretch, K)
            scores[:, e], gone[e] = alone.scores, alone.gone
            out.updates[:] += alone.updates
            out.known[: alone.gone] |= alone.known[: alone.gone]
            if alone.standing != PLAYS:  # also after the last round, which is no longer its own
                left.append((e, alone.standing, alone.reason))
        E = len(self._experts)
        mine = state.standing[:E] == PLAYS
        if T and not (mine & (gone[:E] == T)).any():
            silent = {e: Heard(None, standing, reason) for e, standing, reason in left}
            self._check_left(
                tuple(silent[e] if e in silent else _silent(state, e) for e in range(E)),
                stretch.first + int(gone[:E][mine].max(initial=0)),
            )
        play(
            self.name, stack.play, _rules(), stretch,
            state.theta, state.B, state.weights, state.losses, state.label, state.counts,
            state.plays, state.place.edges, scores, gone, stretch, self.floor, out,
        )  # fmt: skip
        for e, standing, reason in left:
            self._leave(state, e, standing, reason)

    def _play_along(self, state: State, stretch: Stretch, out: Played) -> int:
        """A stretch in which the starter learns nothing; how many of its rounds were played."""
        from graphol.compiled import along

        T, K, E = len(stretch.node), len(state.counts), len(self._experts)
        state.place.drop()
        who = np.flatnonzero(state.standing[:E] == PLAYS)
        links = chain([self._experts[e] for e in who], [state.members[e] for e in who], stretch)
        lead, known = np.zeros((0, K)), np.zeros(0, dtype=bool)
        if self.starter and state.standing[E] == PLAYS:
            quiet = stretch._replace(answered=np.zeros(T, dtype=bool))
            alone = play_alone(self._members[E], state.members[E], quiet, K)
            lead, known = alone.scores, alone.known
            lead[alone.gone :] = np.nan
        played, models = play(
            self.name, along.play, _rules() | links.rules, stretch,
            state.theta, state.B, state.weights, state.losses, state.label, state.counts,
            state.plays, state.place.edges, links.own, who, links.ears, lead, known,
            stretch, self.floor, self.bonus, self.rate, self.voi, out,
        )  # fmt: skip
        broken = who[models < 0]
        for e in broken:
            self._leave(state, e, FAILED, "")
        if played == T or len(broken):
            return int(played)
        self._play_plain(state, stretch, played, out)  # someone has no numbers
        return int(played) + 1

    def _play_plain(self, state: State, stretch: Stretch, t: int, out: Played) -> None:
        """One round of the stretch, as the plain loop plays it."""
        instance = instance_of(stretch, t)
        prediction = self.predict(state, instance)
        said = int(prediction.label)
        out.predicted[t], out.known[t], out.query[t] = said, prediction.known, prediction.query
        if len(out.scores):
            out.scores[t] = prediction.scores
        if not (prediction.query and stretch.answered[t]):
            return
        flipped = bool(len(stretch.flipped) and stretch.flipped[t])
        reveal = Reveal(label=int(stretch.told[t]))
        if stretch.bits:
            reveal = Reveal(correct=(said == stretch.told[t]) != flipped)
        out.updates[t] = self.update(state, instance, prediction, reveal)


def _rules() -> dict[str, Rule]:
    """Those of the stack, compiled once for whatever experts there are."""
    from graphol.compiled import compiled

    rules = (bucket, floored, mix, choose, wanted, learn, leave)
    return {rule.__name__: compiled(rule, "stack") for rule in rules}


def _silent(state: State, e: int) -> Heard:
    """Member e plays no more."""
    return Heard(None, int(state.standing[e]), state.place.reasons.get(e, ""))


@functools.cache
def _made(name: str) -> Any:
    return registry().make("learner", name)
