"""One page of many tables and figures of papers: every cell, with its verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from graphol.report.page.document import document
from graphol.report.page.look import COLOURS, MARKS, Look
from graphol.report.page.panel import (
    HEIGHT,
    WIDTH,
    Drawing,
    axes,
    clipped,
    line,
    x_ends,
    y_ends,
)
from graphol.report.page.parts import figures, many
from graphol.report.page.scale import over
from graphol.report.page.tables import table
from graphol.report.page.text import element, safe
from graphol.reproduce.experiment import Row
from graphol.reproduce.figure import Figure, Point
from graphol.reproduce.reproduction import Reproduction
from graphol.reproduce.summary import JUDGED, columns, summary

FEW = 12
"""Cells of a figure that are shown without a click."""
WIDE = 100.0
"""An axis whose ends are further apart than this, as a factor, is logarithmic."""


def page(results: Sequence[Reproduction], command: str, title: str) -> str:
    """The whole page; the command makes it again."""
    return document(title, _head(results, command, title), _sections(results))


def _head(results: Sequence[Reproduction], command: str, title: str) -> str:
    counts = Counter(row.verdict for each in results for row in each.rows)
    judged = ", ".join(f"{counts[name]} {name}" for name in JUDGED)
    cells = many(sum(counts.values()), "cell")
    failed = sum(len(each.failures) for each in results)
    parts = [
        f"<h1>{safe(title)}</h1>",
        element("p", safe(f"{many(len(results), 'table')}, {cells}: {judged}."), class_="sub"),
        element("p", f"Made by <code>{safe(command)}</code>."),
    ]
    if failed:
        said = f"{many(failed, 'part')} failed, and have no figures here."
        parts.append(element("p", safe(said), class_="doubt"))
    return "\n".join(parts)


def _sections(results: Sequence[Reproduction]) -> Iterator[tuple[str, str, str]]:
    """A table of the verdicts, then every paper's table or figure."""
    if len(results) > 1:
        yield "verdicts", "Verdicts", table(summary(results), columns())
    for each in results:
        yield each.experiment.name, each.experiment.name, _section(each)


def _section(result: Reproduction) -> str:
    experiment = result.experiment
    parts = [
        element("p", f"<b>{safe(experiment.title)}</b>"),
        element("p", safe(experiment.reference), class_="cap"),
    ]
    if isinstance(experiment, Figure):
        parts.append(figures([*curves(result)]))
    shown = experiment.columns(result.rows)
    for heading, lines in experiment.tables(result.rows):
        parts.append(f"<h3>{safe(heading)}</h3>" if heading else "")
        whole = table(lines, shown)
        if isinstance(experiment, Figure) and len(lines) > FEW:  # its curves say it
            whole = element("details", f"<summary>{many(len(lines), 'cell')}</summary>{whole}")
        parts.append(whole)
    said = (*experiment.notes, *result.conclusions, *result.notes)
    items = "".join(element("li", safe(text)) for text in dict.fromkeys(said))
    return "\n".join([*parts, element("ul", items) if items else ""])


def curves(result: Reproduction) -> Iterator[Drawing]:
    """Every metric of every data set against the figure's axis."""
    points = [row for row in result.rows if isinstance(row, Point) and row.measured is not None]
    learners = list(dict.fromkeys(row.learner for row in points))
    looks = {
        name: Look(i % COLOURS, (i + i // COLOURS) % len(MARKS)) for i, name in enumerate(learners)
    }
    for dataset, metric in dict.fromkeys((row.dataset, row.metric) for row in points):
        own = [row for row in points if (row.dataset, row.metric) == (dataset, metric)]
        if len({row.at for row in own}) > 1:
            yield _drawn(result, dataset, metric, own, looks)


def _drawn(
    result: Reproduction, dataset: str, metric: str, rows: Sequence[Point], looks: dict[str, Look]
) -> Drawing:
    at, values = [_at(row) for row in rows], [_measured(row) for row in rows]
    x, y = over(at, *x_ends(), log=WIDE), over(values, *y_ends(), log=WIDE)
    lines, marks = [], []
    for name, look in looks.items():
        own = sorted((_at(row), _measured(row)) for row in rows if row.learner == name)
        places = [(x(a), y(value)) for a, value in own]
        lines.append(line(places, look))
        marks += [
            look.draw(*place, f"{name}: {value:.4g} at {a:g}", 3.6)
            for place, (a, value) in zip(places, own, strict=True)
        ]
    return Drawing(
        f"{result.experiment.name}-{len(rows)}", f"{dataset}: {metric}",
        f"{metric} against {rows[0].x} on {dataset}",
        axes(x, y, rows[0].x, metric) + clipped("".join(lines)) + "".join(marks),
        WIDTH, HEIGHT, tuple(looks.items()),
    )  # fmt: skip


def _at(row: Point) -> float:
    assert row.at is not None
    return float(row.at)


def _measured(row: Row) -> float:
    assert row.measured is not None
    return row.measured
