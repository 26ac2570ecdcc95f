"""Tables and figures over signals: fresh samples in every trial, tuned on held-out ones."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import Learner, Vector
from graphol.engine import play
from graphol.errors import InputError, UsageError
from graphol.registry import registry
from graphol.reproduce.desk import CHECKPOINTS, Desk, Setup
from graphol.reproduce.experiment import Entry, Experiment, Metric, Row
from graphol.reproduce.figure import Figure
from graphol.scores import held_out_scores
from graphol.tasks import SignalTask
from graphol.workers import one_blas_thread


class Outcome(NamedTuple):
    """What the learner chosen on the validation set did in one trial."""

    params: dict[str, Any]
    scores: dict[str, float]
    misses: list[float]
    """Up to each of the checkpoints."""
    checkpoints: list[int]


Players = Mapping[str, Sequence[Learner]]
"""The candidates of every entry, by its label."""


def trial(dataset: str, players: Players, seed: int, number: int) -> dict[str, Outcome]:
    """Draw samples, let every candidate play them, and keep each entry's best on validation."""
    rng = np.random.default_rng([seed, number + 1])
    task = registry().make("dataset", dataset).load(rng)
    if not isinstance(task, SignalTask) or task.validation is None or task.test is None:
        raise UsageError(f"{dataset} has no signals with samples to validate and to test on")
    with one_blas_thread():
        return {label: best(task, candidates, seed) for label, candidates in players.items()}


def best(task: SignalTask, candidates: Sequence[Learner], seed: int) -> Outcome:
    """Best validation accuracy, ties by fewer online misses; for numbers the best F1, as published.

    The figure on the squared loss reports the largest F1 over the grid.
    """
    found: list[tuple[tuple[float, float], Any, Any]] = []
    full = registry().make("feedback", "full")
    ordered = attrs.evolve(task, given_order=True)
    for learner in candidates:
        if (getattr(learner, "s", None) or 1) > task.graph.n:
            continue  # the grid is for a larger graph
        run = play(ordered, learner, full, np.random.default_rng(seed))
        if task.target == "signs":
            assert task.validation is not None
            held = held_out_scores(run.state.w, task.validation, task.target)
            key = (held["accuracy"], -run.scores["misses"])
        else:
            key = (run.scores["f1"], -run.scores["mse"])
        found.append((key, learner, run))
    _, learner, run = max(found, key=lambda each: each[0])
    rounds = len(run.trace)
    checkpoints = np.linspace(rounds / CHECKPOINTS, rounds, CHECKPOINTS).astype(int)
    misses = np.cumsum(run.trace.loss)[checkpoints - 1]
    params = {f.name: getattr(learner, f.name) for f in attrs.fields(type(learner))}
    plain = {key: value for key, value in params.items() if isinstance(value, int | float | str)}
    return Outcome(plain, dict(run.scores), misses.tolist(), checkpoints.tolist())


@attrs.frozen
class SignalExperiment(Experiment):
    """Trials over signals instead of shuffles of nodes."""

    def run(self, desk: Desk, datasets: Sequence[str] = ()) -> list[Row]:
        """All rows; data that is not there gives rows that say so, and a note."""
        found: list[Row] = []
        for dataset in datasets or self.datasets:
            made = registry().make("dataset", dataset)
            try:
                made.load(np.random.default_rng(0))
            except InputError as reason:
                desk.notes.append(str(reason))
                found += self.absent(dataset)
            else:
                found += self.rows(desk, dataset)
        return found

    def trials(self, desk: Desk, dataset: str, players: Players) -> dict[str, list[Outcome]]:
        """Every entry's outcomes, trial by trial."""
        desk.watcher.stage(f"{dataset}: {len(players)} learners, {desk.repeats} trials")
        one = partial(trial, dataset, players, desk.seed)
        numbers = range(desk.repeats)
        jobs = min(desk.jobs, desk.repeats)
        if jobs == 1:
            played = [one(number) for number in numbers]
        else:
            with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
                played = list(pool.map(one, numbers))
        return {label: [outcome[label] for outcome in played] for label in players}

    def candidates(self, desk: Desk, entry: Entry, dataset: str, **fixed: Any) -> list[Learner]:
        """The entry's grid, thinned out for a quick run."""
        grid = {key: desk.thin(values) for key, values in entry.grid.items() if key not in fixed}
        return [
            entry.player(dataset, **fixed, **dict(zip(grid, values, strict=True)))
            for values in itertools.product(*grid.values())
        ]

    def report(
        self, dataset: str, entry: Entry, metric: Metric, outcomes: Sequence[Outcome], **more: Any
    ) -> Row:
        """One row; its parameters are those chosen most often."""
        values = metric.of(outcomes)  # type: ignore[arg-type]
        chosen = Counter(tuple(outcome.params.items()) for outcome in outcomes).most_common(1)
        learner = entry.player(dataset, **dict(chosen[0][0]))
        return self.cell(dataset, entry, metric, Setup(learner, None), values, **more)  # type: ignore[arg-type]


def score(name: str) -> Callable[[Sequence[Outcome]], Vector]:
    """The score of every trial."""
    return lambda outcomes: np.array([outcome.scores[name] for outcome in outcomes])


@attrs.frozen
class SignalTable(SignalExperiment):
    """Every entry tuned and scored, beside what the paper printed as far as it is known here."""

    published: Mapping[str, Mapping[str, float]] = {}
    """Metric, then entry's label."""

    def paper(self, dataset: str, entry: Entry, metric: Metric) -> float | None:
        """The published figure, where it is known; only for the paper's own data."""
        if dataset not in self.datasets:
            return None
        return self.published.get(metric.name, {}).get(entry.label)

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One row per entry and metric."""
        players = {entry.label: self.candidates(desk, entry, dataset) for entry in self.entries}
        outcomes = self.trials(desk, dataset, players)
        for entry in self.entries:
            for metric in entry.metrics:
                yield self.report(dataset, entry, metric, outcomes[entry.label])


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
        players = {entry.label: self.candidates(desk, entry, dataset) for entry in self.entries}
        outcomes = self.trials(desk, dataset, players)
        for entry in self.entries:
            for i, at in enumerate(outcomes[entry.label][0].checkpoints):
                metric = attrs.evolve(entry.metrics[0], of=partial(_misses, i))
                yield self.report(dataset, entry, metric, outcomes[entry.label], x=self.axis, at=at)


def _misses(checkpoint: int, outcomes: Sequence[Outcome]) -> Vector:
    return np.array([outcome.misses[checkpoint] for outcome in outcomes])


@attrs.frozen
class AgainstSize(SignalFigure):
    """Metrics against the size s that the learners are told."""

    values: tuple[int, ...] = ()
    axis: ClassVar[str] = "s"
    log: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per size, entry and metric."""
        for s in desk.thin(self.values):
            players = {
                entry.label: self.candidates(
                    desk, entry, dataset, **({"s": s} if "s" in entry.grid else {})
                )
                for entry in self.entries
            }
            outcomes = self.trials(desk, dataset, players)
            for entry in self.entries:
                for metric in entry.metrics:
                    yield self.report(
                        dataset, entry, metric, outcomes[entry.label], x=self.axis, at=s
                    )


@attrs.frozen
class AgainstData(SignalFigure):
    """Metrics against a parameter of the data."""

    values: tuple[float, ...] = ()
    parameter: str = "mu"
    axis: ClassVar[str] = ""
    log: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per value, entry and metric."""
        players = {entry.label: self.candidates(desk, entry, dataset) for entry in self.entries}
        joint = "," if ":" in dataset else ":"
        for value in desk.thin(self.values):
            played = f"{dataset}{joint}{self.parameter}={value:g}"
            outcomes = self.trials(desk, played, players)
            for entry in self.entries:
                for metric in entry.metrics:
                    yield self.report(
                        dataset, entry, metric, outcomes[entry.label], x=self.parameter, at=value
                    )
