"""``graphol fuse``: several graphs over the same nodes become one, weighed by a few labels."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphol.cli import options as given
from graphol.cli.output import ProgressLine, note_all, say_json, say_rows

if TYPE_CHECKING:
    from graphol.fusing import Fused


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
            help="Which labels are spent: seeds:split=fixed, seeds:per_class=20, seeds:count=100.",
            show_default="all labels of your files; seeds:per_class=20 of a data set",
        ),
    ] = None,
    learner: Annotated[
        str,
        typer.Option("--learner", metavar="NAME", help="Who weighs the layers."),
    ] = "multi-mrf",
    eliminate: Annotated[
        bool,
        typer.Option(
            "--eliminate",
            help="Take the vertices of features out again: nodes that share one are joined.",
        ),
    ] = False,
    cap: Annotated[
        float,
        typer.Option(
            "--cap",
            metavar="C",
            parser=given.number,
            help="Edges of a feature are at most C times as heavy as the heaviest graph's; > 0, "
            "inf for no bound.",
        ),
    ] = 1.0,
    seed: Annotated[
        int, typer.Option(metavar="N", parser=given.whole, help="Of the labels drawn; >= 0.")
    ] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.npz", help="Write the fused graph there."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the weights: .png, .svg or .pdf."),
    ] = None,
    force: given.Force = False,
    plugin: given.PluginFiles = None,
    json: given.Json = False,
    quiet: given.Quiet = False,
) -> None:
    """Weigh several graphs by a few labels, and add them up.

    Layers are the graphs and, where the learner selects some, node features: each of those is a
    vertex more, without a label, unless --eliminate takes it out again. The table has the weight of
    every layer and its share of all edge weights of the fused graph.

    The file that --out writes is a graph like any other, with the labels, the features and the
    split of the nodes (labels spent, labels that chose, all others); meta.json in it says how it
    came about. Score no learner on labels that were spent: --feedback seeds:split=fixed asks for
    the others only.

    \b
    graphol fuse --graph cites.csv --graph words.csv --labels labels.csv --out fused.npz
    graphol fuse --dataset cora:component=all --feedback seeds:split=fixed --plot weights.png
    graphol simulate --learner molg-f --graph fused.npz --feedback seeds:split=fixed
    """
    from graphol import npz, seeding
    from graphol.errors import UsageError
    from graphol.fusing import check_fuser, fuse
    from graphol.spending import spend

    known = given.load(plugin, quiet=quiet)
    if not cap > 0:
        raise UsageError(f"--cap must be > 0, got {cap:g}")
    if seed < 0:
        raise UsageError(f"--seed must be >= 0, got {seed}")
    if out is not None:
        npz.check_target(out, force=force)
    if plot is not None:
        from graphol.report.picture import check_plot

        check_plot(plot, force=force)
    fuser = known.make("learner", learner)
    check_fuser(fuser)
    data = given.make_dataset(known, dataset, graph, labels, component, features=features)
    protocol = given.seeds(known, feedback, own=bool(graph))
    with ProgressLine(quiet=quiet) as watcher:
        watcher.stage("data")
        task = given.node_task(data, seed)
        spent = spend(task, protocol, seed)
        watcher.stage(f"weigh {len(task.graphs)} graph(s) by {len(spent.given.nodes)} label(s)")
        fused = fuse(task, fuser, spent.given, seeding.learner(seed), eliminate=eliminate, cap=cap)
        whole = fused.graph.noted(
            f"{fused.spent} label(s) were spent on its weights; score others only, by "
            "seeds:split=fixed"
            if spent.split is not None
            else f"all {fused.spent} labels were spent on its weights; none is left to score by"
        )
        if out is not None:
            from graphol.formats import write_npz

            watcher.stage("write")
            about = _provenance(
                fused, data, fuser, protocol, seed, {"cap": cap, "eliminate": eliminate}
            )
            write_npz(whole, out, spent.split, about, force=force)
    note_all(task.name, fused.graph.notes, quiet=quiet)
    if plot is not None:
        from graphol.report.bars import plot_weights

        plot_weights(fused.rows, plot, title=f"{fuser.name} on {task.name}", force=force)
    if json:
        found = fused.graph
        say_json(
            {
                "task": task.name,
                "learner": fuser.name,
                "labels": len(spent.given.nodes),
                "validation_labels": len(spent.given.validation_nodes),
                "nodes": found.n,
                "edges": found.n_edges,
                "graph_hash": whole.hash,
                "layers": fused.rows,
                "notes": list(whole.notes),
                "out": None if out is None else str(out),
            }
        )
        return
    from graphol.report.columns import FUSED

    say_rows(fused.rows, FUSED, json=False)


def _provenance(
    fused: Fused, data: Any, fuser: Any, protocol: Any, seed: int, more: dict[str, Any]
) -> dict[str, Any]:
    """How the file came about, as plain data."""
    from graphol.command import options_of, spelled
    from graphol.npz import SCHEMA
    from graphol.params import describe
    from graphol.registry import registry
    from graphol.simulation import versions

    source, words = describe(data), ["graphol", "fuse"]
    for path in registry().files:
        words += ["--plugin", str(path)]
    said = options_of(source)
    words += said or []
    if protocol is not None:
        words += ["--feedback", spelled(describe(protocol))]
    words += ["--learner", spelled(describe(fuser)), "--seed", str(seed)]
    words += ["--cap", str(more["cap"]), *(["--eliminate"] if more["eliminate"] else [])]
    return {
        "schema": SCHEMA,
        "made_by": "graphol fuse",
        "command": None if said is None else shlex.join(words),
        "dataset": source,
        "feedback": None if protocol is None else describe(protocol),
        "learner": describe(fuser),
        "seed": seed,
        "cap": more["cap"] if math.isfinite(more["cap"]) else None,
        "eliminate": more["eliminate"],
        "layers": [each._asdict() for each in fused.layers],
        "labels_spent": len(fused.given.nodes),
        "validation_labels_spent": len(fused.given.validation_nodes),
        "versions": versions(),
    }
