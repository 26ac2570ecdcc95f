"""Curves of results in a notebook: into axes of one's own, or new ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphol.errors import UsageError
from graphol.report.comparison import Comparison, label
from graphol.report.comparisons import Comparisons
from graphol.report.curve import cumulative_error, draw, recent_error
from graphol.report.picture import fitted, legend
from graphol.simulation import Simulation

Results = Simulation | Comparison | Mapping[str, Simulation] | Iterable[Simulation]


def plot(results: Results, axes: Any = None, *, window: int | None = None) -> Any:
    """Draw the error rate over the rounds, mean and deviation over the repeats.

    Parameters
    ----------
    results
        A simulation, a comparison, simulations by label, or several of them.
    axes
        Of matplotlib, to draw into; without them a new figure.
    window
        Of the last so many rounds in place of all so far, >= 1.

    Returns
    -------
    The axes, to be changed as you like; ``axes.figure.savefig("curve.svg")`` keeps the picture.

    Examples
    --------
    >>> import graphol
    >>> axes = plot(graphol.simulate("gpa", "sbm:nodes=60,classes=2", repeats=2))
    >>> axes.get_xlabel(), [line.get_label() for line in axes.get_lines()]
    ('round', ['gpa'])
    """
    named = by_label(results)
    first = next(iter(named.values()))
    if window is not None and window < 1:
        raise UsageError(f"window must be >= 1, got {window}")
    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.subplots(layout="constrained")[1]
    curves = {
        name: cumulative_error(result.traces)
        if window is None
        else recent_error(result.traces, window)
        for name, result in named.items()
    }
    axes.set_ylim(fitted(draw(axes, curves)))
    real = first.target == "real"
    axes.margins(x=0)
    axes.grid(alpha=0.3)
    axes.set_xlabel("round")
    over = "so far" if window is None else f"in the last {window} rounds"
    axes.set_ylabel(f"{'mean squared error' if real else 'error rate'} {over}")
    many = len(first.repeats)
    task = first.recipe["task"]
    axes.set_title(f"{task} (mean ± std of {many})" if many > 1 else task, parse_math=False)
    legend(axes)
    return axes


def by_label(results: object) -> dict[str, Simulation]:
    """Simulations by what their curves are called; refused where there is nothing to draw."""
    if isinstance(results, Simulation):
        results = [results]
    if isinstance(results, Comparison):
        return dict(zip(results.labels, results.results, strict=True))
    if isinstance(results, Comparisons):
        raise UsageError(
            f"one axes shows one data set, and this comparison has {len(results.parts)}; draw "
            "each: for part in found.parts: graphol.plot(part)"
        )
    if isinstance(results, Mapping):
        found = dict(results)
    else:
        each: list[Any] = list(results) if isinstance(results, Iterable) else []
        each = each if all(isinstance(one, Simulation) for one in each) else []
        names = [label(result.recipe["learner"]) for result in each]
        found = {
            f"{name} ({i + 1})" if names.count(name) > 1 else name: result
            for i, (name, result) in enumerate(zip(names, each, strict=True))
        }
    if not found or not all(isinstance(each, Simulation) for each in found.values()):
        raise UsageError("nothing to draw: give simulations, or a comparison on one data set")
    return found
