"""Pictures of several learners on several data sets: errors over what they cost, and regret."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol.api import Vector
from graphol.errors import UsageError
from graphol.report import curve
from graphol.report.comparison import Comparison
from graphol.report.comparisons import Comparisons
from graphol.report.picture import blank, check_plot, fitted, legend, look, save
from graphol.report.regret import Regrets
from graphol.simulation import Simulation
from graphol.trace import Trace

Line = tuple[Vector, Vector, Vector]
"""Where, mean and standard deviation over the repeats."""
ACROSS = 3
"""Panels side by side."""
AXES = {
    "curve": "round",
    "queries": "labels revealed so far",
    "updates": "class models updated so far",
    "regret": "round that counts",
}


def check_drawing(what: str, plot: Path | None) -> None:
    """Whoever says what to draw must say where."""
    if what != "curve" and plot is None:
        raise UsageError(f"--draw {what} needs a picture to draw into; add --plot FILE")


def against_cost(traces: Sequence[Trace], cost: Callable[[Trace], NDArray[Any]]) -> Line:
    """Mean and deviation of the error rate so far when so much has been spent, from 0 on.

    The cost of every round is added up; the error rate is that of the last round before which, and
    in which, no more than that was spent. The line ends where the cheapest repeat does. It is NaN
    where the first round that counts costs more already.

    >>> spent = Trace(*np.zeros((3, 3), int), np.zeros(3), np.ones(3, bool),
    ...               np.array([1, 0, 1]), np.array([1.0, 0.0, 1.0]), np.ones(3, bool))
    >>> against_cost([spent], lambda trace: trace.updates)[1]
    array([       nan, 0.5       , 0.66666667])
    """
    totals = [np.cumsum(cost(trace), dtype=np.int64) for trace in traces]
    least = min(int(total[-1]) for total in totals)
    x = np.unique(np.linspace(0, least, min(curve.POINTS, least + 1)).astype(np.int64))
    values = np.full((len(traces), len(x)), np.nan)
    for value, trace, total in zip(values, traces, totals, strict=True):
        error, last = curve.cumulative_error([trace])[0], np.searchsorted(total, x, "right") - 1
        value[last >= 0] = error[last[last >= 0]]
    return x.astype(np.float64), values.mean(axis=0), _deviation(values)


def regret_line(found: Regrets) -> Line:
    """Mean and deviation of the regret so far, over the rounds that count in all repeats."""
    T = min(len(each.curve) for each in found.repeats)
    values = np.array([each.curve[:T] for each in found.repeats], dtype=np.float64)
    return np.arange(1.0, T + 1), values.mean(axis=0), _deviation(values)


def draw_panels(
    found: Comparison | Comparisons | Mapping[str, Simulation],
    what: str,
    path: Path,
    hindsight: Sequence[Regrets] = (),
    *,
    force: bool = False,
) -> None:
    """Draw what was asked for, every data set in a panel of its own.

    ``hindsight`` has the regrets of all results one after another.
    """
    check_plot(path, force=force)
    panels: dict[str, Mapping[str, Simulation]]
    if isinstance(found, Comparisons):
        each = [dict(zip(part.labels, part.results, strict=True)) for part in found.parts]
        panels = dict(zip(found.titles, each, strict=True))
    else:
        one = found
        if isinstance(one, Comparison):
            one = dict(zip(one.labels, one.results, strict=True))
        panels = {next(iter(one.values())).recipe["task"]: one}
    if what == "curve" and len(panels) == 1:
        curve.plot(next(iter(panels.values())), path, force=force)
        return
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    figure = blank(max(6.4, 4.2 * across), 4.0 if down == 1 else 3.4 * down)
    squares = figure.subplots(down, across, squeeze=False).ravel()
    labels = list(dict.fromkeys(label for results in panels.values() for label in results))
    looks = {label: look(i, len(labels)) for i, label in enumerate(labels)}
    regrets = iter(hindsight)
    for axes, (title, results) in zip(squares, panels.items(), strict=False):
        lines = [
            _draw(axes, label, looks[label], result, what, next(regrets, None))
            for label, result in results.items()
        ]
        _finish(axes, title, next(iter(results.values())), what, lines)
    for axes in squares[len(panels) :]:
        axes.set_axis_off()
    legend(squares[0], squares[across - 1])
    save(figure, path, salt=" ".join([what, *panels, *looks]), force=force)


def _draw(
    axes: Any,
    label: str,
    how: dict[str, Any],
    result: Simulation,
    what: str,
    regrets: Regrets | None,
) -> tuple[Vector, Vector]:
    colour = how["color"]
    if what == "regret":
        assert regrets is not None
        x, mean, std = regret_line(regrets)
    elif what == "curve":
        mean, std = curve.cumulative_error(result.traces)
        x = np.arange(1.0, len(mean) + 1)
    elif what == "queries":
        x, mean, std = against_cost(result.traces, lambda trace: trace.answered)
    else:
        x, mean, std = against_cost(result.traces, lambda trace: trace.updates)
    shown = np.unique(np.linspace(0, len(x) - 1, min(curve.POINTS, len(x))).astype(int))
    x, mean, std = x[shown], mean[shown], std[shown]
    axes.fill_between(x, mean - std, mean + std, alpha=0.25, linewidth=0, color=colour)
    axes.plot(x, mean, label=label, markevery=max(1, len(x) // 8), **how)
    if what in ("queries", "updates"):  # where all repeats end, on the average
        spent = result.queries if what == "queries" else result.updates
        axes.plot(spent.mean(), result.error_rate_mean, "o", color=colour)
    return mean, std


def _finish(
    axes: Any, title: str, first: Simulation, what: str, lines: Sequence[tuple[Vector, Vector]]
) -> None:
    many = len(first.traces)
    axes.set_title(f"{title} (mean ± std of {many})" if many > 1 else title, fontsize="medium")
    axes.set_xlabel(AXES[what])
    if what == "regret":
        axes.set_ylabel("regret so far")
    else:
        real = first.target == "real"
        axes.set_ylabel(f"{'mean squared error' if real else 'error rate'} so far")
        axes.set_ylim(fitted(lines))
    axes.grid(alpha=0.3)


def _deviation(values: NDArray[np.float64]) -> Vector:
    """The sample standard deviation over the repeats; 0 for one."""
    if len(values) == 1:
        return np.zeros(values.shape[1])
    found: Vector = values.std(axis=0, ddof=1)
    return found
