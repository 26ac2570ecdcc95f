"""``graphol compare``: several learners on one task, the same shuffles for all."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated

import typer

from graphol.cli.options import Against, Confidence, names
from graphol.cli.output import ProgressLine, note_all, say_doubts, say_rows
from graphol.cli.setting import Setting, with_setting


@with_setting
def command(
    setting: Setting,
    learners: Annotated[
        str | None,
        typer.Option("--learners", metavar="NAME,NAME,...", help="Who plays; see `graphol list`."),
    ] = None,
    learner: Annotated[
        list[str] | None,
        typer.Option("--learner", metavar="NAME", help="One more of them; repeatable."),
    ] = None,
    against: Against = None,
    confidence: Confidence = 0.95,
) -> None:
    """Let several learners play the same games.

    It prints a table with one row per learner.

    Repeat r is the same order of nodes for everybody, so differences of the error rate are taken
    repeat by repeat: their mean in percentage points against one learner, and its confidence
    interval by the paired t-test, with a * where it excludes 0. Beside every error rate stands half
    the width of its own mean's interval, by Student's t. With one repeat there is no interval.
    Intervals are over shuffles of this graph, and not corrected for being several.

    A learner is written NAME or NAME:KEY=VALUE,KEY=VALUE.

    \b
    graphol compare --learners molg-f,oslg,ollgc
    graphol compare --learners molg-b,molg-b:b=20,phi=5,confidit --plot curves.png
    graphol compare --learner molg-b --learner soba --dataset pubmed --against soba --json
    """
    known = setting.begin()
    out, plot, force, quiet = setting.out, setting.plot, setting.force, setting.quiet
    data, vectors = setting.data(known), setting.vectors(known)
    protocol = None if setting.feedback is None else known.make("feedback", setting.feedback)

    from graphol.compare import compare, players
    from graphol.report.comparison import open_comparison

    who = players(names(learners) + (learner or []))
    setting.check_plot()
    learning = [each.name for each in who]
    opening = nullcontext() if out is None else open_comparison(out, learning, force=force)
    with opening as place, ProgressLine(quiet=quiet) as watcher:
        found = compare(
            who, data, feedback=protocol, embedding=vectors, against=against, confidence=confidence,
            watcher=watcher, plan=setting.plan(), fuser=setting.fuser,
        )  # fmt: skip
        if place is not None:
            watcher.stage("write")
            with place.replacing() as new:
                found.write(new)
    task = found.results[0].recipe["task"]
    note_all(task, found.notes, quiet=quiet)
    if plot is not None:
        from graphol.report.curve import plot as draw

        draw(dict(zip(found.labels, found.results, strict=True)), plot, force=force)
    say_rows(found.rows(), found.columns, json=setting.json)
    say_doubts(task, found.notes, json=setting.json)
