"""``graphol report``: tables, curves and comparisons of results that were kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphol.cli.options import Against, ForcePlot, Json, Plot, PluginFiles, Quiet, load, number
from graphol.cli.output import ProgressLine, note_all, say_doubts, say_rows
from graphol.cli.simulate import judge

if TYPE_CHECKING:
    from graphol.report.regret import Regrets
    from graphol.simulation import Simulation


def command(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Folders that --out wrote.", show_default=False),
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
    plot: Plot = None,
    force: ForcePlot = False,
    plugin: PluginFiles = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print the table of results that were kept.

    They are what `simulate --out` or `compare --out` wrote: one folder gives the row of simulate,
    several the table of compare; a folder of compare stands for those inside it. Nothing is played,
    and no data is read unless --regret is given.

    Several folders must be of the same games: data, graph, seed and what was asked in every round.
    Others are refused. Of different repeats those that all have are compared, and a note says so.

    --regret needs the very graph: it is refused where the graph's hash is another today.

    \b
    graphol report results
    graphol report first second third --against second --plot curves.png
    graphol report results --regret --json
    """
    load(plugin, quiet=quiet)
    from graphol.errors import UsageError
    from graphol.interval import CONFIDENCE, check_confidence
    from graphol.report.columns import GAME, figures, regrets
    from graphol.report.comparison import Comparison, opened
    from graphol.simulation import Simulation

    if plot is not None:
        from graphol.report.picture import check_plot

        check_plot(plot, force=force)
    inside = [opened(folder) for folder in folders]
    paths = [path for found, _, _ in inside for path in found]
    said = inside[0][1:] if len(inside) == 1 else (None, CONFIDENCE)  # by a comparison of itself
    wanted = said[1] if confidence is None else confidence
    check_confidence(wanted)
    results = [Simulation.load(path) for path in paths]
    if len(results) == 1:
        if against is not None:
            raise UsageError(f"--against {against} needs a second folder to compare with")
        (one,) = results
        labels, notes = [one.recipe["learner"]["name"]], one.notes
        rows, columns = [one.row(wanted)], [*GAME, *figures(one, wanted)]
    else:
        usual = None if said[0] is None else results[said[0]].recipe["learner"]
        compared = Comparison.of(
            results, against=against or usual, confidence=wanted,
            names=[str(path) for path in paths],
        )  # fmt: skip
        labels, results, notes = [*compared.labels], [*compared.results], compared.notes
        rows, columns = compared.rows(), [*compared.columns]
    hindsight: list[Regrets] = []
    if regret:
        hindsight = _hindsight(results, quiet)
        rows = [row | each.row() for row, each in zip(rows, hindsight, strict=True)]
        columns = [*columns, *regrets(rows[0])]
    task = results[0].recipe["task"]
    note_all(task, notes, quiet=quiet)
    if plot is not None:
        from graphol.report.curve import plot as draw

        draw(dict(zip(labels, results, strict=True)), plot, force=force)
    say_rows(rows if len(rows) > 1 else rows[0], columns, json=json)
    say_doubts(task, notes, json=json)
    judge(dict(zip(labels, hindsight, strict=False)), quiet)


def _hindsight(results: list[Simulation], quiet: bool) -> list[Regrets]:
    from graphol.again import with_tasks
    from graphol.report.regret import regret

    with ProgressLine(quiet=quiet) as watcher:
        played = with_tasks(results, watcher)
        watcher.stage("hindsight")
        return [regret(each) for each in played]
