"""A figure from its rows: one panel per data set and metric, one curve per learner."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphol.errors import UsageError
from graphol.report.picture import MARKS, blank, check_plot, look, save
from graphol.reproduce.experiment import Row
from graphol.reproduce.figure import Figure, Point

LABELS = {
    "error_rate": "error rate",
    "error_percent": "error, %",
    "update_ratio": "class models updated per round",
    "queries": "labels bought",
    "updates": "class models updated",
}


def draw_curves(figure: Figure, rows: Sequence[Row], path: Path, *, force: bool = False) -> None:
    """Draw mean ± std of every point that was measured into ``path``."""
    check_plot(path, force=force)
    points = [row for row in rows if isinstance(row, Point) and row.measured is not None]
    if not points:
        raise UsageError(f"{figure.name}: nothing was measured, so there is nothing to draw")
    datasets = list(dict.fromkeys(point.dataset for point in points))
    metrics = list(dict.fromkeys(point.metric for point in points))
    canvas = blank(1.2 + 4.2 * len(datasets), 0.8 + 3.0 * len(metrics))
    panels = canvas.subplots(len(metrics), len(datasets), squeeze=False)
    for line, metric in zip(panels, metrics, strict=True):
        for axes, dataset in zip(line, datasets, strict=True):
            _panel(axes, [p for p in points if (p.dataset, p.metric) == (dataset, metric)])
            axes.set_ylabel(LABELS.get(metric, metric))
            axes.set_xlabel(LABELS.get(points[0].x, points[0].x))
            axes.set_title(dataset)
            axes.set_xscale("log" if figure.log else "linear")
            if not figure.log:
                axes.locator_params(axis="x", nbins=6)
    panels[0, 0].legend(frameon=False)
    canvas.suptitle(figure.title)
    save(canvas, path, salt=figure.name, force=force)


def _panel(axes: Any, points: Sequence[Point]) -> None:
    learners = list(dict.fromkeys(point.learner for point in points))
    for i, learner in enumerate(learners):
        how = look(i, len(learners))
        curve = [point for point in points if point.learner == learner]
        axes.errorbar(
            [point.at for point in curve],
            [point.measured for point in curve],
            [point.std for point in curve],
            label=learner, linewidth=1.2, capsize=2,
            **{"marker": MARKS[i % len(MARKS)], "markersize": 4, **how},
        )  # fmt: skip
    axes.grid(alpha=0.3)
