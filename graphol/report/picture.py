"""Pictures in files: checked before anything is computed, written whole, the same twice."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphol.api import Vector
from graphol.atomic import check_place, replacing
from graphol.errors import UsageError, hint, printable

NO_DATE = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
COLOURS = 10
"""Of matplotlib's cycle."""
DASHES = ("-", "--", ":", "-.")
MARKS = "osD^v<>pX*h"
"""One more than there are colours, so that no two of a hundred curves share mark and colour."""
FORMATS = tuple(sorted(NO_DATE))


def check_plot(path: Path, *, force: bool = False) -> None:
    """Say that the picture cannot be written before anything is computed."""
    ending = path.suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        raise UsageError(f"{path}: a plot ends in .pdf, .png or .svg{hint(ending, FORMATS)}")
    check_place(path, "plot", force=force)
    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError("a plot needs matplotlib: `pip install matplotlib`")


def blank(width: float, height: float) -> Any:
    """An empty matplotlib figure, in inches; no screen is needed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def look(i: int, many: int) -> dict[str, Any]:
    """How the i-th of so many curves is drawn: past ten colours, marks and dashes tell them apart.

    >>> look(1, 3), look(11, 12)["linestyle"] != look(1, 12)["linestyle"]
    ({'color': 'C1'}, True)
    """
    found: dict[str, Any] = {"color": f"C{i % COLOURS}"}
    if many > COLOURS:
        found |= {
            "linestyle": DASHES[i // COLOURS % len(DASHES)],
            "marker": MARKS[i % len(MARKS)],
            "markersize": 4,
        }
    return found


def legend(axes: Any, last: Any = None) -> None:
    """Within the axes; beyond ten curves to the right of ``last``, where it hides none of them."""
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) <= COLOURS:
        axes.legend(frameon=False)
    else:
        beside: Any = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "fontsize": "small"}
        (last or axes).legend(handles, labels, frameon=False, **beside)


def fitted(curves: Sequence[tuple[Vector, Vector]]) -> tuple[float, float]:
    """The range that means and deviations take after the first twentieth, with some air.

    From 0 on, unless that would leave half of the picture empty.

    >>> fitted([(np.array([9.0, *[2.0] * 19, 1.0]), np.zeros(21))])
    (0.0, 2.1)
    """
    late = [(mean[len(mean) // 20 :], std[len(mean) // 20 :]) for mean, std in curves]
    low = min(float(np.nanmin(mean - std)) for mean, std in late)
    high = max(float(np.nanmax(mean + std)) for mean, std in late)
    air = 0.05 * (high - low) if low > high / 2 else 0.05 * high
    return (low - air if low > high / 2 else 0.0), high + (air or 0.05)


def save(figure: Any, path: Path, *, salt: str, force: bool = False) -> None:
    """Write the figure; the same figure with the same salt is the same file.

    Names in titles, axes and legends are drawn as they are, not read as formulas.
    """
    import matplotlib

    for text in _texts(figure):
        text.set_parse_math(False)
        text.set_text(printable(text.get_text(), keep="\n"))

    ending = path.suffix.removeprefix(".").lower()
    settings: Any = {"svg.hashsalt": salt}
    with replacing(path, force=force) as temporary, matplotlib.rc_context(settings):
        figure.savefig(temporary, format=ending, dpi=150, metadata=NO_DATE[ending])


def _texts(figure: Any) -> Iterator[Any]:
    """Everything that is written in a figure but the numbers at its axes."""
    yield from figure.texts
    if figure._suptitle is not None:
        yield figure._suptitle
    for axes in figure.axes:
        yield from (axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts)
        if axes.get_legend() is not None:
            yield from axes.get_legend().get_texts()
