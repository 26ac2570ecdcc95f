"""``graphol sweep``: play the cells of a file, as far as they are not done."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphol.cli.options import Json, PluginFiles, Quiet, load, number, size, whole
from graphol.cli.output import ProgressLine, duration, note, say, say_json, say_rows
from graphol.errors import UsageError

if TYPE_CHECKING:
    from graphol.sweep.sweeping import Sweep


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="What is to be played.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Where the cells are kept.",
            show_default="beside the file, its name + -results",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=whole, help="Cells played at once.", show_default="one per core"
        ),
    ] = None,
    executor: Annotated[
        str, typer.Option("--executor", metavar="NAME", help="Where cells are played.")
    ] = "process",
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler", metavar="ADDRESS", help="Of an executor that has one, such as dask."
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="KEY=PATTERN",
            help="Play those alone, as in 'learner=molg-*'; keys are learner, dataset, feedback, "
            "embedding, repeat and seed; repeatable.",
        ),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Play cells again that failed before.")
    ] = False,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first cell that fails.")
    ] = False,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", metavar="SECONDS", parser=number, help="For one cell."),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(
            "--memory", metavar="SIZE", parser=size, help="For one cell's process, as in 2G."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Play nothing but a probe of a few rounds; estimate time and memory."
        ),
    ] = False,
    prepare: Annotated[
        bool, typer.Option("--prepare", help="Fetch the data and embed the graphs, nothing else.")
    ] = False,
    status: Annotated[bool, typer.Option("--status", help="Say how far it is.")] = False,
    why: Annotated[
        str | None,
        typer.Option("--why", metavar="CELL", help="All about one cell, by how its name begins."),
    ] = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove cells that the file does not plan any more.")
    ] = False,
    merge: Annotated[
        Path | None,
        typer.Option("--merge", metavar="DIR", help="Copy in the cells of another folder."),
    ] = None,
    plugin: PluginFiles = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play every cell of a sweep that is not done yet.

    A cell is one learner on one data set in one repeat. It is done when its file is there, so a
    sweep that was stopped in any way goes on with the same command, and what is added to the file
    is all that is played. A cell that fails is kept with its error and does not stop the others;
    the exit code is then 1.

    It prints a table with one row per learner, data set and setting: mean error rate over the
    cells that are done, half the width of its 95 % confidence interval, and how many cells those
    are.

    \b
    graphol sweep plan.toml
    graphol sweep plan.toml --dry-run
    graphol sweep plan.toml --only 'learner=molg-*' --timeout 600 --memory 2G
    graphol sweep plan.toml --status
    graphol sweep plan.toml --why 3f2a
    """
    modes = {
        "--dry-run": dry_run, "--prepare": prepare, "--status": status, "--why": why is not None,
        "--clean": clean, "--merge": merge is not None,
    }  # fmt: skip
    asked = [name for name, given in modes.items() if given]
    if len(asked) > 1:
        raise UsageError(f"give {asked[0]} or {asked[1]}, not both")
    known = load([path.resolve() for path in plugin or []], quiet=quiet)

    from graphol.linalg.parallel import processors
    from graphol.sweep.run import Means
    from graphol.sweep.sweeping import Sweep

    where = {} if scheduler is None else {"scheduler": scheduler}
    means = Means(
        executor=known.make("executor", executor, where),
        jobs=processors() if jobs is None else jobs,
        timeout=timeout,
        memory=memory,
        fail_fast=fail_fast,
    )
    swept = Sweep.of(file, out)
    only = only or []
    if status:
        _status(swept, json)
    elif why is not None:
        _why(swept, why, json)
    elif clean:
        _clean(swept, json)
    elif merge is not None:
        with swept.store.claimed():
            say(f"{swept.store.merge(merge)} cells copied from {merge}")
    elif prepare:
        _prepare(swept, only, quiet)
    elif dry_run:
        _estimate(swept, only, retry_failed, means.jobs, json)
    else:
        again = ["graphol", "sweep", str(file), *(["--out", str(out)] if out is not None else [])]
        again += [word for path in plugin or [] for word in ("--plugin", str(path))]
        _play(swept, means, only, retry_failed, shlex.join(again), json, quiet)


def _play(
    swept: Sweep,
    means: Any,
    only: list[str],
    retry_failed: bool,
    again: str,
    json: bool,
    quiet: bool,
) -> None:
    import attrs

    with ProgressLine(quiet=quiet) as line:
        line.stage("plan")
        try:
            swept.run(attrs.evolve(means, progress=line.cells), only, retry_failed=retry_failed)
        except KeyboardInterrupt:
            line.stage("")
            note(
                f"{_count(swept)} cells are done and kept; the same command goes on from there, "
                f"`{again} --status` says how far it is"
            )
            raise
    _table(swept, json)
    failed, waiting = swept.failed(), swept.planned.open_tunings(swept.store.done())
    if waiting and not quiet:
        note(f"{len(waiting)} settings are not tuned: some of their held-out cells are not done")
    if not quiet and swept.store.done():
        words = ["graphol", "report", str(swept.store.folder), "--html", "page.html"]
        note(f"to look further: {shlex.join(words)}")
    if failed:
        first = next(iter(failed.values()))
        note(
            f"{len(failed)} cell(s) failed, the first with: {first.error}; see "
            f"`{again} --why {first.name[:8]}`, play them again with `{again} --retry-failed`"
        )
        raise typer.Exit(1)


def _count(swept: Sweep) -> str:
    done = len(swept.store.done() & swept.planned.cells.keys())
    return f"{done} of {len(swept.planned.cells)}"


def _table(swept: Sweep, json: bool) -> None:
    from graphol.report.columns import swept as columns
    from graphol.report.comparison import label

    found = swept.rows()
    for row in found:
        for kind in ("learner", "dataset", "feedback", "embedding"):
            row[f"{kind}_label"] = row[kind] and label(row[kind], kind)
        if row["tuned"]:
            row["learner_label"] += f", tuned {', '.join(row['tuned'])}"
    real = any(row["target"] == "real" for row in found)
    several = len({row["embedding_label"] for row in found}) > 1
    say_rows(found, columns(real, embedded=several), json=json)


def _status(swept: Sweep, json: bool) -> None:
    cells, store = swept.planned.cells, swept.store
    done, failed = store.done(), store.failed()
    found = {
        "folder": str(store.folder),
        "cells": len(cells),
        "done": len(done & cells.keys()),
        "failed": len(failed.keys() & cells.keys()),
        "missing": len(swept.missing()),
        "not tuned": len(swept.planned.open_tunings(done)),
        "not planned": len(store.everything() - cells.keys()),
        "bytes": store.size(),
    }
    if json:
        say_json(found)
        return
    for key, value in found.items():
        if value or key in ("cells", "done", "missing"):
            say(f"{key:<12}{_size(value) if key == 'bytes' else value}")


def _why(swept: Sweep, prefix: str, json: bool) -> None:
    store, cells = swept.store, swept.planned.cells
    names = sorted(n for n in cells.keys() | store.everything() if n.startswith(prefix))
    if len(names) != 1 or not prefix:
        several = f"{len(names)} cells begin so, such as {', '.join(names[:3])}"
        raise UsageError(f"no cell is called {prefix}" if not names else f"{prefix}: {several}")
    (name,) = names
    failure = store.failed().get(name)
    done = name in store.done()
    recipe = cells[name].recipe() if name in cells else store.meta(name)["cell"] if done else {}
    log = store.log_path(name)
    found = {
        "cell": name,
        "state": "done" if done else "failed" if failure else "planned",
        "in": swept.planned.where.get(name, "no block of this file"),
        "error": failure and failure.error,
        "why": failure and failure.why,
        "tries": failure and failure.tries,
        "when": failure and failure.when,
        "command": cells[name].command if name in cells else failure and failure.command,
        "recipe": recipe,
        "log": log.read_text(errors="replace") if log.is_file() else None,
    }
    if json:
        say_json(found)
        return
    import json as text

    for key, value in found.items():
        if value is not None and key != "log":
            say(f"{key:<9}{text.dumps(value) if key == 'recipe' else value}")
    if found["log"]:
        say(f"{'log':<9}{log}")
        for line in str(found["log"]).splitlines():
            say(f"         {line}")


def _clean(swept: Sweep, json: bool) -> None:
    store = swept.store
    if swept.planned.open_tunings(store.done()):
        raise UsageError(
            "some settings are not tuned yet, so it is not known which cells they need; play the "
            "sweep to its end, then clean"
        )
    with store.claimed():
        gone = sorted(store.everything() - swept.planned.cells.keys())
        sizes = [(name, store.remove([name])) for name in gone]
    if json:
        say_json([{"cell": name, "bytes": freed} for name, freed in sizes])
        return
    for name, freed in sizes:
        say(f"removed {name}  {_size(freed)}")
    freed = sum(each for _, each in sizes)
    say(f"{len(gone)} cells removed, {_size(freed)}; {_size(store.size())} are left")


def _size(size: Any) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size} bytes"


def _prepare(swept: Sweep, only: list[str], quiet: bool) -> None:
    from graphol.sweep.prepare import prepare
    from graphol.sweep.selecting import selected

    cells = swept.planned.cells
    wanted = [cells[name] for name in selected(cells, only)]
    with ProgressLine(quiet=quiet) as line:
        lines = prepare(wanted, line, line.bytes)
    for text in lines:
        say(text)
    say("all data are here")


def _estimate(swept: Sweep, only: list[str], retry: bool, jobs: int, json: bool) -> None:
    from graphol.sweep.planning import check_data
    from graphol.sweep.probe import ROUNDS, estimate

    names = swept.missing(only, retry_failed=retry)
    check_data(swept.planned, names)
    cells = swept.planned.cells
    found = estimate([cells[name] for name in names], jobs)
    waiting = len(swept.planned.open_tunings(swept.store.done()))
    if json:
        say_json(
            {
                "cells": len(cells), "to play": len(names), "jobs": jobs,
                "seconds estimated": found.seconds, "bytes estimated": found.memory,
                "kinds": found.kinds, "kinds probed": found.probed, "not tuned": waiting,
            }
        )  # fmt: skip
        return
    say(f"{len(cells)} cells, {len(names)} of them to play")
    if waiting:
        say(f"{waiting} settings wait for tuning, and will add cells that score")
    if found.probed:
        say(
            f"about {duration(found.seconds)} with {jobs} at a time, {_size(found.memory)} of "
            f"memory each: estimated from a probe of {ROUNDS} rounds of {found.probed} of "
            f"{found.kinds} kinds of cell"
        )
    elif names:
        say("nothing can be estimated: every probe failed")
