"""``graphol embed``: a graph in, one row of numbers per node out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphol.cli import options as given
from graphol.cli.output import ProgressLine, note_all, say, say_doubts, say_json, say_rows


def command(
    dataset: given.DatasetName = None,
    graph: given.GraphFile = None,
    component: given.ComponentName = None,
    embedding: Annotated[
        str, typer.Option("--embedding", metavar="NAME", help="How nodes become vectors.")
    ] = "spectral",
    seed: given.Seed = 0,
    plugin: given.PluginFiles = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.npz", help="Write the rows there.")
    ] = None,
    force: given.ForceOut = False,
    json: given.Json = False,
    quiet: given.Quiet = False,
    clear_cache: Annotated[
        bool,
        typer.Option("--clear-cache", help="Remove the embeddings kept on disk; nothing else."),
    ] = False,
) -> None:
    """Turn the nodes of a graph into rows of numbers.

    Prints the method, the largest residual ||L v - λ v|| and the time; notes say why that method.
    The file of --out is read by numpy.load: `ids`, `rows`, `eigenvalues`, `residuals`, and a
    `meta.json` with all parameters, versions, the seed and the graph's hash. Labels are not needed.

    What took half a second or more is kept on disk, in $GRAPHOL_CACHE or the user's cache, and not
    computed again; GRAPHOL_CACHE=off keeps nothing.

    \b
    graphol embed --graph edges.csv --embedding spectral:dim=20 --out rows.npz
    graphol embed --dataset sbm:nodes=9000 --component largest --embedding spectral:dim=auto
    """
    if clear_cache:
        _clear(json)
        return
    from graphol import npz
    from graphol.cli.embedded import embedded

    known = given.load(plugin, quiet=quiet)
    vectors = known.make("embedding", embedding)
    if out is not None:
        npz.check_target(out, force=force)
    with ProgressLine(quiet=quiet) as watcher:
        watcher.stage("data")
        nodes, source = given.make_graph(known, dataset, graph, component, seed)
        watcher.stage("embedding")
        result = embedded(nodes, source, vectors, seed)
        if out is not None:
            watcher.stage("write")
            result.save(out, force=force)
    row = result.row()
    why = [result.facts["why"]] if result.facts.get("why") else []
    notes = (*nodes.notes, *result.facts.get("notes", ()), *why)
    note_all(row["graph"], notes, quiet=quiet)
    from graphol.report.columns import EMBEDDED

    say_rows(result.json() | {"out": str(out) if out else None}, EMBEDDED, json=json)
    say_doubts(row["graph"], notes, json=json)


def _clear(json: bool) -> None:
    from graphol.embeddings.store import clear

    files, size = clear()
    if json:
        say_json({"files": files, "bytes": size})
    else:
        say(f"{files} file(s), {size / 1e6:.1f} MB removed")
