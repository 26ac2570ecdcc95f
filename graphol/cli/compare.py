"""``graphol compare``: several learners on one task, the same shuffles for all."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from graphol.cli.options import (
    ComponentName,
    DatasetName,
    Delay,
    EmbeddingName,
    FeedbackName,
    Force,
    FreshData,
    GraphFile,
    Jobs,
    Json,
    LabelsFile,
    Noise,
    OneVsRest,
    Out,
    Plot,
    PluginFiles,
    Quiet,
    Repeats,
    Rounds,
    Seed,
    load,
    make_dataset,
    names,
)
from graphol.cli.output import Progress, note, say, say_json


def command(
    learners: Annotated[
        str | None,
        typer.Option("--learners", metavar="NAME,NAME,...", help="Who plays; see `graphol list`."),
    ] = None,
    learner: Annotated[
        list[str] | None,
        typer.Option("--learner", metavar="NAME", help="One more of them; repeatable."),
    ] = None,
    dataset: DatasetName = None,
    graph: GraphFile = None,
    labels: LabelsFile = None,
    component: ComponentName = None,
    feedback: FeedbackName = None,
    embedding: EmbeddingName = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="NAME",
            help="The learner to hold the others against.",
            show_default="the best",
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option(metavar="P", help="Of the intervals; > 0 and < 1.")
    ] = 0.95,
    repeats: Repeats = 10,
    rounds: Rounds = None,
    seed: Seed = 0,
    noise: Noise = 0.0,
    delay: Delay = 0,
    jobs: Jobs = 1,
    fresh_data: FreshData = False,
    one_vs_rest: OneVsRest = False,
    plugin: PluginFiles = None,
    out: Out = None,
    plot: Plot = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let several learners play the same games.

    It prints a table with one row per learner.

    Repeat r is the same order of nodes for everybody, so differences of the error rate are taken
    repeat by repeat: their mean in percentage points against one learner, and its confidence
    interval by the paired t-test, with a * where it excludes 0. With one repeat there is no
    interval. Intervals are over shuffles of this graph, and not corrected for being several.

    A learner is written NAME or NAME:KEY=VALUE,KEY=VALUE.

    \b
    graphol compare --learners molg-f,oslg,ollgc
    graphol compare --learners molg-b,molg-b:b=20,phi=5,confidit --plot curves.png
    graphol compare --learner molg-b --learner soba --dataset pubmed --against soba --json
    """
    if quiet:
        warnings.simplefilter("ignore")  # until main() ends
    known = load(plugin)
    data = make_dataset(known, dataset, graph, labels, component)
    protocol = None if feedback is None else known.make("feedback", feedback)
    vectors = None if embedding is None else known.make("embedding", embedding)

    from graphol.report.compare import compare, open_folders, players

    who = players(names(learners) + (learner or []))
    if plot is not None:
        from graphol.report.picture import check_plot

        check_plot(plot, force=force)
    if out is not None:
        open_folders(out, who, force=force)
    with Progress(quiet=quiet) as watcher:
        found = compare(
            who, data, feedback=protocol, embedding=vectors, against=against, confidence=confidence,
            watcher=watcher, repeats=repeats, seed=seed, rounds=rounds, noise=noise, delay=delay,
            jobs=jobs, fresh_data=fresh_data, one_vs_rest=one_vs_rest,
        )  # fmt: skip
    task = found.results[0].recipe["task"]
    for text in () if quiet else found.notes:
        note(f"{task}: {text}")
    if out is not None:
        found.save(out, force=force)
    if plot is not None:
        from graphol.report.curve import plot_all, spread

        traces = {
            label: each.traces for label, each in zip(found.labels, found.results, strict=True)
        }
        plot_all(traces, plot, title=task + spread(found.results[0].traces), force=force)
    if json:
        say_json(found.rows())
    else:
        from graphol.report.table import table

        say(table(found.table(), found.columns))
