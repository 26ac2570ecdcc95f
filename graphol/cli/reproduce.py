"""``graphol reproduce``: a paper's table or figure, what it printed beside what comes out here."""

from __future__ import annotations

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
    number,
    read_repeats,
    whole,
)
from graphol.cli.output import ProgressLine, note, say, say_json, say_rows
from graphol.errors import UsageError

if TYPE_CHECKING:
    from graphol.reproduce.experiment import Experiment


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
    games: Annotated[
        str | None,
        typer.Option(
            "--games",
            metavar="NAME,NAME",
            help="Of the arena: full, bandit, selective, seeds20, seeds50, seeds200.",
            show_default="all",
        ),
    ] = None,
    learners: Annotated[
        str | None,
        typer.Option(
            "--learners",
            metavar="NAME,NAME",
            help="Of the arena: who plays beside our champion.",
            show_default="all",
        ),
    ] = None,
    limit: Annotated[
        float | None,
        typer.Option(
            "--limit",
            metavar="SECONDS",
            parser=number,
            help="Of the arena: five games that would take longer are not played.",
            show_default="600",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Of the arena: where finished games are kept, none of which is played again.",
            show_default="in the cache",
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
    mistakes that is larger than the number of rounds). Of the arena: win, tie and loss of our
    champion; failed or not played, with the reason.

    Every row of --json holds the command that plays its games again; where every trial is tuned,
    the parameters of each and the command of the first.

    \b
    graphol reproduce
    graphol reproduce kdd13-table2 --quick
    graphol reproduce ijcai18-fig1 --datasets cora --plot fig1.png
    graphol reproduce ijcai18-table1 --datasets cora,pubmed,lastfm-asia --json
    graphol reproduce aistats19-table3
    graphol reproduce arena --quick --games full,bandit --learners fastonl,molg-f,confidit
    """
    load(plugin, quiet=quiet)
    if name is None or listing:
        _list(json)
        return

    from graphol.linalg.parallel import processors
    from graphol.reproduce import named, run
    from graphol.reproduce.experiment import Drawable

    experiment = _narrowed(named(name), games, learners, limit, out)
    if plot is not None:
        from graphol.report.picture import check_plot

        if not isinstance(experiment, Drawable):
            raise UsageError(f"{name} is a table; --plot draws figures, see `graphol reproduce`")
        check_plot(plot, force=force)
    with ProgressLine(quiet=quiet) as watcher:
        result = run(
            experiment, quick=quick, repeats=repeats, seed=seed, watcher=watcher,
            jobs=processors() if jobs is None else jobs,
            datasets=_names(datasets, "--datasets"),
        )  # fmt: skip
    for text in () if quiet else result.notes:
        note(text)
    if plot is not None and isinstance(experiment, Drawable):
        experiment.draw(result.rows, plot, force=force)
    if json:
        say_json([row.as_dict() for row in result.rows])
        return

    say(f"{experiment.title}\n{experiment.reference}\n")
    columns = experiment.columns(result.rows)
    for i, (heading, lines) in enumerate(experiment.tables(result.rows)):
        if heading:
            say(f"\n{heading}" if i else heading)
        say_rows(lines, columns, json=False)
    say("".join(f"\n- {text}" for text in (*experiment.notes, *result.conclusions)))


def _list(json: bool) -> None:
    from graphol.reproduce import experiments

    rows = [
        {"name": e.name, "title": e.title, "reference": e.reference}
        for offers in experiments().values()
        for _, e in offers
    ]
    say_rows(rows, ["name", "title"], json=json)


def _narrowed(
    experiment: Experiment,
    games: str | None,
    learners: str | None,
    limit: float | None,
    out: Path | None,
) -> Experiment:
    """The experiment, or as much of it as is asked for."""
    given = {"--games": games, "--learners": learners, "--limit": limit, "--out": out}
    asked = [option for option, value in given.items() if value is not None]
    if not asked:
        return experiment
    from graphol.reproduce.experiment import Narrowing

    if not isinstance(experiment, Narrowing):
        raise UsageError(f"{experiment.name} has no {asked[0]}; that is an option of the arena")
    return experiment.narrowed(
        games=_names(games, "--games"), learners=_names(learners, "--learners"), limit=limit,
        out=out,
    )  # fmt: skip


def _names(text: str | None, option: str) -> list[str]:
    found = [] if text is None else names(text)
    if not all(found) or (text is not None and not found):
        raise UsageError(f"{option} {text!r}: a name is empty; write NAME,NAME")
    return list(dict.fromkeys(found))
