"""The curve of a simulation: error rate so far against rounds, a band over the repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from graphol.api import Vector
from graphol.report.picture import blank, check_plot, save
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


def plot(traces: Sequence[Trace], path: Path, *, label: str, force: bool = False) -> None:
    """Draw the cumulative error rate, mean ± std over the traces, into ``path``."""
    plot_all({label + spread(traces): traces}, path, force=force)


def spread(traces: Sequence[Trace]) -> str:
    """What the line and the band are, for a legend or a title."""
    return f" (mean ± std of {len(traces)})" if len(traces) > 1 else ""


def plot_all(
    curves: Mapping[str, Sequence[Trace]], path: Path, *, title: str = "", force: bool = False
) -> None:
    """Draw one curve with its band for every label, into one picture."""
    check_plot(path, force=force)
    figure = blank(6.4, 4.0)
    axes = figure.subplots()
    for label, traces in curves.items():
        mean, std = cumulative_error(traces)
        shown = np.unique(np.linspace(0, len(mean) - 1, min(POINTS, len(mean))).astype(int))
        mean, std, rounds = mean[shown], std[shown], shown + 1
        axes.fill_between(rounds, mean - std, mean + std, alpha=0.25, linewidth=0)
        axes.plot(rounds, mean, label=label)
    axes.set_xlabel("round")
    axes.set_title(title, fontsize="medium")
    classes = all(
        np.issubdtype(t.predicted.dtype, np.integer) for ts in curves.values() for t in ts
    )
    axes.set_ylabel("error rate so far" if classes else "mean squared error so far")
    axes.set_ylim(0, min(1.0, axes.get_ylim()[1]) if classes else None)
    axes.margins(x=0)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    save(figure, path, salt=" ".join(curves), force=force)
