"""The curve of a simulation: error rate so far against rounds, a band over the repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from graphol.api import Vector
from graphol.report.picture import blank, check_plot, save
from graphol.simulation import Simulation
from graphol.trace import Trace

POINTS = 1000  # drawn per curve; more cannot be seen


def cumulative_error(traces: Sequence[Trace]) -> tuple[Vector, Vector]:
    """Mean and sample standard deviation over the traces of the error rate up to each round.

    Rounds before the first that counts are NaN; with one trace the deviation is 0.
    """
    T = min(len(trace) for trace in traces)
    curves = np.full((len(traces), T), np.nan)
    for curve, trace in zip(curves, traces, strict=True):
        scored = trace.scored[:T]
        counted = np.cumsum(scored)
        np.divide(np.cumsum(trace.loss[:T] * scored), counted, out=curve, where=counted > 0)
    return curves.mean(axis=0), curves.std(axis=0, ddof=1) if len(traces) > 1 else np.zeros(T)


def plot(curves: Mapping[str, Simulation], path: Path, *, force: bool = False) -> None:
    """Draw the error rate so far of every label, mean ± std over the repeats, into one picture."""
    check_plot(path, force=force)
    figure = blank(6.4, 4.0)
    axes = figure.subplots()
    first = next(iter(curves.values()))
    many, task = len(first.traces), first.recipe["task"]
    for label, result in curves.items():
        mean, std = cumulative_error(result.traces)
        shown = np.unique(np.linspace(0, len(mean) - 1, min(POINTS, len(mean))).astype(int))
        mean, std, rounds = mean[shown], std[shown], shown + 1
        axes.fill_between(rounds, mean - std, mean + std, alpha=0.25, linewidth=0)
        axes.plot(rounds, mean, label=label)
    axes.set_xlabel("round")
    title = f"{task} (mean ± std of {many})" if many > 1 else task
    axes.set_title(title, fontsize="medium")
    classes = first.target != "real"
    axes.set_ylabel("error rate so far" if classes else "mean squared error so far")
    axes.set_ylim(0, min(1.0, axes.get_ylim()[1]) if classes else None)
    axes.margins(x=0)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    save(figure, path, salt=" ".join(curves), force=force)
