"""``graphol reproduce``: a paper's table or figure, what it printed beside what comes out here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphol.cli.options import (
    ForcePlot,
    Json,
    PluginFiles,
    Quiet,
    load,
    names,
    read_repeats,
    whole,
)
from graphol.cli.output import ProgressLine, note, say, say_json, say_rows
from graphol.errors import UsageError

if TYPE_CHECKING:
    from graphol.reproduce.experiment import Row


def command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Which table or figure.", show_default="list them"),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List what can be reproduced.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="3 shuffles; figures with every second value.")
    ] = False,
    repeats: Annotated[
        Any,
        typer.Option(
            metavar="N|FIRST-LAST",
            parser=read_repeats,
            help="Shuffles that score, as many or those.",
            show_default="20; of jmlr15 10; of aistats19 as in the paper",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(metavar="N", parser=whole, help="The same seed gives the same figures; >= 0."),
    ] = 0,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=whole, help="Games played at once.", show_default="one per core"
        ),
    ] = None,
    datasets: Annotated[
        str | None,
        typer.Option(
            "--datasets",
            metavar="NAME,NAME",
            help="On which data, e.g. cora,lastfm-asia,facebook-pages.",
            show_default="the paper's",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the figure: .png, .svg or .pdf."),
    ] = None,
    force: ForcePlot = False,
    plugin: PluginFiles = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a paper's table or figure again; published beside measured.

    Hyper-parameters are tuned on shuffles that do not score. Verdicts: reproduced (within the
    tolerance), better (beyond it on the good side: a lower error, a higher accuracy), short (beyond
    it on the other), not compared (seconds, which are of two machines), drawn, not printed (a point
    of a curve), data not available, no published figure (the paper prints none), quoted, not run (a
    row that the paper took from others), differs (a size), above T: says nothing (a bound on
    mistakes that is larger than the number of rounds).

    Every row of --json holds the command that plays its games again; where every trial is tuned,
    the parameters of each and the command of the first.

    \b
    graphol reproduce
    graphol reproduce kdd13-table2 --quick
    graphol reproduce ijcai18-fig1 --datasets cora --plot fig1.png
    graphol reproduce ijcai18-table1 --datasets cora,pubmed,lastfm-asia --json
    graphol reproduce aistats19-table3
    """
    load(plugin, quiet=quiet)
    if name is None or listing:
        _list(json)
        return

    from graphol.linalg.parallel import processors
    from graphol.reproduce import named, run
    from graphol.reproduce.experiment import Drawable

    experiment = named(name)
    if plot is not None:
        from graphol.report.picture import check_plot

        if not isinstance(experiment, Drawable):
            raise UsageError(f"{name} is a table; --plot draws figures, see `graphol reproduce`")
        check_plot(plot, force=force)
    with ProgressLine(quiet=quiet) as watcher:
        result = run(
            experiment, quick=quick, repeats=repeats, seed=seed, watcher=watcher,
            jobs=processors() if jobs is None else jobs,
            datasets=[] if datasets is None else _names(datasets),
        )  # fmt: skip
    for text in () if quiet else result.notes:
        note(text)
    if plot is not None and isinstance(experiment, Drawable):
        experiment.draw(result.rows, plot, force=force)
    if json:
        say_json([row.as_dict() for row in result.rows])
        return

    from graphol.report.columns import reproduced

    lines = _lines(result.rows)
    say(f"{experiment.title}\n{experiment.reference}\n")
    say_rows(lines, reproduced(lines[0].get("x") if lines else None), json=False)
    say("".join(f"\n- {text}" for text in (*experiment.notes, *result.conclusions)))


def _list(json: bool) -> None:
    from graphol.reproduce import EXPERIMENTS

    rows = [
        {"name": e.name, "title": e.title, "reference": e.reference} for e in EXPERIMENTS.values()
    ]
    say_rows(rows, ["name", "title"], json=json)


def _names(text: str) -> list[str]:
    found = names(text)
    if not all(found):
        raise UsageError(f"--datasets {text!r}: a name is empty; write NAME,NAME")
    return list(dict.fromkeys(found))


def _lines(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows as a person reads them; a data set that is not there is one line."""
    there = {row.dataset for row in rows if row.measured is not None}
    lines = {
        (row.dataset, index if row.dataset in there else 0): row.as_dict()
        for index, row in enumerate(rows, start=1)
    }
    for (dataset, _), line in lines.items():
        if dataset not in there:
            line |= {"learner": "all", "metric": "", "paper": None}
    return list(lines.values())
