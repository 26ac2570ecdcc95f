"""The curve of a simulation: error rate so far against rounds, a band over the repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphol.api import Vector
from graphol.report.picture import blank, check_plot, fitted, legend, look, save
from graphol.simulation import Simulation
from graphol.trace import Trace

POINTS = 1000  # drawn per curve; more cannot be seen
WINDOWS = 40  # per game


def cumulative_error(traces: Sequence[Trace]) -> tuple[Vector, Vector]:
    """Mean and sample standard deviation over the traces of the error rate up to each round.

    Rounds before the first that counts are NaN; with one trace the deviation is 0.
    """
    return recent_error(traces, min(len(trace) for trace in traces))


def recent_error(traces: Sequence[Trace], window: int) -> tuple[Vector, Vector]:
    """The same of the error rate in the last so many rounds; at first there are fewer."""
    T = min(len(trace) for trace in traces)
    curves = np.full((len(traces), T), np.nan)
    for curve, trace in zip(curves, traces, strict=True):
        scored = trace.scored[:T]
        counted, wrong = np.cumsum(scored), np.cumsum(trace.loss[:T] * scored)
        counted[window:], wrong[window:] = (
            counted[window:] - counted[:-window],
            wrong[window:] - wrong[:-window],
        )
        np.divide(wrong, counted, out=curve, where=counted > 0)
    return curves.mean(axis=0), curves.std(axis=0, ddof=1) if len(traces) > 1 else np.zeros(T)


def rest_error(traces: Sequence[Trace]) -> tuple[Vector, Vector]:
    """The same of all nodes not asked yet, where a strategy picks them; NaN between two looks."""
    T = min(len(trace) for trace in traces)
    curves = np.array([trace.kept["rest"][:T] for trace in traces])
    return curves.mean(axis=0), curves.std(axis=0, ddof=1) if len(traces) > 1 else np.zeros(T)


def plot(curves: Mapping[str, Simulation], path: Path, *, force: bool = False) -> None:
    """Draw the error rate so far of every label, mean ± std over the repeats, into one picture.

    Where a strategy picked the nodes it is the error rate of all others.

    Where the labeling changes in the middle of a game, a second panel below shows the error rate in
    a moving window, and lines mark the rounds of the changes: of the first repeat, unless all
    repeats have the same.
    """
    check_plot(path, force=force)
    first = next(iter(curves.values()))
    marked = any(trace.meta.get("marks") for trace in first.traces)
    figure = blank(6.4, 6.4 if marked else 4.0)
    upper, *lower = figure.subplots(1 + marked, 1, sharex=True, squeeze=False).ravel()
    many, task = len(first.traces), first.recipe["task"]
    errors = "error rate" if first.target != "real" else "mean squared error"
    asking = all("rest" in trace.kept for each in curves.values() for trace in each.traces)
    wanted = rest_error if asking else cumulative_error
    shown = draw(upper, {label: wanted(result.traces) for label, result in curves.items()})
    limits = {upper: fitted(shown)}
    upper.set_title(f"{task} (mean ± std of {many})" if many > 1 else task, fontsize="medium")
    upper.set_ylabel(f"{errors} of all other nodes" if asking else f"{errors} so far")
    for axes in lower:
        window = max(1, len(first.traces[0]) // WINDOWS)
        alike = len({str(trace.meta.get("marks")) for trace in first.traces}) == 1
        recent = {
            label: recent_error(result.traces if alike else result.traces[:1], window)
            for label, result in curves.items()
        }
        limits[axes] = fitted(draw(axes, recent))
        for each in (upper, axes) if alike else (axes,):
            for mark in first.traces[0].meta.get("marks", []):
                each.axvline(mark + 0.5, color="black", linewidth=0.5, alpha=0.6, zorder=0)
        axes.set_ylabel(f"{errors}, last {window} rounds")
        which = "" if alike else f"repeat {first.repeats[0]} alone; "
        axes.set_title(f"{which}lines: the labeling changes", fontsize="medium")
    for axes in (upper, *lower):
        axes.set_ylim(limits[axes])
        axes.margins(x=0)
        axes.grid(alpha=0.3)
    legend(upper)
    axes.set_xlabel("round")
    save(figure, path, salt=" ".join(curves), force=force)


def draw(axes: Any, curves: Mapping[str, tuple[Vector, Vector]]) -> list[tuple[Vector, Vector]]:
    """Every mean as a line with a band of one deviation; what was drawn."""
    drawn = []
    for i, (label, (mean, std)) in enumerate(curves.items()):
        there = np.flatnonzero(np.isfinite(mean))
        chosen = np.linspace(0, len(there) - 1, min(POINTS, len(there))).astype(int)
        shown = there[np.unique(chosen)]
        mean, std, rounds = mean[shown], std[shown], shown + 1
        how = look(i, len(curves))
        axes.fill_between(
            rounds, mean - std, mean + std, alpha=0.25, linewidth=0, color=how["color"]
        )
        axes.plot(rounds, mean, label=label, markevery=max(1, len(rounds) // 8), **how)
        drawn.append((mean, std))
    return drawn
