"""``graphol simulate``: play a game many times and print what came out."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphol.cli.options import Json, Params, PluginFiles, load
from graphol.cli.output import Progress, note, say, say_json
from graphol.errors import UsageError

if TYPE_CHECKING:
    from graphol.registry import Registry
    from graphol.simulation import Simulation


class Component(StrEnum):
    """Which part of a graph that is not connected."""

    largest = "largest"
    all = "all"


def command(
    learner: Annotated[
        str, typer.Option("--learner", metavar="NAME", help="Who plays; see `graphol list`.")
    ],
    dataset: Annotated[
        str | None,
        typer.Option("--dataset", metavar="NAME", help="On what.", show_default="digits"),
    ] = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            "--graph",
            metavar="FILE",
            help="A graph of your own instead: .csv .tsv .txt .graphml .mtx .npz.",
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="Its labels: a CSV file node,label."),
    ] = None,
    component: Annotated[
        Component | None,
        typer.Option(
            "--component",
            metavar="largest|all",
            help="Play on the largest connected component or on all nodes.",
            show_default="as the dataset says",
        ),
    ] = None,
    feedback: Annotated[
        str | None,
        typer.Option(
            "--feedback", metavar="NAME", help="The protocol.", show_default="the learner's own"
        ),
    ] = None,
    embedding: Annotated[
        str | None,
        typer.Option(
            "--embedding",
            metavar="NAME",
            help="How nodes become vectors.",
            show_default="spectral, or kernel where needed",
        ),
    ] = None,
    param: Params = None,
    repeats: Annotated[
        int, typer.Option(metavar="N", help="Games, each in an order of its own; >= 1.")
    ] = 10,
    rounds: Annotated[
        int | None, typer.Option(metavar="N", help="Rounds per game; >= 1.", show_default="all")
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", help="The same seed gives the same traces; >= 0.")
    ] = 0,
    noise: Annotated[
        float,
        typer.Option(metavar="P", help="Probability of an answer about a wrong label; < 1."),
    ] = 0.0,
    delay: Annotated[int, typer.Option(metavar="N", help="Rounds by which answers come late.")] = 0,
    jobs: Annotated[int, typer.Option(metavar="N", help="Games played at once.")] = 1,
    plugin: PluginFiles = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write every trace and a meta.json there."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", help="Draw the error rate so far: .png, .svg or .pdf."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace what --out and --plot find there.")
    ] = False,
    json: Json = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no notes on stderr.")
    ] = False,
) -> None:
    """Play a game many times and print a table.

    Components are written NAME or NAME:KEY=VALUE,KEY=VALUE. The figures are means over the
    repeats: error rate ± sample standard deviation, class models updated, labels revealed,
    microseconds of prediction and update per round. Progress is shown if stderr is a terminal.

    \b
    graphol simulate --learner molg-b
    graphol simulate --learner molg-f -p b=20 --dataset sbm:nodes=500,classes=3
    graphol simulate --learner molg-b --graph edges.csv --labels labels.csv --json
    """
    if quiet:
        warnings.simplefilter("ignore")  # until main() ends
    known = load(plugin)
    player = _make_learner(known, learner, param)
    data = _make_dataset(known, dataset, graph, labels, component)
    protocol = known.make("feedback", feedback or player.feedback)
    vectors = None if embedding is None else known.make("embedding", embedding)

    from graphol.simulation import open_folder, simulate

    if plot is not None:
        from graphol.report.curve import check_plot

        check_plot(plot, force=force)
    if out is not None:
        open_folder(out, force=force)
    with Progress(quiet=quiet) as watcher:
        result = simulate(
            player, data, feedback=protocol, embedding=vectors, repeats=repeats, seed=seed,
            rounds=rounds, noise=noise, delay=delay, jobs=jobs, watcher=watcher,
        )  # fmt: skip
    for text in () if quiet else result.notes:
        note(f"{result.recipe['task']}: {text}")
    if out is not None:
        result.save(out, force=force)
    if plot is not None:
        from graphol.report.curve import plot as draw

        draw(result.traces, plot, label=f"{player.name} on {result.recipe['task']}", force=force)
    if json:
        say_json(result.row())
    else:
        from graphol.report.table import table

        say(table([_cells(result)]))


def _make_learner(known: Registry, spec: str, params: list[str] | None) -> Any:
    from graphol.registry import pairs

    return known.make("learner", spec, pairs(params or [], "-p"))


def _make_dataset(
    known: Registry,
    spec: str | None,
    graph: Path | None,
    labels: Path | None,
    component: Component | None,
) -> Any:
    params = {} if component is None else {"component": component.value}
    if graph is None:
        if labels is not None:
            raise UsageError("--labels needs --graph, the graph whose nodes it labels")
        return known.make("dataset", spec or "digits", params)
    if spec is not None:
        raise UsageError(f"give --dataset {spec} or --graph {graph}, not both")
    params["graph"] = str(graph)
    if labels is not None:
        params["labels"] = str(labels)
    return known.make("dataset", "files", params)


def _cells(result: Simulation) -> dict[str, Any]:
    """The row as a person reads it."""
    row = result.row()
    mean, std = row["error_rate_mean"], row["error_rate_std"]
    if result.traces[0].predicted.dtype.kind == "i":
        error = {"error %": f"{100 * mean:.2f} ± {100 * std:.2f}"}
    else:
        error = {"squared error": f"{mean:.4g} ± {std:.2g}"}
    return {
        **{key: row[key] for key in ("learner", "dataset", "feedback", "rounds", "repeats")},
        **error,
        "updates": f"{row['updates_mean']:.1f}",
        "queries": f"{row['queries_mean']:.1f}",
        "µs/round": f"{row['us_per_round']:.1f}",
        **{name: f"{row[f'{name}_mean']:.4g}" for name in result.scores[0]},
    }
