"""How many answers each strategy takes: no paper's table, but the one to choose a strategy by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Given, Learner, Vector
from graphol.engine import Progress
from graphol.interval import paired
from graphol.label.choosing import Trial
from graphol.label.game import Rules, play
from graphol.registry import registry
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Entry, Experiment, Metric, Row
from graphol.tasks import NodeTask
from graphol.workers import Turn, each_turn

SHARE, FOLDS = 0.95, 10
EVERY, MOST = 5, 500
"""Answers between two looks, and in all."""
ANSWERS = Metric("answers", lambda played: played.queries, None)
CHANCE = "random"


@attrs.frozen
class Answers(Experiment):
    """Answers until the other nodes are predicted nearly as well as with all labels."""

    most: int = MOST
    usual_repeats = 10
    first_repeat = 100
    quick_repeats = 2

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One row per strategy, with the answers of every repeat."""
        task = desk.task(dataset)
        learner: Learner = registry().make("learner", self.entries[0].learner)
        desk.watcher.stage(f"{dataset}: all labels")
        full = accuracy(desk, dataset, learner)
        enough = 1 - SHARE * full
        desk.notes.append(
            f"{dataset}: {learner.name} predicts {100 * full:.2f} % right with all other labels "
            f"({FOLDS}-fold); the goal is {100 * SHARE * full:.2f} %"
        )
        for entry in self.entries:
            desk.watcher.stage(f"{dataset}: {entry.label}")
            rules = Rules(registry().make("strategy", entry.label), every=EVERY)
            turns = [Turn(repeat, 0) for repeat in desk.plan.repeats]
            one = partial(_answers, task, learner, rules, desk.plan.seed, enough, self.most)
            found = dict(each_turn(one, turns, desk.plan.jobs, desk.watcher.rounds, threads=True))
            counts = [found[turn] for turn in turns]
            late = counts.count(None)
            if late:
                desk.notes.append(
                    f"{dataset}: {entry.label} does not reach the goal with {self.most} answers in "
                    f"{late} of {len(turns)} repeats, which count as {self.most}"
                )
            values = np.array([self.most if c is None else c for c in counts], dtype=float)
            yield self.cell(
                dataset, entry, entry.metrics[0], None, values,
                command=self._command(desk, dataset),
                trials=tuple(
                    {"repeat": turn.repeat, "measured": float(value), "reached": c is not None}
                    for turn, value, c in zip(turns, values, counts, strict=True)
                ),
            )  # fmt: skip

    def _command(self, desk: Desk, dataset: str) -> str:
        plan = desk.plan
        return (
            f"graphol reproduce {self.name} --datasets {dataset} --repeats {plan.which} "
            f"--seed {plan.seed}"
        )

    def conclusions(self, rows: Sequence[Row]) -> list[str]:
        """What every strategy saves against chance, repeat by repeat; losses too."""
        found = []
        chance = {row.dataset: row for row in rows if row.learner == CHANCE and row.trials}
        for row in rows:
            if row.learner == CHANCE or row.dataset not in chance or len(row.trials) < 2:
                continue
            one, other = (_measured(each) for each in (row, chance[row.dataset]))
            gain = paired(one, other)
            verb = "is not told apart from chance"
            if gain.differs:
                verb = f"takes {'fewer' if gain.mean < 0 else 'more'} answers than chance"
            found.append(
                f"{row.dataset}: {row.learner} {verb}: {gain.mean:+.0f}, 95 % interval "
                f"{gain.low:+.0f} to {gain.high:+.0f}"
            )
        return found


def _measured(row: Row) -> Vector:
    return np.array([trial["measured"] for trial in row.trials], dtype=float)


def accuracy(desk: Desk, dataset: str, learner: Learner) -> float:
    """The share of labelled nodes that are predicted rightly with all labels of other folds."""
    arena = desk.arena(dataset)
    task = desk.task(dataset)
    labels = task.graph.labels
    assert labels is not None
    nodes = np.random.default_rng(desk.plan.seed).permutation(np.flatnonzero(labels >= 0))
    trial = Trial.of(learner, arena, None, desk.plan.seed)
    right = 0
    for held in np.array_split(nodes, FOLDS):
        told = np.setdiff1d(nodes, held)
        said = trial.says(Given(told, labels[told]), held)
        right += int((said.label == labels[held]).sum())
    return right / len(nodes)


def _answers(
    task: NodeTask,
    learner: Learner,
    rules: Rules,
    seed: int,
    enough: float,
    most: int,
    turn: Turn,
    progress: Progress,
) -> int | None:
    """After how many answers the share of errors among all others is at most ``enough``."""
    run = play(
        task, learner, rules, seeding.game(seed, turn.repeat), rounds=most, enough=enough,
        progress=progress,
    )  # fmt: skip
    rest: Any = run.trace.kept["rest"]
    reached = np.flatnonzero(rest <= enough)  # NaN is not
    return int(reached[0]) + 1 if len(reached) else None


def _asking(strategy: str) -> Entry:
    return Entry("walk", "", (ANSWERS,), strategy)


STRATEGIES = Answers(
    name="strategies",
    title="Answers until 95 % of the accuracy with all labels is reached, by strategy",
    reference="graphol: no paper has this table",
    datasets=("cora", "citeseer", "pubmed", "lastfm-asia", "facebook-pages"),
    entries=tuple(map(_asking, (CHANCE, "uncertainty", "variance", "expected-change"))),
    quick_datasets=("cora", "citeseer"),
    notes=(
        "answers: those after which walk, told of the nodes asked so far, predicts all other "
        "nodes at least 0.95 times as well as with the labels of nine tenths of the nodes; the "
        "first ten nodes are drawn by lot, then the strategy picks five at a time",
    ),
)
