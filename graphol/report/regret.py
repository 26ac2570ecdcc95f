"""Regret against the best fixed model in hindsight, and the bound on the mistakes."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from graphol.api import StatedBound, Task, Vector
from graphol.bases.signal import SignalLearner
from graphol.bounds.hindsight import (
    Hindsight,
    best,
    best_labeling,
    hinge_loss,
    models,
    squared_loss,
)
from graphol.bounds.switching import Measures, measures, theorem1
from graphol.errors import UsageError
from graphol.interval import deviation
from graphol.registry import registry
from graphol.report.bounds import BoundCheck, check_bound, finished, says, stated, within
from graphol.report.losses import loss_regret
from graphol.simulation import Simulation
from graphol.tasks import SequenceTask, SignalTask, SwitchTask


@attrs.frozen(eq=False)
class Regret:
    """One repeat, looked at afterwards; rounds that do not count are left out everywhere."""

    mistakes: int
    hindsight: Hindsight
    """The best fixed linear model that was found, fitted to the rounds that count; in a switching
    game the best of its labelings."""
    squared: float
    """The least squared loss of a fixed linear model to targets of plus and minus one, else NaN."""
    hinge: float
    """The least hinge loss of a fixed linear model that was found, else NaN."""
    curve: Vector
    """The learner's mistakes so far less those of the model in hindsight, over counted rounds."""
    bound: BoundCheck
    stated: tuple[StatedBound, ...] = ()
    """What theorems say about this game beside the bound."""
    measures: Measures | None = None
    """Of a switching game: what was hidden, as bounds measure it."""

    @property
    def regret(self) -> int:
        """Mistakes beyond those of the best fixed model found; may be negative."""
        return self.mistakes - self.hindsight.mistakes

    @property
    def says(self) -> str:
        """That the bound says nothing, where it is above the number of rounds; else ''."""
        return says(self.bound.value, len(self.curve))

    def measured(self) -> dict[str, Any]:
        """The measures as plain data, with the theorem for who is told them, and the bound."""
        if self.measures is None:
            return {}
        found = self.measures
        both = None if found.theta is None else theorem1(found, found.K, found.theta)
        return found._asdict() | {
            "cuts": list(found.cuts),
            "theorem1": None if both is None else both.value,
            "theorem1_printed": None if both is None else both.printed,
            "bound": self.bound.value if self.bound.name else None,
            "bound_says": self.says,
        }


@attrs.frozen(eq=False)
class Regrets:
    """All repeats."""

    repeats: tuple[Regret, ...]
    numbers: tuple[int, ...]
    """The number of each repeat."""

    @property
    def holds(self) -> bool | None:
        """Does the bound hold: in every repeat, or in the mean if it is one on the mean?"""
        first = self.repeats[0].bound
        if first.mean_only:
            return self.mistakes_mean <= self.bound_mean
        verdicts = [each.bound.holds for each in self.repeats]
        return None if None in verdicts else all(verdicts)

    @property
    def violations(self) -> list[str]:
        """What is wrong in which repeat: each is a bug in the learner, the trace or the bound."""
        pairs = list(zip(self.numbers, self.repeats, strict=True))
        return [
            f"repeat {repeat}: {each.bound.why}"
            for repeat, each in pairs
            if each.bound.holds is False
        ] + [
            f"repeat {repeat}: {b.what} of {b.measured:.1f}, but {b.name} of {b.value:.1f}"
            for repeat, each in pairs
            for b in each.stated
            if b.proved and not within(b.measured, b.value)
        ]

    def stated(self) -> list[dict[str, Any]]:
        """The further bounds, each with its means over the repeats."""
        return [
            {
                "name": same[0].name,
                "what": same[0].what,
                "measured_mean": float(np.mean([b.measured for b in same])),
                "bound_mean": float(np.mean([b.value for b in same])),
                "holds": all(within(b.measured, b.value) for b in same),
                "proved": same[0].proved,
            }
            for same in zip(*(each.stated for each in self.repeats), strict=True)
        ]

    @property
    def bound_mean(self) -> float:
        """The bound's mean over the repeats; NaN if there is none."""
        return float(np.mean([each.bound.value for each in self.repeats]))

    @property
    def mistakes_mean(self) -> float:
        """The learner's mistakes, their mean over the repeats."""
        return float(np.mean([each.mistakes for each in self.repeats]))

    @property
    def measured(self) -> tuple[dict[str, Any], ...]:
        """What was hidden in each repeat of a switching game; empty for other games."""
        return tuple(each.measured() for each in self.repeats if each.measures is not None)

    @property
    def hindsight(self) -> str:
        """What the learner is held against."""
        return "labeling" if self.repeats[0].hindsight.fit == "labeling" else "linear"

    def row(self) -> dict[str, Any]:
        """Columns beside those of :meth:`graphol.Simulation.row`."""
        regrets = [each.regret for each in self.repeats]
        first = self.repeats[0].bound
        why = next((each.bound.why for each in self.repeats if each.bound.why), "")
        return {
            "mistakes_mean": self.mistakes_mean,
            "hindsight_mistakes_mean": float(
                np.mean([each.hindsight.mistakes for each in self.repeats])
            ),
            "hindsight_squared_loss_mean": float(np.mean([e.squared for e in self.repeats])),
            "hindsight_hinge_loss_mean": float(np.mean([e.hinge for e in self.repeats])),
            "regret_mean": float(np.mean(regrets)),
            "regret_std": deviation(regrets),
            "bound": first.name or None,
            "bound_mean": self.bound_mean,
            "bound_holds": self.holds,
            "bound_note": why,
            "bound_of_mean": bool(first.name) and first.mean_only,
            "stated_bounds": self.stated(),
            "hindsight": self.hindsight,
            "bound_says": says(self.bound_mean, len(self.repeats[0].curve)),
            **({"measures": list(self.measured)} if self.measured else {}),
        }


def check_task(task: Task, *, fresh: bool = False) -> None:
    """Refuse a task whose games have nothing in hindsight, or many of them that are ``fresh``."""
    if isinstance(task, SwitchTask):
        return
    if fresh:
        raise UsageError("--regret looks back on one task; leave --one-vs-rest or --fresh-data out")
    if task.target == "real":
        raise UsageError(f"regret is counted in mistakes, but {task.name} asks for real numbers")
    if isinstance(task, SequenceTask) and task.features is not None and task.features.rows is None:
        raise UsageError(
            f"regret needs the labelings that take turns, which {task.name} does not tell, or a "
            "vector per node; try --embedding spectral, or a switching data set"
        )
    if task.problem(np.random.default_rng(0)).dim == 0:
        raise UsageError(
            f"regret against a linear model needs a vector per node; {task.name} has none here, "
            "try --embedding spectral"
        )


def regret(simulation: Simulation) -> Regrets:
    """Regret and bound of every repeat of a finished simulation.

    The loss is the number of mistakes, the learner's own against the fixed model's. The fixed model
    is the better of two that a convex problem gives, least squares to plus and minus one and the
    least multi-class hinge loss: the linear model with the fewest mistakes of all is NP-hard
    to find, so the regret against that one may be larger.

    >>> from graphol import simulate
    >>> found = regret(simulate("oslg", "sbm:nodes=150,classes=3", repeats=2))
    >>> found.holds
    True

    In a switching game the fixed model is the best of the labelings that take turns.

    Learners over signals also have a regret in their own loss, see
    :func:`graphol.report.losses.loss_regret`.
    """
    first = simulation.task_of(0)
    if first is None:
        raise UsageError(
            "regret needs the simulation's task, which is not saved; `graphol report --regret` "
            "makes it again"
        )
    check_task(first, fresh=simulation.task is None)
    learner = registry().restore("learner", simulation.recipe["learner"])
    n_classes = first.problem(np.random.default_rng(0)).n_classes
    signals = isinstance(first, SignalTask) and isinstance(learner, SignalLearner)
    in_loss = [each.stated() for each in loss_regret(simulation)] if signals else []
    found: list[Regret] = []
    known: tuple[bytes, dict[str, Any]] = (b"", {})
    for i, trace in enumerate(simulation.traces):
        task, stream = simulation.task_of(i), simulation.stream(i)
        counts, y = trace.scored, np.asarray(trace.label, dtype=np.int64)
        X, candidates = np.zeros((len(y), 0)), {}
        if stream.rows is not None:
            rows, X = np.sort(stream.row[counts]), stream.rows[stream.row]
            if known[0] != rows.tobytes() or simulation.task is None:
                # a whole stream has the same rows in every repeat
                order = np.argsort(stream.row[counts], kind="stable")
                known = rows.tobytes(), models(X[counts][order], y[counts][order], n_classes)
            candidates = known[1]
        scores = [X[counts] @ W.T for W in candidates.values()]
        hindsight = (
            best_labeling(task.labelings, stream.node[counts], y[counts])
            if isinstance(task, SwitchTask)
            else best(candidates, X[counts], y[counts])
        )
        game = finished(trace, X, n_classes, candidates.values(), task, stream)
        found.append(
            Regret(
                mistakes=trace.n_mistakes,
                hindsight=hindsight,
                squared=min((squared_loss(each, y[counts]) for each in scores), default=np.nan),
                hinge=min((hinge_loss(each, y[counts]) for each in scores), default=np.nan),
                curve=np.cumsum(trace.loss[counts]) - np.cumsum(hindsight.wrong),
                bound=check_bound(learner, trace, game),
                stated=stated(learner, trace, game) + (in_loss[i] if signals else ()),
                measures=measures(task, stream) if isinstance(task, SwitchTask) else None,
            )
        )
    return Regrets(tuple(found), simulation.repeats)
