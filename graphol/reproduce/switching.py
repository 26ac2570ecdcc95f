"""Tables over games in which labelings take turns: data drawn anew in every repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Vector
from graphol.arena import NotDrawn
from graphol.bounds.switching import Measures, measures, tracking_ball
from graphol.errors import InputError, UsageError
from graphol.report.bounds import says
from graphol.report.regret import regret
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Entry, Experiment, Metric, Row, params
from graphol.reproduce.figure import checkpoints
from graphol.runner import simulate_by
from graphol.simulation import Simulation
from graphol.tasks import SwitchTask

VIOLATED = "violated: a bug"
"""Of a bound that a repeat exceeds."""
POINTS = 100
"""Of a course, so that it shows what a switch costs."""

Told = Callable[[Measures], Mapping[str, float]]
"""Parameters that nobody knows in practice, from what was hidden in a repeat."""


def theory(found: Measures) -> dict[str, float]:
    """What Algorithm 1 is told: the labelings that held, and their theta."""
    if found.theta is None:
        raise UsageError("theta is not known for this latent graph; leave latent out")
    return {"K": found.K, "theta": found.theta}


def ball(found: Measures) -> dict[str, float]:
    """What the tracking perceptron is told: the ball that holds all labelings."""
    return {"phi": tracking_ball(found)}


MISTAKES = Metric("mistakes", lambda played: played.each(lambda trace: float(trace.n_mistakes)))
RELATIVE = Metric("relative", MISTAKES.of)
"""Mistakes, to be divided by the mean of those of the learner that others are held against."""
BOUND = Metric("bound", lambda played: np.array([e.bound.value for e in regret(played).repeats]))


class Played(NamedTuple):
    """One repeat of one entry."""

    game: Simulation
    """Without its task."""
    figures: dict[str, float]
    """By metric."""


@attrs.frozen
class Player(Entry):
    """A learner in a table over switching games."""

    told: Told | None = None
    """What it is told in every repeat; its label says so."""
    context: str = ""
    """What it is shown in place of the round or task, for one that knows too much."""


@attrs.frozen
class Course(Row):
    """One cell; that of the mistakes also has how they came about."""

    at: tuple[int, ...] = ()
    """Rounds."""
    course: tuple[float, ...] = ()
    """Mistakes up to these rounds, mean over the repeats."""
    first: tuple[float, ...] = ()
    """The same of the first repeat."""
    switches: tuple[int, ...] = ()
    """The first repeat's, as rounds counted from 0."""


@attrs.frozen
class SwitchingTable(Experiment):
    """All entries on the same games; what is told to one is measured in each game first."""

    against: str = ""
    """Label of the entry that ``relative`` is relative to; it comes first."""
    over_time: bool = True
    """Do labelings take turns, or has every task its own?"""
    fresh_data: ClassVar[bool] = True
    usual_repeats: ClassVar[int] = 10
    row: ClassVar[type[Row]] = Course

    def missing(self, desk: Desk, dataset: str) -> str:
        """Why the data is not there, or ''; data of another kind is refused."""
        if "context=" in dataset:
            raise UsageError(f"{self.name} sets context itself; leave it out of {dataset}")
        try:
            task: Any = desk.arena(dataset).drawn(desk.plan.repeats[0])
        except NotDrawn:
            task = None
        except InputError as reason:
            if dataset not in self.datasets:
                raise
            return f"{dataset}: {reason}"
        if not isinstance(task, SwitchTask):
            raise UsageError(f"{dataset} is no game of several labelings; try {self.datasets[0]}")
        if task.schedule.over_time != self.over_time:
            games = ("tasks", "labelings that take turns")
            raise UsageError(
                f"{dataset} is a game of {games[task.schedule.over_time]}, and {self.name} of "
                f"{games[self.over_time]}; try {self.datasets[0]}"
            )
        return ""

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One row per entry and metric."""
        played: dict[str, list[Played]] = {}
        entries = [entry for entry in self.entries if isinstance(entry, Player)]
        for number, repeat in enumerate(desk.plan.repeats, start=1):
            desk.watcher.stage(f"{dataset}, repeat {number} of {len(desk.plan.repeats)}")
            for entry, one in self.repeat(desk, dataset, entries, repeat):
                figures = {metric.name: float(metric.of(one)[0]) for metric in entry.metrics}
                bare = attrs.evolve(one, task=None)  # with it go a graph and its kernel
                played.setdefault(entry.label, []).append(Played(bare, figures))
        base = float(np.mean([one.figures["mistakes"] for one in played[self.against]]))
        for entry in entries:
            yield from self.report(dataset, entry, played[entry.label], base)

    def repeat(
        self, desk: Desk, dataset: str, entries: Sequence[Player], repeat: int
    ) -> Iterator[tuple[Player, Simulation]]:
        """One repeat of every entry; all who are shown the same share its data and kernel."""
        plan = attrs.evolve(desk.plan, repeats=range(repeat, repeat + 1))
        kernel = entries[0].vectors()
        for context in dict.fromkeys(entry.context for entry in entries):
            arena, plain = desk.arena(shown(dataset, context)), entries[0].player(dataset)
            task = arena.task(plain, kernel, plan=plan).task
            assert isinstance(task, SwitchTask)
            found = measures(task, task.stream(seeding.order(plan.seed, repeat)))
            some = [entry for entry in entries if entry.context == context]
            learners = [
                entry.player(dataset, **({} if entry.told is None else entry.told(found)))
                for entry in some
            ]
            results = simulate_by(plan, learners, arena, embedding=kernel, watcher=desk.watcher)
            yield from zip(some, results, strict=True)

    def report(
        self, dataset: str, entry: Entry, played: Sequence[Played], base: float
    ) -> Iterator[Row]:
        """One row per metric; its command plays the first repeat."""
        games = [one.game for one in played]
        mistakes = np.array([one.figures["mistakes"] for one in played])
        for metric in entry.metrics:
            values = np.array([one.figures[metric.name] for one in played])
            if metric == RELATIVE:
                values = values / max(base, 1.0)
            if np.isnan(values).any():  # no bound with these parameters
                continue
            trials = tuple(
                {"repeat": one.repeats[0], "measured": float(value), "params": params(one.recipe)}
                for one, value in zip(games, values, strict=True)
            )
            more = course(games) if metric == MISTAKES else {}
            row = self.cell(dataset, entry, metric, games[0], values, trials=trials, **more)
            if metric == BOUND:
                above = says(float(np.mean(values)), len(games[0].traces[0]))
                verdict = VIOLATED if (mistakes > values).any() else above or row.verdict
                row = attrs.evolve(row, verdict=verdict)
            yield row

    def conclusions(self, rows: Sequence[Row]) -> list[str]:
        """Who loses to whom, said in words."""
        from graphol.reproduce.conclusions import switching

        return switching(rows, self.against)

    def draw(self, rows: Sequence[Row], path: Path, *, force: bool = False) -> None:
        """Mistakes so far, with the switches marked."""
        from graphol.reproduce.courses import draw_courses

        draw_courses(self, rows, path, force=force)


def shown(dataset: str, context: str) -> str:
    """The data set that shows something else as context.

    >>> shown("switching-grid", "labeling"), shown("switching:of=cora", "segment")
    ('switching-grid:context=labeling', 'switching:of=cora,context=segment')
    """
    return f"{dataset}{',' if ':' in dataset else ':'}context={context}" if context else dataset


def course(played: Sequence[Simulation]) -> dict[str, Any]:
    """Mistakes so far over the rounds, and when the first repeat's labeling changed."""
    traces = [one.traces[0] for one in played]
    at = checkpoints(min(len(trace) for trace in traces), POINTS)
    so_far = np.array([np.cumsum(trace.loss)[np.array(at) - 1] for trace in traces])
    mean: Vector = so_far.mean(axis=0)
    return {
        "at": tuple(at),
        "course": tuple(mean.tolist()),
        "first": tuple(so_far[0].tolist()),
        "switches": tuple(traces[0].meta.get("marks", [])),
    }
