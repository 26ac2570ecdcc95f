"""Tables and figures over signals: fresh samples in every trial, tuned on held-out ones."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Learner, Target, Vector
from graphol.engine import play
from graphol.errors import InputError, Overflow, UsageError
from graphol.projections.groups import grid_columns
from graphol.registry import registry
from graphol.reproduce.desk import CHECKPOINTS, Desk, Setup
from graphol.reproduce.experiment import Entry, Experiment, Metric, Row
from graphol.reproduce.figure import Figure
from graphol.tasks import SignalTask
from graphol.tasks.scores import held_out_scores
from graphol.workers import one_blas_thread

AVERAGE = "_average"
"""Ending of a score of the average weights."""
TUNED_APART = ("accuracy", "auc", "auc_labels")
"""Scores of the average that come from the candidate with the best average, as published."""


class Outcome(NamedTuple):
    """What a learner did in one trial."""

    learner: Learner
    scores: Mapping[str, float]
    validation: Mapping[str, float]
    """Accuracy on the validation samples: of the last weights and, so ending, of the average."""
    misses: tuple[float, ...]
    """Up to each of the checkpoints."""
    checkpoints: tuple[int, ...]
    w: Vector  # (p + 1,)


Players = Mapping[str, Sequence[Learner]]
"""The candidates of every entry, by its label."""


def draw(dataset: str, seed: int, trial: int) -> SignalTask:
    """The samples of one trial, to be played in the order in which they were drawn."""
    rng = seeding.game(seed, trial)
    task = registry().make("dataset", dataset).load(rng)
    if not isinstance(task, SignalTask) or task.validation is None or task.test is None:
        raise UsageError(f"{dataset} has no signals with samples to validate and to test on")
    return attrs.evolve(task, given_order=True)


def outcome(
    task: SignalTask, learner: Learner, seed: int, progress: Callable[[int], None]
) -> Outcome | None:
    """Play one game; None if the weights overflow."""
    full = registry().make("feedback", "full")
    try:
        run = play(task, learner, full, np.random.default_rng(seed), progress=progress)
    except Overflow:
        return None
    rounds = len(run.trace)
    checkpoints = np.unique(np.linspace(rounds / CHECKPOINTS, rounds, CHECKPOINTS).astype(int))
    checkpoints = checkpoints[checkpoints > 0]
    misses = np.cumsum(run.trace.loss)[checkpoints - 1]
    validation = {}
    if task.target == "signs":
        assert task.validation is not None
        for which, w in run.weights.items():
            ending = "" if which == "last" else f"_{which}"
            held = held_out_scores(w, task.validation, task.target)
            validation["accuracy" + ending] = held["accuracy"]
    return Outcome(
        learner, run.scores, validation, tuple(misses.tolist()), tuple(checkpoints.tolist()),
        run.weights["last"],
    )  # fmt: skip


def best(candidates: Sequence[Outcome], samples: int) -> Outcome:
    """The candidate that tuning chooses, where ``samples`` were held out to tune on.

    Signs: fewest mistakes, online and on the samples to tune on together. The authors' program
    takes the best accuracy on the latter and counts online misses only where that is equal; scores
    that end in ``published_rule`` are those of its choice. Accuracy and AUC of the average are
    those of the candidate whose average is best. Numbers: the largest F1 over the grid, as
    published.
    """
    if not candidates:
        raise Overflow("no candidate of the grid ended with finite weights; rescale the signals")
    if not candidates[0].validation:
        return max(candidates, key=lambda one: (one.scores["f1"], -one.scores["mse"]))

    def mistakes(one: Outcome, ending: str = "") -> float:
        wrong = samples * (1.0 - one.validation["accuracy" + ending])
        return round(wrong) + one.scores["misses" + ending]

    chosen = min(candidates, key=mistakes)
    average = min(candidates, key=partial(mistakes, ending=AVERAGE)).scores
    published = max(candidates, key=lambda one: (one.validation["accuracy"], -one.scores["misses"]))
    more = {name + AVERAGE: average[name + AVERAGE] for name in TUNED_APART}
    for name in ("f1", "accuracy", "misses"):
        more[f"{name}_published_rule"] = published.scores[name]
    return chosen._replace(scores={**chosen.scores, **more})


def fitted(learner: Any, task: SignalTask) -> Learner:
    """The learner; where the graph is no grid, its blocks are pieces of as many nodes."""
    rows, _, cols = getattr(learner, "blocks", "").partition("x")
    if cols and not grid_columns(task.graph):
        learner = attrs.evolve(learner, blocks=str(int(rows) * int(cols)))
    fits: Learner = learner
    return fits


def trial(desk: Desk, task: SignalTask, players: Players) -> dict[str, Outcome]:
    """Let every candidate play the samples and keep each entry's best."""
    n = task.graph.n
    games = [
        (label, partial(outcome, task, fitted(learner, task), desk.seed, desk.watcher.rounds))
        for label, learners in players.items()
        for learner in learners
        if (getattr(learner, "s", None) or 1) <= n  # a grid may be for a larger graph
    ]
    for label in players:
        if all(name != label for name, _ in games):
            raise UsageError(f"{label}: every size s of its grid is above the graph's {n} nodes")
    with one_blas_thread():
        played = desk.all([game for _, game in games])
        found = list(zip((label for label, _ in games), played, strict=True))
    assert task.validation is not None
    samples = len(task.validation.truth)
    return {
        label: best([one for name, one in found if name == label and one is not None], samples)
        for label in players
    }


@attrs.frozen
class SignalExperiment(Experiment):
    """Trials over signals instead of shuffles of nodes."""

    target: Target | None = "signs"
    """What has to be predicted for the metrics to be defined; None if that does not matter."""

    def run(self, desk: Desk, datasets: Sequence[str] = ()) -> list[Row]:
        """All rows; data that is not there gives rows that say so, and a note."""
        missing: dict[str, str] = {}
        datasets = datasets or self.datasets
        for dataset in datasets:
            try:
                self.check(dataset, draw(dataset, desk.seed, 0))
            except InputError as reason:
                if dataset not in self.datasets:
                    raise
                missing[dataset] = str(reason)
        found: list[Row] = []
        for dataset in datasets:
            if dataset in missing:
                desk.notes.append(missing[dataset])
                found += self.absent(dataset)
            else:
                found += self.rows(desk, dataset)
        return found

    def check(self, dataset: str, task: SignalTask) -> None:
        """Refuse data on which the metrics are not defined, before anything is played."""
        if self.target not in (None, task.target):
            wanted = "signs" if self.target == "signs" else "numbers"
            raise UsageError(f"{self.name} predicts {wanted}, which {dataset} does not ask for")
        names = {metric.name for entry in self.entries for metric in entry.metrics}
        if task.support is None and names & {"precision", "recall", "f1"}:
            raise UsageError(f"{self.name} scores supports, but that of {dataset} is not known")

    def trials(self, desk: Desk, dataset: str, players: Players) -> dict[str, list[Outcome]]:
        """Every entry's outcomes, trial by trial."""
        found: dict[str, list[Outcome]] = {label: [] for label in players}
        for number in range(desk.repeats):
            desk.watcher.stage(f"{dataset}, trial {number + 1} of {desk.repeats}")
            for label, one in trial(desk, draw(dataset, desk.seed, number), players).items():
                found[label].append(one)
        return found

    def candidates(self, desk: Desk, entry: Entry, dataset: str, **fixed: Any) -> list[Learner]:
        """The entry's grid, thinned out for a quick run."""
        grid = {key: desk.thin(values) for key, values in entry.grid.items() if key not in fixed}
        return [
            entry.player(dataset, **fixed, **dict(zip(grid, values, strict=True)))
            for values in itertools.product(*grid.values())
        ]

    def players(self, desk: Desk, dataset: str, **fixed: Any) -> Players:
        """All entries' grids; what is fixed is fixed where an entry has it in its grid."""
        return {
            entry.label: self.candidates(
                desk, entry, dataset, **{k: v for k, v in fixed.items() if k in entry.grid}
            )
            for entry in self.entries
        }

    def report(
        self, dataset: str, entry: Entry, metric: Metric, outcomes: Sequence[Outcome], **more: Any
    ) -> Row:
        """One row; its parameters are those chosen most often."""
        values = metric.of(outcomes)  # type: ignore[arg-type]
        learner, _ = Counter(one.learner for one in outcomes).most_common(1)[0]
        return self.cell(dataset, entry, metric, Setup(learner, None), values, **more)  # type: ignore[arg-type]

    def reports(
        self, dataset: str, outcomes: Mapping[str, Sequence[Outcome]], **more: Any
    ) -> Iterator[Row]:
        """One row per entry and metric."""
        for entry in self.entries:
            for metric in entry.metrics:
                yield self.report(dataset, entry, metric, outcomes[entry.label], **more)


def score(name: str) -> Callable[[Sequence[Outcome]], Vector]:
    """The score of every trial."""
    return lambda outcomes: np.array([one.scores[name] for one in outcomes])


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
        outcomes = self.trials(desk, dataset, self.players(desk, dataset))
        for entry in self.entries:
            for i, at in enumerate(outcomes[entry.label][0].checkpoints):
                metric = attrs.evolve(entry.metrics[0], of=partial(_misses, i))
                yield self.report(dataset, entry, metric, outcomes[entry.label], x=self.axis, at=at)


def _misses(checkpoint: int, outcomes: Sequence[Outcome]) -> Vector:
    return np.array([one.misses[checkpoint] for one in outcomes])


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
        n = draw(dataset, desk.seed, 0).graph.n
        for s in desk.thin([s for s in values if s <= n]):
            outcomes = self.trials(desk, dataset, self.players(desk, dataset, s=s))
            yield from self.reports(dataset, outcomes, x=self.axis, at=s)


@attrs.frozen
class AgainstData(SignalFigure):
    """Metrics against a parameter of the data."""

    values: tuple[float, ...] = ()
    parameter: str = "mu"
    axis: ClassVar[str] = ""
    log: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One point per value, entry and metric."""
        joint = "," if ":" in dataset else ":"
        if f"{self.parameter}=" in dataset:
            raise UsageError(f"{self.name} sets {self.parameter} itself; leave it out of {dataset}")
        for value in desk.thin(self.values):
            played = f"{dataset}{joint}{self.parameter}={value:g}"
            outcomes = self.trials(desk, played, self.players(desk, dataset))
            yield from self.reports(dataset, outcomes, x=self.parameter, at=value)
