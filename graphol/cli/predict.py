"""``graphol predict``: a label for every node from those of some, and how sure it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphol.cli import options as given
from graphol.cli.output import ProgressLine, note, note_all, say, say_doubts, say_json, say_rows

if TYPE_CHECKING:
    from graphol.label.predicting import Predicted

SHOWN = 10
"""Rows that are printed where no file is asked for."""


def command(
    graph: given.GraphFiles = None,
    labels: given.LabelsFile = None,
    features: given.FeaturesFile = None,
    dataset: given.DatasetName = None,
    component: given.ComponentName = None,
    feedback: Annotated[
        str | None,
        typer.Option(
            "--feedback",
            metavar="NAME",
            help="Which labels are known: seeds:per_class=20, seeds:count=100.",
            show_default="all labels of your files; seeds:per_class=20 of a data set",
        ),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(
            "--learner",
            metavar="NAME",
            help="Who predicts; NAME,NAME weighs several.",
            show_default="chosen by the given labels",
        ),
    ] = None,
    embedding: given.EmbeddingName = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Print who was tried, and how often probabilities hold."),
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write a row per node there: .csv, .tsv or .parquet; - for stdout.",
            show_default="print the first rows",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw how often answers were right that were this sure: .png, .svg or .pdf.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", parser=given.whole, help="Of all that is drawn; >= 0.")
    ] = 0,
    plugin: given.PluginFiles = None,
    force: given.Force = False,
    json: given.Json = False,
    quiet: given.Quiet = False,
) -> None:
    """Predict the labels of all nodes from those of some.

    A row is a node: the class predicted (or given), whether it was given, whether any label bears
    on it, and a probability for each class. Learners are tried on labels held out, and weighed by
    how likely they found them; no label is looked at that was not given.

    \b
    graphol predict --graph edges.csv --labels some.csv --out out.csv
    graphol predict --graph edges.csv --labels some.csv --features f.csv --explain --plot sure.png
    graphol predict --dataset cora --feedback seeds:per_class=20
    """
    from graphol.datasets.files import Files
    from graphol.errors import UsageError
    from graphol.label.predicting import predict
    from graphol.label.rows import as_csv, check_rows, formulas, write_rows
    from graphol.spending import spend

    if seed < 0:
        raise UsageError(f"--seed must be >= 0, got {seed}")
    path = None if out in (None, "-") else Path(str(out))
    if path is not None:
        check_rows(path, force=force)
    if json and out == "-":
        raise UsageError("give --json or --out -, not both: stdout has room for one answer")
    if plot is not None:
        from graphol.report.picture import check_plot

        check_plot(plot, force=force)
    known = given.load(plugin, quiet=quiet)
    who = [known.make("learner", name) for name in given.names(learner)] or None
    vectors = None if embedding is None else known.make("embedding", embedding)
    data = given.make_dataset(known, dataset, graph, labels, component, features=features)
    protocol = given.seeds(known, feedback, own=bool(graph))
    with ProgressLine(quiet=quiet) as watcher:
        watcher.stage("data")
        if isinstance(data, Files) and data.component == "all" and protocol is None:
            layers: Any = data.layers()  # with labels of one class only, say, they are no game
            name, some = data.title, None
        else:
            layers = given.node_task(data, seed)
            name = layers.name
            some = None if protocol is None else spend(layers, protocol, seed).given
        found = predict(
            layers, some, learner=who, embedding=vectors, seed=seed, name=name, watcher=watcher
        )
    notes = (*found.notes, *formulas(found))
    if path is not None:
        write_rows(found, path, force=force)
    if plot is not None:
        from graphol.label.drawing import draw

        draw(found, plot, force=force)
    if json:
        nodes = {} if path is not None else {"nodes": list(found.rows())}
        say_json(found.summary() | {"notes": list(notes)} | nodes)
        return
    note_all(found.name, notes, quiet=quiet)
    if out == "-":
        say(as_csv(found).removesuffix("\n"), exact=True)
        for line in () if quiet else found.told():
            note(line)
        return
    if path is None:
        _first_rows(found)
    if explain:
        _explain(found)
    for line in found.told():
        say(line)
    say_doubts(found.name, notes, json=False)


def _first_rows(found: Predicted) -> None:
    """The likeliest class of some nodes whose label is not given, and how sure it is."""
    import itertools

    from graphol.report.columns import FORETOLD

    names = [f"p_{name}" for name in found.classes]
    rows = [
        {
            "node": row["node"],
            "predicted": row["predicted"],
            "known": "yes" if row["known"] else "no",
            "probability": max(row[name] for name in names),
        }
        for row in itertools.islice((row for row in found.rows() if not row["given"]), SHOWN)
    ]
    left = int((found.given < 0).sum()) - len(rows)
    say_rows(rows, FORETOLD, json=False)
    if left > 0:
        say(f"and {left} more: --out FILE writes all, --out - prints them")
    if rows:
        say("")


def _explain(found: Predicted) -> None:
    """Who was tried, how often probabilities held, and which given labels look odd."""
    from graphol.report.columns import HELD, TRIED

    say_rows(found.candidates, TRIED, json=False)
    say("")
    table = [each._asdict() for each in found.calibration.bins if each.answers]
    if table:
        say_rows(table, HELD, json=False)
        say("")
    for i in found.doubted[:SHOWN]:
        node, label = found.graph.ids[i], found.classes[found.given[i]]
        say(f"look again: {node} is given {label}, and looks like another class")
