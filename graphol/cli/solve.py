"""``graphol solve``: a linear system on a graph."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphol.cli import options as given
from graphol.cli.output import ProgressLine, note, say, say_rows

if TYPE_CHECKING:
    from graphol.graph import Graph
    from graphol.registry import Registry


def command(
    graph: given.GraphFile = None,
    dataset: given.DatasetName = None,
    component: given.ComponentName = None,
    rhs: Annotated[
        Path | None,
        typer.Option(
            "--rhs",
            metavar="FILE",
            help="Right-hand sides: .npy or .npz (rows as the graph's nodes), "
            ".csv or .tsv (node,NAME,...).",
        ),
    ] = None,
    random: Annotated[
        int | None,
        typer.Option(
            "--random",
            metavar="K",
            parser=given.whole,
            help="K random right-hand sides instead.",
            show_default="1",
        ),
    ] = None,
    ridge: Annotated[
        float,
        typer.Option("--ridge", metavar="C", parser=given.number, help="Solve with L + C I; >= 0."),
    ] = 0.0,
    solver: Annotated[
        str,
        typer.Option("--solver", metavar="NAME", help="Who solves; see `graphol list solvers`."),
    ] = "auto",
    seed: Annotated[
        int,
        typer.Option(metavar="N", parser=given.whole, help="Of the random right-hand sides; >= 0."),
    ] = 0,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why auto chose the solver it chose.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.npz", help="Write the solution there: x, ids."),
    ] = None,
    force: given.ForceOut = False,
    plugin: given.PluginFiles = None,
    json: given.Json = False,
    quiet: given.Quiet = False,
) -> None:
    """Solve L x = b, or (L + C I) x = b, on a graph.

    L = D - S is the graph's Laplacian. Without a ridge L is singular: b must sum to 0 on every
    connected component, and x does too (it is the pseudo-inverse's solution). Prints the seconds
    for preparing and for solving, the iterations (0: a direct solver) and the largest relative
    residual over all right-hand sides.

    \b
    graphol solve --graph edges.csv --rhs b.npy --out x.npz
    graphol solve --dataset cora --random 64 --ridge 0.1 --explain
    graphol solve --dataset sbm --random 8 --solver cg:tol=1e-10 --json
    """
    from graphol import node_ids, npz
    from graphol.api import Explains
    from graphol.errors import UsageError
    from graphol.report.columns import SOLVED

    if rhs is not None and random is not None:
        raise UsageError(f"give --rhs {rhs} or --random {random}, not both")
    columns = 1 if random is None else random
    if columns < 1:
        raise UsageError(f"--random must be >= 1, got {columns}")
    if not 0 <= ridge < float("inf"):
        raise UsageError(f"--ridge must be >= 0 and finite, got {ridge:g}")
    if out is not None:
        npz.check_target(out, force=force)
    known = given.load(plugin)
    known.make("solver", solver)  # a wrong name is told before anything is read
    with ProgressLine(quiet=quiet) as watcher:
        watcher.stage("read")
        found, _ = given.make_graph(known, dataset, graph, component, seed)
        A, B = _system(found, ridge, rhs, columns, seed)
        chosen = _solver(known, solver, B.shape[1])
        watcher.stage(f"prepare {found.n:,} nodes for {chosen.name}")
        start = time.perf_counter()
        prepared = chosen.prepare(A)
        setup = time.perf_counter() - start
        watcher.stage(f"solve for {B.shape[1]} right-hand side(s)")
        start = time.perf_counter()
        X = prepared.solve(B)
        solving = time.perf_counter() - start
    for text in () if quiet else found.notes:
        note(f"{found.name}: {text}")
    if out is not None:
        ids = node_ids.members(found.ids, found.name)
        npz.write(out, {"x": X, **ids}, {"schema": npz.SCHEMA}, force=force)
    choice, why = chosen.name, f"{chosen.name}: you asked for it"
    if isinstance(prepared, Explains):
        choice, why = prepared.choice, prepared.explain
    row = {
        "graph": found.name,
        "nodes": found.n,
        "edges": found.n_edges,
        "solver": choice,
        "columns": B.shape[1],
        "setup_s": round(setup, 4),
        "solve_s": round(solving, 4),
        "iterations": prepared.iterations,
        "residual": float(f"{prepared.residual:.2e}"),
    }
    say_rows(row | ({"why": why} if explain else {}), SOLVED, json=json)
    if explain and not json:
        say(f"\n{why}")


def _system(graph: Graph, ridge: float, rhs: Path | None, columns: int, seed: int) -> Any:
    """A and B; random right-hand sides are centred where A is singular."""
    import numpy as np
    from scipy.sparse import csr_array, eye_array

    from graphol.linalg.system import LaplacianSystem

    L = graph.laplacian("combinatorial")
    A = csr_array(L + ridge * eye_array(graph.n)) if ridge else L
    if rhs is not None:
        from graphol.formats.right_hand_sides import read_right_hand_sides

        return A, read_right_hand_sides(rhs, graph)
    B = np.random.default_rng(seed).standard_normal((graph.n, columns))
    return A, LaplacianSystem.of(A).centre(B)


def _solver(known: Registry, spec: str, columns: int) -> Any:
    """The solver; ``auto`` is told how many right-hand sides there are, unless the user did."""
    name, _, rest = spec.partition(":")
    told = name != "auto" or any(part.startswith("columns=") for part in rest.split(","))
    return known.make("solver", spec, {} if told else {"columns": str(columns)})
