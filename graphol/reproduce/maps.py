"""Figures that are maps: where on the graph a learner's weights are not 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import attrs
import numpy as np

from graphol.arena import Arena
from graphol.errors import UsageError
from graphol.report.map import Sheet
from graphol.report.picture import blank, check_plot, save
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Row
from graphol.reproduce.figure import Point
from graphol.reproduce.signals import SignalFigure, trial
from graphol.tasks import SignalTask


@attrs.frozen
class Portrait(Point):
    """A learner's weights after one trial, beside the keys of a point."""

    seed: int = 0
    signs: tuple[int, ...] = ()
    """Of every weight but the intercept, (p,)."""


@attrs.frozen
class Maps(SignalFigure):
    """The weights of every entry after some trials, each tuned on its validation samples."""

    which: tuple[int, ...] = (0,)
    """Trials that are shown, counted from the first of the plan, however many it has."""
    row: ClassVar[type[Row]] = Portrait
    axis: ClassVar[str] = "trial"
    by_repeat: ClassVar[bool] = False

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One row per entry and metric."""
        for number in desk.thin(self.which):
            repeat, seed = desk.plan.repeats[0] + number, desk.plan.seed
            desk.watcher.stage(f"{dataset}, trial {repeat + 1}")
            found = trial(desk, dataset, repeat, self.players(desk, dataset))
            for entry in self.entries:
                chosen = found[entry.label]
                weights = chosen[""].weights[0]["last"][:-1]
                signs = tuple(np.sign(weights).astype(int).tolist())
                for metric in entry.metrics:
                    yield self.report(
                        dataset, entry, metric, [chosen], x=self.axis, at=repeat + 1, seed=seed,
                        signs=signs,
                    )  # fmt: skip

    def draw(self, rows: Sequence[Row], path: Path, *, force: bool = False) -> None:
        """One line of maps per data set and trial, the truth at its right end."""
        check_plot(path, force=force)
        shown = {
            (row.dataset, row.at, row.learner): row
            for row in rows
            if isinstance(row, Portrait) and row.measured is not None
        }
        if not shown:
            raise UsageError(f"{self.name}: nothing was measured, so there is nothing to draw")
        lines = list(dict.fromkeys((dataset, at) for dataset, at, _ in shown))
        learners = [entry.label for entry in self.entries]
        canvas = blank(1.3 * (len(learners) + 1), 0.6 + 1.4 * len(lines))
        panels = canvas.subplots(len(lines), len(learners) + 1, squeeze=False)
        sheets: dict[str, Sheet] = {}
        for line, (dataset, at) in zip(panels, lines, strict=True):
            portraits = [shown[dataset, at, learner] for learner in learners]
            played = portraits[0].trials[0]["repeat"]
            task = Arena(dataset, portraits[0].seed).drawn(played)
            assert isinstance(task, SignalTask)
            truth = np.zeros(task.graph.n)
            truth[[] if task.support is None else task.support] = 1.0
            maps = [np.array(portrait.signs, dtype=float) for portrait in portraits]
            if dataset not in sheets:
                sheets[dataset] = Sheet(task.graph)
            sheet = sheets[dataset]
            for axes, values in zip(line, [*maps, truth], strict=True):
                sheet.draw(axes, values)
            line[0].set_ylabel(
                dataset if self.which == (0,) else f"trial {at:g}", fontsize="xx-small"
            )
        for axes, name in zip(panels[0], [*learners, "true support"], strict=True):
            axes.set_title(name, fontsize="small")
        canvas.suptitle(self.title, fontsize="medium")
        save(canvas, path, salt=self.name, force=force)
