"""Regret against the best fixed linear model in hindsight, and the bound on the mistakes."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from graphol.api import StatedBound, Task, Vector
from graphol.bases.signal import SignalLearner
from graphol.bounds.hindsight import Hindsight, best, hinge_loss, models, squared_loss
from graphol.errors import UsageError
from graphol.interval import deviation
from graphol.registry import registry
from graphol.report.bounds import BoundCheck, check_bound, finished, stated, within
from graphol.report.losses import loss_regret
from graphol.simulation import Simulation
from graphol.tasks import SignalTask


@attrs.frozen(eq=False)
class Regret:
    """One repeat, looked at afterwards; rounds that do not count are left out everywhere."""

    mistakes: int
    hindsight: Hindsight
    """The best fixed linear model that was found, fitted to the rounds that count."""
    squared: float
    """The least squared loss of a fixed linear model to targets of plus and minus one."""
    hinge: float
    """The least hinge loss of a fixed linear model that was found."""
    curve: Vector
    """The learner's mistakes so far less those of the model in hindsight, over counted rounds."""
    bound: BoundCheck
    stated: tuple[StatedBound, ...] = ()
    """What theorems say about this game beside the bound."""

    @property
    def regret(self) -> int:
        """Mistakes beyond those of the best fixed linear model found; may be negative."""
        return self.mistakes - self.hindsight.mistakes


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
        }


def check_task(task: Task) -> None:
    """Refuse a task whose games have no linear model in hindsight."""
    if task.target == "real":
        raise UsageError(f"regret is counted in mistakes, but {task.name} asks for real numbers")
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

    Learners over signals also have a regret in their own loss, see
    :func:`graphol.report.losses.loss_regret`.
    """
    if simulation.task is None:
        raise UsageError(
            "regret needs the simulation's task, which is not saved; `graphol report --regret` "
            "makes it again"
        )
    check_task(simulation.task)
    learner = registry().restore("learner", simulation.recipe["learner"])
    n_classes = simulation.task.problem(np.random.default_rng(0)).n_classes
    signals = isinstance(simulation.task, SignalTask) and isinstance(learner, SignalLearner)
    in_loss = [each.stated() for each in loss_regret(simulation)] if signals else []
    found: list[Regret] = []
    known: tuple[bytes, dict[str, Any]] = (b"", {})
    for i, trace in enumerate(simulation.traces):
        stream = simulation.stream(i)
        assert stream.rows is not None
        counts, y = trace.scored, np.asarray(trace.label, dtype=np.int64)
        rows = np.sort(stream.row[counts])
        X = stream.rows[stream.row]
        if known[0] != rows.tobytes():  # a whole stream has the same rows in every repeat
            order = np.argsort(stream.row[counts], kind="stable")
            known = rows.tobytes(), models(X[counts][order], y[counts][order], n_classes)
        candidates = known[1]
        scores = [X[counts] @ W.T for W in candidates.values()]
        hindsight = best(candidates, X[counts], y[counts])
        game = finished(trace, X, n_classes, candidates.values())
        found.append(
            Regret(
                mistakes=trace.n_mistakes,
                hindsight=hindsight,
                squared=min(squared_loss(each, y[counts]) for each in scores),
                hinge=min(hinge_loss(each, y[counts]) for each in scores),
                curve=np.cumsum(trace.loss[counts]) - np.cumsum(hindsight.wrong),
                bound=check_bound(learner, trace, game),
                stated=stated(learner, trace, game) + (in_loss[i] if signals else ()),
            )
        )
    return Regrets(tuple(found), simulation.repeats)
