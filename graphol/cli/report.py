"""``graphol report``: tables, curves and comparisons of results that were kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphol.cli.compare import say_tally
from graphol.cli.options import (
    Against,
    Csv,
    Draw,
    Drawn,
    Force,
    Html,
    Json,
    Markdown,
    Parquet,
    Plot,
    PluginFiles,
    Quiet,
    SvgFolder,
    Tex,
    load,
    number,
)
from graphol.cli.output import ProgressLine, note_all, say_doubts, say_rows
from graphol.cli.page import PageOf
from graphol.cli.simulate import judge
from graphol.cli.tables import Tables
from graphol.errors import UsageError

if TYPE_CHECKING:
    from graphol.report.regret import Regrets
    from graphol.simulation import Simulation


def command(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...", help="Folders that --out or sweep wrote.", show_default=False
        ),
    ],
    against: Against = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            parser=number,
            help="Of the intervals; > 0 and < 1.",
            show_default="0.95, or as compare was told",
        ),
    ] = None,
    regret: Annotated[
        bool,
        typer.Option(
            "--regret",
            help="Load and embed again; add the best fixed model in hindsight, and the bound.",
        ),
    ] = False,
    html: Html = None,
    svg: SvgFolder = None,
    plot: Plot = None,
    draw: Draw = Drawn.curve,
    csv: Csv = None,
    tex: Tex = None,
    markdown: Markdown = None,
    parquet: Parquet = None,
    force: Force = False,
    plugin: PluginFiles = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print the table of results that were kept.

    They are what `simulate --out` or `compare --out` wrote: one folder gives the row of simulate,
    several the table of compare; a folder of compare stands for those inside it. Nothing is played,
    and no data is read unless --regret or --draw regret is given.

    Several folders must be of the same games: data, graph, seed and what was asked in every round.
    Of different repeats those that all have are compared, and a note says so. Folders of several
    data sets, two learners or more on each, give the table of compare on several data sets; others
    are refused.

    --regret needs the very graph: it is refused where the graph's hash is another today.

    --html makes one page of results of any kind, sweeps that are half done included: leaderboards
    per data set and protocol, tested in pairs of the same game only, ranks, figures and where all
    of it comes from. It is one file that needs no network. The leaderboards are also what is
    printed then, and of every sweep.

    \b
    graphol report results
    graphol report first second third --against second --plot curves.png
    graphol report results --regret --json
    graphol report first second --plot labels.svg --draw queries --tex table.tex
    graphol report results --html page.html --against gpa
    """
    load(plugin, quiet=quiet)
    from graphol.interval import CONFIDENCE, check_confidence
    from graphol.report.columns import GAME, figures, regrets
    from graphol.report.comparison import Comparison, opened
    from graphol.report.comparisons import Comparisons, parts_in
    from graphol.report.drawing import check_drawing, draw_panels
    from graphol.simulation import Simulation

    tables = Tables(csv, tex, markdown, parquet)
    tables.check(force=force)
    wanted_page = PageOf(html, svg, against, confidence, regret)
    if wanted_page.asked(folders):
        if plot is not None:
            raise UsageError(f"--plot {plot} is for one comparison; --svg DIR has every figure")
        wanted_page.make(folders, tables, force=force, json=json, quiet=quiet)
        return
    check_drawing(draw, plot)
    if plot is not None:
        from graphol.report.picture import check_plot

        check_plot(plot, force=force)
    parted = [(path, True) for folder in folders for path in parts_in(folder)]
    single = [(folder, False) for folder in folders if not parts_in(folder)]
    inside = [opened(path) for path, _ in parted + single]
    paths = [path for found, _, _ in inside for path in found]
    said = inside[0][1:] if len(inside) == 1 else (None, CONFIDENCE)  # by a comparison of itself
    wanted = said[1] if confidence is None else confidence
    check_confidence(wanted)
    results = [Simulation.load(path) for path in paths]
    found: Comparison | Comparisons | dict[str, Simulation]
    sizes = [(len(each[0]), part) for each, (_, part) in zip(inside, parted + single, strict=True)]
    groups = _groups(results, paths, sizes)
    if len(results) == 1:
        if against is not None:
            raise UsageError(f"--against {against} needs a second folder to compare with")
        (one,) = results
        found, parts = {one.recipe["learner"]["name"]: one}, []
        rows, columns = [one.row(wanted)], [*GAME, *figures(one, wanted)]
    else:
        usual = None if said[0] is None else results[said[0]].recipe["learner"]
        parts = [
            Comparison.of(
                group, against=None if len(groups) > 1 else against or usual, confidence=wanted,
                names=[str(path) for path in where],
            )
            for group, where in groups
        ]  # fmt: skip
        found = (
            parts[0] if len(parts) == 1 else Comparisons.of(parts, against=against or _same(inside))
        )
        results = [result for part in parts for result in part.results]
        rows, columns = found.rows(), [*found.columns]
    hindsight: list[Regrets] = []
    if regret or draw == Drawn.regret:
        hindsight = _hindsight(results, quiet)
    if regret:
        rows = [row | each.row() for row, each in zip(rows, hindsight, strict=True)]
        columns = [*columns, *regrets(*rows)]
    told = [(part.results[0], part.notes) for part in parts] or [(results[0], results[0].notes)]
    for first, notes in told:
        note_all(first.recipe["task"], notes, quiet=quiet)
    if plot is not None:
        draw_panels(found, draw, plot, hindsight, force=force)
    tables.write(rows, columns, force=force)
    say_rows(rows if len(rows) > 1 else rows[0], columns, json=json)
    say_tally(found, json=json)
    for first, notes in told:
        say_doubts(first.recipe["task"], notes, json=json)
    if regret:
        labels = [row.get("label", row["learner"]) for row in rows]
        if len(parts) > 1:
            labels = [f"{row['label']} on {row['dataset_label']}" for row in rows]
        judge(dict(zip(labels, hindsight, strict=True)), quiet)


def _same(inside: list[tuple[list[Path], int | None, float]]) -> dict[str, Any] | None:
    """The learner that all these comparisons held the others against, if it is one."""
    from graphol.results import read_meta

    held = [None if i is None else read_meta(paths[i])["learner"] for paths, i, _ in inside]
    return held[0] if all(each == held[0] for each in held) else None


def _groups(
    results: list[Simulation], paths: list[Path], sizes: list[tuple[int, bool]]
) -> list[tuple[list[Simulation], list[Path]]]:
    """Results by data set, where that tells them apart into comparisons; else all together.

    ``sizes`` says of every folder how many are in it, and whether it is a part of a comparison on
    several data sets, whose embeddings are told apart, too.
    """
    from graphol.report.comparisons import played_on

    by: dict[tuple[str, str], tuple[list[Simulation], list[Path]]] = {}
    start = 0
    for size, part in sizes:
        own = results[start : start + size]
        name, vectors = played_on(own)
        group = by.setdefault((name, vectors if part else ""), ([], []))
        group[0].extend(own)
        group[1].extend(paths[start : start + size])
        start += size
    told_apart = len(by) > 1 and all(len(group) > 1 for group, _ in by.values())
    return list(by.values()) if told_apart else [(results, paths)]


def _hindsight(results: list[Simulation], quiet: bool) -> list[Regrets]:
    from graphol.again import with_tasks
    from graphol.report.regret import regret

    with ProgressLine(quiet=quiet) as watcher:
        played = with_tasks(results, watcher)
        watcher.stage("hindsight")
        return [regret(each) for each in played]
