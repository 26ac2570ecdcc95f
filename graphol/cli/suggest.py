"""``graphol suggest``: the nodes whose labels would help most."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphol.cli import options as given
from graphol.cli.output import ProgressLine, note, note_all, say_json, say_rows

if TYPE_CHECKING:
    from graphol.graph import Graph
    from graphol.registry import Registry


def command(
    count: Annotated[
        int, typer.Option("--count", "-n", metavar="N", parser=given.whole, help="Nodes; >= 1.")
    ] = 10,
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
    strategy: given.StrategyName = "uncertainty",
    learner: Annotated[
        str | None,
        typer.Option(
            "--learner",
            metavar="NAME",
            help="Who says what the nodes are, and how surely.",
            show_default="chosen by the given labels",
        ),
    ] = None,
    embedding: given.EmbeddingName = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the table there too: .csv, .md, .tex."),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", parser=given.whole, help="Of all that is drawn; >= 0.")
    ] = 0,
    plugin: given.PluginFiles = None,
    force: given.Force = False,
    json: given.Json = False,
    quiet: given.Quiet = False,
) -> None:
    """Say which nodes to label next: the most useful, no two alike.

    A row is a node, the best first: what its label is worth to the strategy, less what the node has
    in common with those before it; the learner's guess and its probability; and why. No labels need
    be known: then nodes are spread over the graph. `graphol simulate --strategy` measures a
    strategy where all labels are known.

    \b
    graphol suggest --graph edges.csv --labels some.csv -n 20
    graphol suggest --graph edges.csv --labels some.csv --strategy expected-change --out next.csv
    graphol suggest --dataset cora --feedback seeds:per_class=5 --learner walk
    """
    from graphol.label.suggesting import suggest
    from graphol.report.columns import SUGGESTED

    if out is not None:
        from graphol.report.export import check_export

        check_export(out, force=force)
    known = given.load(plugin, quiet=quiet)
    chosen = known.make("strategy", strategy)
    who = None if learner is None else known.make("learner", learner)
    vectors = None if embedding is None else known.make("embedding", embedding)
    data = given.make_dataset(known, dataset, graph, labels, component, features=features)
    with ProgressLine(quiet=quiet) as watcher:
        watcher.stage("data")
        graphs, name = _graphs(known, data, feedback, seed, own=bool(graph))
        found = suggest(
            graphs, count=count, strategy=chosen, learner=who, embedding=vectors, seed=seed,
            watcher=watcher,
        )  # fmt: skip
    rows = found.rows()
    if out is not None:
        from graphol.report.export import export

        export([_texts(row) for row in rows], SUGGESTED, out, force=force)
    if json:
        about = {"strategy": found.strategy, "learner": found.learner, "labels": found.labels}
        say_json(about | {"notes": list(found.graph.notes), "suggestions": rows})
        return
    note_all(name, found.graph.notes, quiet=quiet)
    if not rows:
        note(f"{name}: every node has a label")
    say_rows([_texts(row) for row in rows], SUGGESTED, json=False)


def _texts(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"node": str(row["node"])}


def _graphs(
    known: Registry, data: Any, feedback: str | None, seed: int, *, own: bool
) -> tuple[tuple[Graph, ...], str]:
    """The layers with the labels that are known, the first one's; of files there may be none."""
    import numpy as np

    from graphol.spending import spend

    protocol = given.seeds(known, feedback, own=own)
    if protocol is None and data.component != "largest":
        graphs = data.layers()
        return graphs, Path(data.graph).name
    task = given.node_task(data, seed)
    first, *more = task.graphs
    some = spend(task, protocol, seed).given
    labels = np.full(first.n, -1)
    labels[some.nodes] = some.labels
    return (first.labelled(labels, first.label_names), *more), task.name
