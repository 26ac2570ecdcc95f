"""``graphol explain``: the labelled nodes that decided a node's label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphol.cli import options as given
from graphol.cli.output import ProgressLine, note_all, say, say_json, say_rows

if TYPE_CHECKING:
    from graphol.graph import Graph


def command(
    node: Annotated[str, typer.Argument(metavar="NODE", help="The node, by your own id.")],
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
            help="Which labels are known: seeds:split=fixed, seeds:per_class=20, seeds:count=100.",
            show_default="all labels of your files; seeds:per_class=20 of a data set",
        ),
    ] = None,
    learner: Annotated[
        str,
        typer.Option("--learner", metavar="NAME", help="Who says the label."),
    ] = "label-propagation",
    top: Annotated[
        int, typer.Option("--top", metavar="N", parser=given.whole, help="Rows; >= 1.")
    ] = 10,
    seed: Annotated[
        int, typer.Option(metavar="N", parser=given.whole, help="Of the labels drawn; >= 0.")
    ] = 0,
    plugin: given.PluginFiles = None,
    json: given.Json = False,
    quiet: given.Quiet = False,
) -> None:
    """Say which labelled nodes decided a node's label.

    The node's own label is not told to the learner. A row is a labelled node, what it adds to the
    score of its own class at this node, and its share of what all labelled nodes add.

    \b
    graphol explain ann --graph edges.csv --labels labels.csv
    graphol explain 42 --dataset cora:component=all --feedback seeds:split=fixed --top 5 --json
    """
    from graphol.errors import UsageError
    from graphol.explaining import check_explains, explain
    from graphol.report.columns import EXPLAINED
    from graphol.spending import spend

    if top < 1:
        raise UsageError(f"--top must be >= 1, got {top}")
    if seed < 0:
        raise UsageError(f"--seed must be >= 0, got {seed}")
    known = given.load(plugin, quiet=quiet)
    who = known.make("learner", learner)
    check_explains(who)
    data = given.make_dataset(known, dataset, graph, labels, component, features=features)
    protocol = given.seeds(known, feedback, own=bool(graph))
    with ProgressLine(quiet=quiet) as watcher:
        watcher.stage("data")
        task = given.node_task(data, seed)
        row, spent = _row(task.graph, node), spend(task, protocol, seed)
        watcher.stage(who.name)
        found = explain(task, who, row, spent.given, seed=seed)
    rows = found.influences[:top]
    if json:
        say_json(
            {
                "node": found.node,
                "label": found.label,
                "known": found.known,
                "learner": who.name,
                "labels": found.labels,
                "scores": found.scores,
                "influences": rows,
                "notes": list(task.graph.notes),
            }
        )
        return
    note_all(task.name, task.graph.notes, quiet=quiet)
    if found.known:
        scores = ", ".join(f"{name} {score:.3g}" for name, score in [*found.scores.items()][:5])
        say(f"{node}: {found.label} (scores: {scores})\n")
        say_rows([{**each, "node": str(each["node"])} for each in rows], EXPLAINED, json=False)
    else:
        say(f"{node}: {found.label}, a guess: none of the {found.labels} label(s) bears on it")


def _row(graph: Graph, node: str) -> int:
    """The row of the node whose id is written so."""
    from graphol.errors import UsageError, near

    rows = {str(each): i for i, each in enumerate(graph.ids)}
    if node not in rows:
        raise UsageError(f"{graph.name} has no node {node!r}; {near(node, rows)}")
    return rows[node]
