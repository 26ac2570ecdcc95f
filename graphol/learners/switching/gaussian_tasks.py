"""Many tasks that share a few labelings, each a Gaussian process."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import (
    Appendable,
    Instance,
    Integers,
    Needs,
    Prediction,
    Problem,
    Reveal,
    Target,
    Vector,
)
from graphol.bases.gaussian import Labeling, Prior, check_noise, plus
from graphol.bases.memo import Memo
from graphol.bases.usual import UsualLearner
from graphol.params import param


class State(NamedTuple):
    """The labelings, the tasks with what speaks for each labeling, and all labels so far."""

    labelings: tuple[Labeling, ...]  # K
    tasks: Appendable  # (E,) contexts met
    of: Appendable  # (E,) the labeling that learns a task's labels
    evidence: Appendable  # (E, K) ln of how likely a task's labels are
    node: Appendable  # (N,)
    label: Appendable  # (N,)
    task: Appendable  # (N,) which of the tasks
    changes: Integers  # (1,)
    prior: Prior
    memo: Memo


@attrs.frozen
class GaussianTasks(UsualLearner):
    r"""Tasks sorted into a few labelings, each a Gaussian process; a task that errs is sorted anew.

    A context is a task, and every task has one of up to K labelings for good. With the likelihood
    :math:`\ell_{ak}` of task a's labels so far under labeling k, and :math:`n_k` tasks in it, the
    task belongs to k with probability proportional to :math:`n_k \ell_{ak}`; one labeling that
    knows nothing yet has :math:`n_k = \alpha`, as in a Chinese restaurant. The prediction is the
    mixture's, with the probabilities of :class:`GaussianBank`.

    A task's labels are learnt by one labeling. In its first rounds, and whenever the prediction for
    it was wrong and its labels do not clearly speak for the labeling it is in, the task is looked
    at anew: its labels are taken out, their likelihoods found without them, and they all go to the
    labeling that is likeliest now. Nothing that was learnt from a task before it was known where it
    belongs stays in the wrong place. Where contexts are rounds, every round is a task of its own:
    ``gaussian-bank`` is made for that.

    With m labelled nodes in a labeling a round costs O(m²) for each in use, and a second look O(m²)
    for each label of the task. The state grows by m²/2 numbers a labeling and three a label.

    Parameters
    ----------
    K
        The most labelings, >= 1.
    fresh
        :math:`\alpha`, how many tasks a new labeling counts for beforehand, > 0.
    first
        How many of a task's labels are all looked at anew, >= 0.
    sure
        The ln of the odds for its labeling, >= 0, above which an error is no reason to look at a
        task anew.
    scale
        Prior variance of a label, > 0, where it is largest; large scales fit every label.
    noise
        Variance of the noise on a label, > 0 and at least ``scale`` / 10 000.
    doubt
        How likely any label is at least, >= 1e-9 and below 1/2.

    Examples
    --------
    >>> import graphol
    >>> games = {"dataset": "multitask-sbm:tasks=20,T=600", "repeats": 2}
    >>> each, all_ = (graphol.simulate(name, **games).error_rate_mean
    ...     for name in ("context-perceptron", "gaussian-tasks"))
    >>> all_ < each
    True

    References
    ----------
    Ours. The pieces: Rasmussen, Williams. Gaussian processes for machine learning. MIT Press, 2006;
    Neal. Markov chain sampling methods for Dirichlet process mixture models. JCGS, 2000.
    """

    name: ClassVar[str] = "gaussian-tasks"
    targets: ClassVar[tuple[Target, ...]] = ("signs",)
    needs: ClassVar[Needs] = "gram"
    K: int = param(8, least=1, most=1000)
    fresh: float = param(0.5, above=0)
    first: int = param(20, least=0)
    sure: float = param(20.0, least=0)
    scale: float = param(4.0, above=0, most=1e100)
    noise: float = param(0.05, above=0, most=1e100)
    doubt: float = param(0.02, least=1e-9, below=0.5)

    def __attrs_post_init__(self) -> None:
        check_noise(self.name, self.scale, self.noise)

    def start(self, problem: Problem) -> State:
        """No task met, nothing known about any labeling."""
        whole = [Appendable(np.zeros(0, dtype=np.int64)) for _ in range(5)]
        return State(
            labelings=tuple(Labeling.unknown() for _ in range(self.K)),
            tasks=whole[0], of=whole[1], evidence=Appendable(np.zeros((0, self.K))),
            node=whole[2], label=whole[3], task=whole[4], changes=np.zeros(1, dtype=np.int64),
            prior=Prior(problem, self.scale), memo=Memo(),
        )  # fmt: skip

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The sign that the mixture finds likelier; the score is its surplus over a half."""
        a = _number(state, instance.context)
        evidence = state.evidence.values[a] if a >= 0 else np.zeros(self.K)
        odds = self._log_odds(state, evidence)
        weights = np.exp(odds - odds.max())
        score = float(weights @ self._plus(state, instance) / weights.sum()) - 0.5
        return Prediction(1 if score >= 0 else -1, np.array([score]))

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The task's labeling, or two of them if it moves."""
        assert reveal.label is not None
        y, likely = int(reveal.label), self._plus(state, instance)
        state.memo.drop()
        a = _number(state, instance.context)
        if a < 0:
            a = len(state.tasks.values)
            state.tasks.append(instance.context)
            state.of.append(-1)
            state.evidence.append(np.zeros(self.K))
        state.evidence.values[a] += np.log(likely if y > 0 else 1 - likely)
        state.changes[0] += 1
        before = int(state.of.values[a])
        for column, entry in zip((state.node, state.label, state.task), (instance.node, y, a),
                                 strict=True):  # fmt: skip
            column.append(entry)
        theirs = np.flatnonzero(state.task.values == a)
        settled = before >= 0 and len(theirs) > self.first
        if settled and (prediction.label == y or self._speaks_for(state, a, before)):
            self._learn(state, before, theirs[-1:])
            return 1
        return self._sort(state, a, before, theirs)

    def _sort(self, state: State, a: int, before: int, theirs: Integers) -> int:
        """Where does the task belong, by all of its labels, seen without them?"""
        kept = None
        if before >= 0:
            kept = state.labelings[before].copied()
            for s in theirs[:-1]:
                self._unlearn(state, before, s)
            state.of.values[a] = -1
        evidence = np.zeros(self.K)
        nodes = state.node.values[theirs].tolist()
        found = {node: self._likely(state, node) for node in dict.fromkeys(nodes)}
        for node, s in zip(nodes, theirs, strict=True):
            likely = found[node]
            evidence += np.log(likely if state.label.values[s] > 0 else 1 - likely)
        state.evidence.values[a] = evidence
        k = int(np.argmax(self._log_odds(state, evidence)))
        if k == before and kept is not None:  # as if nothing had happened, to the last bit
            for mine, old in zip(state.labelings[k], kept, strict=True):
                mine.values[:] = old.values
            self._learn(state, k, theirs[-1:])
        else:
            self._learn(state, k, theirs)
        state.of.values[a] = k
        return 2 if k != before and before >= 0 else 1

    def _speaks_for(self, state: State, a: int, k: int) -> bool:
        """Do the task's labels clearly speak for labeling k?"""
        odds = self._log_odds(state, state.evidence.values[a])
        return bool(odds[k] - np.delete(odds, k).max(initial=-np.inf) > self.sure)

    def check_state(self, state: State, nodes: int) -> None:
        """Labelings of these nodes, and labels of tasks that are there."""
        for each in state.labelings:
            each.check(nodes, self.noise)
        E, of = len(state.tasks.values), state.of.values
        if len(of) != E or len(state.evidence.values) != E or ((of < 0) | (of >= self.K)).any():
            raise ValueError("the tasks do not all have a labeling")
        node, label, task = (part.values for part in (state.node, state.label, state.task))
        inside = (
            len(node) == len(label) == len(task)
            and (
                (node >= 0) & (node < nodes) & (np.abs(label) == 1) & (task >= 0) & (task < E)
            ).all()
        )
        if not inside or len(np.unique(state.tasks.values)) < E:
            raise ValueError("a label is not one of a node in a task")
        for k, known in enumerate(state.labelings):
            mine = of[task] == k
            counts = np.bincount(node[mine], minlength=nodes)
            totals = np.bincount(node[mine], weights=label[mine], minlength=nodes)
            at = known.nodes.values
            if (
                counts.sum() != known.seen.values.sum()
                or ((counts[at] != known.seen.values) | (totals[at] != known.total.values)).any()
            ):
                raise ValueError("a labeling has not learnt the labels of its tasks")

    def _log_odds(self, state: State, evidence: Vector) -> Vector:
        """ln of how likely a task has each labeling, by how many have it and by its own labels."""
        of = state.of.values
        n = np.bincount(of[of >= 0], minlength=self.K).astype(np.float64)
        empty = np.flatnonzero(n == 0)
        if len(empty):
            n[empty[0]] = self.fresh
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(n) + evidence)

    def _plus(self, state: State, instance: Instance) -> Vector:
        known: Vector | None = state.memo.recall(state.changes, instance)
        if known is not None:
            return known
        likely = self._likely(state, instance.node)
        state.memo.keep(state.changes, instance, likely)
        return likely

    def _likely(self, state: State, node: int) -> Vector:
        """How likely +1 is under each labeling."""
        return plus(state.prior, state.labelings, node, self.noise, self.doubt)

    def _learn(self, state: State, k: int, which: Integers) -> None:
        known = state.labelings[k]
        for s in which:
            node = int(state.node.values[s])
            entries = state.prior.entries(node, known.nodes.values)
            y = int(state.label.values[s])
            known.learn(node, y, entries, state.prior.own(node), self.noise)

    def _unlearn(self, state: State, k: int, s: int) -> None:
        node, y = int(state.node.values[s]), int(state.label.values[s])
        state.labelings[k].unlearn(node, y, self.noise)


def _number(state: State, context: int) -> int:
    known = np.flatnonzero(state.tasks.values == context)
    return int(known[0]) if len(known) else -1
