"""``graphol reproduce``: a paper's table or figure, what it printed beside what comes out here."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphol.cli.options import (
    Force,
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
    from graphol.reproduce import Reproduction
    from graphol.reproduce.experiment import Experiment


def command(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="Which table or figure, or all.", show_default="list them"
        ),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List what can be reproduced.")] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="3 shuffles; figures with every second value, ranks up to 250."
        ),
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
            help="Where finished parts are kept, none of which is played again.",
            show_default="nowhere; of all and of the arena in the cache",
        ),
    ] = None,
    executor: Annotated[
        str | None,
        typer.Option(
            "--executor",
            metavar="NAME",
            help="With --out: where parts are played; see `graphol list executors`.",
            show_default="process",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the figure: .png, .svg or .pdf."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page with every cell and curve."),
    ] = None,
    force: Force = False,
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

    With --out it is played in parts: a data set, or one trial of it. A part that is done is a file
    in that folder, so a run that was stopped in any way goes on with the same command, on one
    machine or, with --executor, on several. A part that fails stops no other and is named; the exit
    code is then 1. `all` is every table and figure, without the arena, in parts.

    \b
    graphol reproduce
    graphol reproduce kdd13-table2 --quick
    graphol reproduce ijcai18-fig1 --datasets cora --plot fig1.png
    graphol reproduce ijcai18-table1 --datasets cora,pubmed,lastfm-asia --json
    graphol reproduce aistats19-table3
    graphol reproduce kdd19-fig9 --out fig9 --executor dask
    graphol reproduce all --quick --html page.html
    graphol reproduce arena --quick --games full,bandit --learners fastonl,molg-f,confidit
    """
    load(plugin, quiet=quiet)
    if name is None or listing:
        _list(json)
        return

    from graphol.linalg.parallel import processors

    jobs = processors() if jobs is None else jobs
    if html is not None:
        from graphol.cli.page import check_page

        check_page(html, force=force)
    asked = {
        "quick": quick,
        "repeats": repeats,
        "seed": seed,
        "datasets": _names(datasets, "--datasets"),
    }
    if name == "all":
        narrow = {
            "--datasets": datasets, "--games": games, "--learners": learners, "--limit": limit,
            "--plot": plot,
        }  # fmt: skip
        for option in (option for option, value in narrow.items() if value is not None):
            raise UsageError(f"{option} is for one table or figure; leave it out, or say which")
        results = _kept(_every(), out, executor, jobs, quiet, asked)
        _write_page(html, results, [name, *_said(asked, plugin)], force=force)
        _say_all(results, json=json, quiet=quiet)
        return

    from graphol.reproduce import named, run
    from graphol.reproduce.experiment import Drawable, Narrowing

    experiment = named(name)
    if isinstance(experiment, Narrowing):  # it keeps its own
        if executor is not None:
            raise UsageError(f"{name} plays its games itself; leave out --executor")
        experiment, out = _narrowed(experiment, games, learners, limit, out), None
    else:
        _narrowed(experiment, games, learners, limit, None)
    if plot is not None:
        from graphol.report.picture import check_plot

        if not isinstance(experiment, Drawable):
            raise UsageError(f"{name} is a table; --plot draws figures, see `graphol reproduce`")
        check_plot(plot, force=force)
    if executor is not None and out is None:
        raise UsageError("--executor plays parts that are kept; say where, --out DIR")
    if out is not None:
        (result,) = _kept([experiment], out, executor, jobs, quiet, asked)
    else:
        with ProgressLine(quiet=quiet) as watcher:
            result = run(experiment, watcher=watcher, jobs=jobs, **asked)
    for text in () if quiet else result.notes:
        note(text)
    if plot is not None and isinstance(experiment, Drawable):
        experiment.draw(result.rows, plot, force=force)
    narrow = {"--games": games, "--learners": learners, "--limit": limit}
    _write_page(html, [result], [name, *_said(asked, plugin, narrow)], force=force)
    if json:
        say_json([row.as_dict() for row in result.rows])
    else:
        _say(result)
    _end(result)


def _said(
    asked: dict[str, Any],
    plugin: Sequence[Path] | None,
    narrow: dict[str, Any] | None = None,
) -> list[str]:
    """The options that change a figure, as they are typed."""
    repeats, datasets = asked["repeats"], asked["datasets"]
    given: dict[str, Any] = {
        "--repeats": f"{repeats[0]}-{repeats[-1]}" if isinstance(repeats, range) else repeats,
        "--seed": asked["seed"],
        "--datasets": ",".join(datasets) or None,
        **(narrow or {}),
    }
    words = ["--quick"] if asked["quick"] else []
    for option, value in given.items():
        words += [] if value is None else [option, str(value)]
    return [*words, *(word for path in plugin or () for word in ("--plugin", str(path)))]


def _write_page(
    path: Path | None, results: Sequence[Reproduction], words: Sequence[str], *, force: bool
) -> None:
    """One page of all results; at its end stands the command of these words."""
    if path is None:
        return
    from graphol.atomic import replacing
    from graphol.reproduce.page import page

    command = shlex.join(["graphol", "reproduce", *words, "--html", str(path), "--force"])
    title = "Every table and figure" if words[0] == "all" else results[0].experiment.title
    with replacing(path, force=force) as temporary:
        temporary.write_text(page(results, command, title), encoding="utf-8")


def _say(result: Reproduction) -> None:
    experiment = result.experiment
    say(f"{experiment.title}\n{experiment.reference}\n")
    columns = experiment.columns(result.rows)
    for i, (heading, lines) in enumerate(experiment.tables(result.rows)):
        if heading:
            say(f"\n{heading}" if i else heading)
        say_rows(lines, columns, json=False)
    say("".join(f"\n- {text}" for text in (*experiment.notes, *result.conclusions)))


def _say_all(results: Sequence[Reproduction], *, json: bool, quiet: bool) -> None:
    """Every cell as JSON; for a person how many cells have which verdict, table by table."""
    for text in () if quiet else dict.fromkeys(text for each in results for text in each.notes):
        note(text)
    if json:
        say_json([row.as_dict() for each in results for row in each.rows])
    else:
        from graphol.reproduce.summary import columns, summary

        say_rows(summary(results), columns(), json=False)
    _end(*results)


def _end(*results: Reproduction) -> None:
    """Exit code 1 if a part failed."""
    failed = [failure for each in results for failure in each.failures]
    if failed:
        note(f"{len(failed)} part(s) failed; the same command tries them again")
        raise typer.Exit(1)


def _every() -> list[Experiment]:
    """All but those that keep their own and take hours."""
    from graphol.reproduce import experiments, named
    from graphol.reproduce.experiment import Narrowing

    found = map(named, experiments())
    return [each for each in found if each.in_all and not isinstance(each, Narrowing)]


def _kept(
    some: Sequence[Experiment],
    out: Path | None,
    executor: str | None,
    jobs: int,
    quiet: bool,
    asked: dict[str, Any],
) -> list[Reproduction]:
    from graphol.folders import cache_folder
    from graphol.reproduce import run_kept
    from graphol.sweep.run import Means

    folder = cache_folder() / "reproduce" if out is None else out
    with ProgressLine(quiet=quiet) as watcher:
        means = Means(executor=executor or "process", jobs=jobs, progress=watcher.cells)
        try:
            return run_kept(some, folder, means=means, **asked)
        except KeyboardInterrupt:
            watcher.stage("")
            _say_how_far(folder)
            raise


def _say_how_far(folder: Path) -> None:
    from graphol.reproduce.kept import PartStore

    store = PartStore(folder)
    planned = store.planned()
    note(
        f"{len(store.done() & planned.keys())} of {len(planned)} parts are done and kept in "
        f"{folder}; the same command goes on from there"
    )


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
