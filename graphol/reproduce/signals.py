"""Tables and figures over signals: fresh samples in every trial, tuned on held-out ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Learner, Target, Task, Vector
from graphol.arena import NotDrawn
from graphol.errors import InputError, Overflow, UsageError
from graphol.interval import deviation
from graphol.params import describe
from graphol.plan import Plan
from graphol.projections.groups import grid_columns
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Entry, Experiment, Metric, Row, params
from graphol.reproduce.figure import Figure, checkpoints, up_to
from graphol.reproduce.published import Cell
from graphol.runner import simulate_at, simulate_by
from graphol.simulation import Simulation
from graphol.tasks import SignalTask
from graphol.tasks.scores import held_out_scores
from graphol.tuning import combinations

AVERAGE, PUBLISHED = "average", "published_rule"
"""Choices of a trial beside its own."""

Chosen = Mapping[str, Simulation]
"""What tuning chooses in one trial: by its own rule (""), and by further ones."""
Players = Mapping[str, Sequence[Learner]]
"""The candidates of every entry, by its label."""


def samples(desk: Desk, dataset: str, repeat: int) -> SignalTask:
    """The samples of one trial, to be played in the order in which they were drawn."""
    try:
        task: Task | None = desk.arena(dataset).drawn(repeat)
    except NotDrawn:
        task = None
    if not isinstance(task, SignalTask) or task.validation is None or task.test is None:
        raise UsageError(f"{dataset} has no signals with samples to validate and to test on")
    return task


def wrong(played: Simulation, which: str = "last") -> int:
    """Mistakes on the validation samples: of the last weights or of their average."""
    task = played.task
    assert isinstance(task, SignalTask) and task.validation is not None
    held = held_out_scores(played.weights[0][which], task.validation, task.target)
    return round(len(task.validation.truth) * (1.0 - held["accuracy"]))


def best(candidates: Sequence[Simulation]) -> dict[str, Simulation]:
    """The candidate that tuning chooses in one trial.

    Signs: fewest mistakes, online and on the samples to tune on together. The authors' program
    takes the best accuracy on the latter and counts online misses only where that is equal: the
    choice ``published_rule``. Accuracy and AUC of the average are those of the candidate whose
    average is best: the choice ``average``. Numbers: the largest F1 over the grid, as published.
    """
    if not candidates:
        raise Overflow("no candidate of the grid ended with finite weights; rescale the signals")
    task, scores = candidates[0].task, [played.scores[0] for played in candidates]
    which = range(len(candidates))
    assert task is not None
    if task.target != "signs":
        return {"": candidates[max(which, key=lambda i: (scores[i]["f1"], -scores[i]["mse"]))]}
    last = [wrong(played) for played in candidates]
    average = [wrong(played, AVERAGE) for played in candidates]
    return {
        "": candidates[min(which, key=lambda i: last[i] + scores[i]["misses"])],
        AVERAGE: candidates[min(which, key=lambda i: average[i] + scores[i]["misses_average"])],
        PUBLISHED: candidates[min(which, key=lambda i: (last[i], scores[i]["misses"]))],
    }


def fitted(learner: Any, task: SignalTask) -> Learner:
    """The learner; where the graph is no grid, its blocks are pieces of as many nodes."""
    rows, _, cols = describe(learner).get("blocks", "").partition("x")
    if cols and not grid_columns(task.graph):
        learner = attrs.evolve(learner, blocks=str(int(rows) * int(cols)))
    fits: Learner = learner
    return fits


def trial(desk: Desk, dataset: str, repeat: int, players: Players) -> dict[str, Chosen]:
    """Let every candidate play the samples of one repeat and keep each entry's best."""
    return {
        label: best(
            simulate_by(
                _one(desk, repeat), candidates, desk.arena(dataset), watcher=desk.watcher,
                patient=True,
            )
        )
        for label, candidates in _fitting(desk, dataset, repeat, players)
    }  # fmt: skip


def trial_at(
    desk: Desk, dataset: str, repeat: int, players: Players, stops: Sequence[int]
) -> dict[str, dict[int, Chosen]]:
    """The same after so many samples each, in one game of the most of them."""
    found: dict[str, dict[int, Chosen]] = {}
    for label, candidates in _fitting(desk, dataset, repeat, players):
        played = simulate_at(
            _one(desk, repeat), candidates, desk.arena(dataset), stops, watcher=desk.watcher
        )
        found[label] = {stop: best(each) for stop, each in played.items()}
    return found


def _one(desk: Desk, repeat: int) -> Plan:
    return attrs.evolve(desk.plan, repeats=range(repeat, repeat + 1))


def _fitting(
    desk: Desk, dataset: str, repeat: int, players: Players
) -> Iterator[tuple[str, list[Learner]]]:
    """The candidates that can play this repeat, entry by entry."""
    task = samples(desk, dataset, repeat)
    n = task.graph.n
    for label, learners in players.items():
        fit = [each for each in learners if (describe(each).get("s") or 1) <= n]
        if not fit:  # a grid may be for a larger graph
            raise UsageError(f"{label}: every size s of its grid is above the graph's {n} nodes")
        yield label, [fitted(each, task) for each in fit]


@attrs.frozen
class SignalExperiment(Experiment):
    """Trials over signals instead of shuffles of nodes."""

    target: Target | None = "signs"
    """What has to be predicted for the metrics to be defined; None if that does not matter."""
    fresh_data: ClassVar[bool] = True
    by_repeat: ClassVar[bool] = True

    def missing(self, desk: Desk, dataset: str) -> str:
        """Why the paper's own data is not there, or ''; data that does not fit is refused."""
        try:
            self.check(dataset, samples(desk, dataset, desk.plan.repeats[0]))
        except InputError as reason:
            if dataset not in self.datasets:
                raise
            return str(reason)
        return ""

    def check(self, dataset: str, task: SignalTask) -> None:
        """Refuse data on which the metrics are not defined, before anything is played."""
        if self.target not in (None, task.target):
            wanted = "signs" if self.target == "signs" else "numbers"
            raise UsageError(f"{self.name} predicts {wanted}, which {dataset} does not ask for")
        names = {metric.name for entry in self.entries for metric in entry.metrics}
        if task.support is None and names & {"precision", "recall", "f1"}:
            raise UsageError(f"{self.name} scores supports, but that of {dataset} is not known")

    def repeats(self, desk: Desk, dataset: str) -> Iterator[int]:
        """The numbers of the trials, each said to whoever watches."""
        for number, repeat in enumerate(desk.plan.repeats, start=1):
            desk.watcher.stage(f"{dataset}, trial {number} of {len(desk.plan.repeats)}")
            yield repeat

    def trials(self, desk: Desk, dataset: str, players: Players) -> dict[str, list[Chosen]]:
        """Every entry's choices, trial by trial."""
        played = [trial(desk, dataset, r, players) for r in self.repeats(desk, dataset)]
        return {label: [each[label] for each in played] for label in players}

    def candidates(self, desk: Desk, entry: Entry, dataset: str, **fixed: Any) -> list[Learner]:
        """The entry's grid, thinned out for a quick run."""
        grid = {key: desk.thin(values) for key, values in entry.grid.items() if key not in fixed}
        return [entry.player(dataset, **fixed, **each) for each in combinations(grid)]

    def players(self, desk: Desk, dataset: str, **fixed: Any) -> Players:
        """All entries' grids; what is fixed is fixed where an entry has it in its grid."""
        return {
            entry.label: self.candidates(
                desk, entry, dataset, **{k: v for k, v in fixed.items() if k in entry.grid}
            )
            for entry in self.entries
        }

    def report(
        self, dataset: str, entry: Entry, metric: Metric, trials: Sequence[Chosen], **more: Any
    ) -> Row:
        """One row; its parameters are those chosen most often, its command plays one trial."""
        played = [chosen[metric.choice] for chosen in trials]
        values = np.concatenate([metric.of(one) for one in played])
        recipes = [one.recipe for one in played]
        usual, _ = Counter(str(params(recipe)) for recipe in recipes).most_common(1)[0]
        typical = next(one for one in played if str(params(one.recipe)) == usual)
        each = tuple(
            {"repeat": int(one.traces[0].meta["repeat"]), "measured": float(value),
             "params": params(one.recipe)}
            for one, value in zip(played, values, strict=True)
        )  # fmt: skip
        more = {"command": recipes[0]["command"], "trials": each} | more
        return self.cell(dataset, entry, metric, typical, values, **more)

    def joined(self, rows: Sequence[Row]) -> Row:
        """What :meth:`report` says of all trials, from what it said of some."""
        first, trials = rows[0], [trial for row in rows for trial in row.trials]
        if not trials:  # the data is not there
            return first
        usual, _ = Counter(str(trial["params"]) for trial in trials).most_common(1)[0]
        (metric,) = (
            metric
            for entry in self.entries
            if entry.label == first.learner
            for metric in entry.metrics
            if metric.name == first.metric
        )
        values = np.array([trial["measured"] for trial in trials])
        mean = float(np.mean(values))
        paper = None if first.paper is None else Cell(first.paper, first.paper_std)
        return attrs.evolve(
            first, measured=mean, std=deviation(values), trials=tuple(trials), repeats=len(values),
            verdict=self.verdict(first.dataset, metric, mean, paper),
            params=next(trial["params"] for trial in trials if str(trial["params"]) == usual),
        )  # fmt: skip

    def reports(
        self, dataset: str, trials: Mapping[str, Sequence[Chosen]], **more: Any
    ) -> Iterator[Row]:
        """One row per entry and metric."""
        for entry in self.entries:
            for metric in entry.metrics:
                yield self.report(dataset, entry, metric, trials[entry.label], **more)


def score(name: str) -> Callable[[Simulation], Vector]:
    """The score of every repeat."""
    return lambda played: np.array([scores[name] for scores in played.scores])


@attrs.frozen
class TrialTable(SignalExperiment):
    """Every entry tuned and scored, beside what the paper printed as far as it is known here."""

    published: Mapping[str, Mapping[str, Cell]] = {}
    """Metric, then entry's label."""

    def paper(self, dataset: str, entry: Entry, metric: Metric) -> Cell | None:
        """The published figure, where it is known; only for the paper's own data."""
        if dataset not in self.datasets:
            return None
        return self.published.get(metric.name, {}).get(entry.label)

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One row per entry and metric."""
        yield from self.reports(dataset, self.trials(desk, dataset, self.players(desk, dataset)))


@attrs.frozen
class SignalFigure(SignalExperiment, Figure):
    """A figure over signals."""


@attrs.frozen
class MissesOverRounds(SignalFigure):
    """Online misses up to a round against the round."""

    axis: ClassVar[str] = "round"
    log: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per entry and checkpoint."""
        trials = self.trials(desk, dataset, self.players(desk, dataset))
        for entry in self.entries:
            first = trials[entry.label][0][""]
            for at in checkpoints(len(first.traces[0])):
                metric = attrs.evolve(entry.metrics[0], of=misses_up_to(at))
                yield self.report(
                    dataset, entry, metric, trials[entry.label], x=self.axis, at=at,
                    command=up_to(first, at),
                )  # fmt: skip


def misses_up_to(rounds: int) -> Callable[[Simulation], Vector]:
    """Misses in the first rounds."""
    return lambda played: played.each(lambda trace: float(trace.loss[:rounds].sum()))


@attrs.frozen
class AgainstSize(SignalFigure):
    """Metrics against the size s that the learners are told."""

    values: Mapping[str, Sequence[int]] = {}
    """By data set; on another the sizes of the first."""
    axis: ClassVar[str] = "s"
    log: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per size, entry and metric."""
        values = self.values.get(dataset, next(iter(self.values.values())))
        n = samples(desk, dataset, desk.plan.repeats[0]).graph.n
        for s in desk.thin([s for s in values if s <= n]):
            trials = self.trials(desk, dataset, self.players(desk, dataset, s=s))
            yield from self.reports(dataset, trials, x=self.axis, at=s)


@attrs.frozen
class AgainstData(SignalFigure):
    """Metrics against a parameter of the data."""

    values: tuple[float, ...] = ()
    quick_values: tuple[float, ...] = ()
    """Of a quick run; where there are none, every second of all."""
    parameter: str = "mu"
    axis: ClassVar[str] = ""
    log: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per value, entry and metric."""
        joint = "," if ":" in dataset else ":"
        if f"{self.parameter}=" in dataset:
            raise UsageError(f"{self.name} sets {self.parameter} itself; leave it out of {dataset}")
        quick = self.quick_values if desk.quick else ()
        for value in quick or desk.thin(self.values):
            played = f"{dataset}{joint}{self.parameter}={value:g}"
            trials = self.trials(desk, played, self.players(desk, dataset))
            yield from self.reports(dataset, trials, x=self.parameter, at=value)


@attrs.frozen
class AgainstSeen(SignalFigure):
    """Metrics against the number of samples seen: the first of those that a trial plays."""

    values: tuple[int, ...] = ()
    axis: ClassVar[str] = "round"
    log: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per number of samples, entry and metric; tuned anew at every number."""
        most = len(samples(desk, dataset, desk.plan.repeats[0]).truth)
        stops = desk.thin([value for value in self.values if value <= most] or [most])
        players = self.players(desk, dataset)
        played = [trial_at(desk, dataset, r, players, stops) for r in self.repeats(desk, dataset)]
        for stop in stops:
            trials = {label: [each[label][stop] for each in played] for label in players}
            yield from self.reports(dataset, trials, x=self.axis, at=stop)
