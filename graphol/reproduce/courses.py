"""Mistakes over time as a picture: one column of panels per data set, switches marked below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphol.errors import UsageError
from graphol.report.picture import blank, check_plot, save
from graphol.reproduce.experiment import Experiment, Row
from graphol.reproduce.switching import Course


def draw_courses(table: Experiment, rows: Sequence[Row], path: Path, *, force: bool) -> None:
    """Mistakes so far: the mean over the repeats above, the first repeat alone below."""
    check_plot(path, force=force)
    courses = [row for row in rows if isinstance(row, Course) and row.course]
    if not courses:
        raise UsageError(f"{table.name}: nothing was measured, so there is nothing to draw")
    datasets = list(dict.fromkeys(row.dataset for row in courses))
    canvas = blank(2.4 + 4.4 * len(datasets), 8.2)
    panels = canvas.subplots(2, len(datasets), squeeze=False)
    for (mean, first), dataset in zip(panels.T, datasets, strict=True):
        some = [row for row in courses if row.dataset == dataset]
        _panel(mean, [(row.learner, row.at, row.course) for row in some])
        _panel(first, [(row.learner, row.at, row.first) for row in some])
        for switch in some[0].switches:
            first.axvline(switch + 0.5, color="black", linewidth=0.5, alpha=0.5, zorder=0)
        mean.set_title(f"{dataset}, mean of {some[0].repeats}", fontsize="small")
        marks = "; lines: the labeling changes" if some[0].switches else ""
        first.set_title(f"its first repeat{marks}", fontsize="small")
        first.set_xlabel("round")
    for line in panels:
        line[0].set_ylabel("mistakes so far")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=1 + len(datasets),
                  frameon=False, fontsize="x-small")  # fmt: skip
    canvas.suptitle(table.title, fontsize="medium")
    save(canvas, path, salt=table.name, force=force)


def _panel(axes: Any, curves: Sequence[tuple[str, Sequence[int], Sequence[float]]]) -> None:
    for number, (learner, at, mistakes) in enumerate(curves):
        style = ("-", "--", ":")[number // 10 % 3]
        axes.plot([0, *at], [0, *mistakes], style, label=learner, linewidth=1.2)
    axes.margins(x=0)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
