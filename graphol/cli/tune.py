"""``graphol tune``: choose parameters on held-out shuffles, score them on fresh ones."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated

import typer

from graphol.cli.options import Confidence, Params, whole
from graphol.cli.output import ProgressLine, note_all, say, say_doubts, say_json, say_rows
from graphol.cli.setting import Setting, with_setting


@with_setting
def command(
    setting: Setting,
    learner: Annotated[
        str, typer.Option("--learner", metavar="NAME", help="Who plays; see `graphol list`.")
    ],
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            "-g",
            metavar="KEY=VALUE,VALUE,...",
            help="Values to choose from: of a parameter of the learner, or of embedding.KEY, "
            "feedback.KEY, dataset.KEY; repeatable.",
        ),
    ] = None,
    param: Params = None,
    shuffles: Annotated[
        int, typer.Option(metavar="N", parser=whole, help="Held out to choose by; >= 1.")
    ] = 5,
    confidence: Confidence = 0.95,
    every: Annotated[
        bool, typer.Option("--all", help="List every setting with its held-out error first.")
    ] = False,
) -> None:
    """Choose parameters on shuffles that never score.

    All combinations of the values play the held-out shuffles. Of those within one standard error of
    the lowest error, the one with the fewest updates is chosen. It then plays the repeats, on which
    nothing was chosen, beside the setting as it was given: the row has both held-out and fresh
    error, the error of the setting as given, and the paired difference. The last line is the
    command that plays the chosen setting again.

    A held-out error is of the best of many and so a little too good; the fresh one is not. A
    dataset.KEY must leave nodes and labels as they are, so generated data are refused: there
    another value is another problem.

    Tables go into files as they are printed: the row, or with --all the list of settings.

    \b
    graphol tune --learner molg-f -g phi=1,10,100 -g embedding.dim=5,20,100
    graphol tune --learner molg-b --dataset sbm:nodes=500 -g b=5,10,20 --shuffles 10 --all
    graphol tune --learner oslg -g dataset.k=5,10,20 --json
    """
    known = setting.begin()
    out, plot, force, quiet = setting.out, setting.plot, setting.force, setting.quiet
    from graphol.place import open_folder
    from graphol.spelling import pairs, pieces
    from graphol.tuning import tune

    values = {key: pieces(text) for key, text in pairs(grid or [], "-g").items()}
    player = known.make("learner", learner, pairs(param or [], "-p"))
    data, vectors = setting.data(known), setting.vectors(known)
    protocol = None if setting.feedback is None else known.make("feedback", setting.feedback)
    setting.check_files()
    opening = nullcontext() if out is None else open_folder(out, force=force)
    with opening as place, ProgressLine(quiet=quiet) as watcher:
        found = tune(
            player, data, values, feedback=protocol, embedding=vectors, shuffles=shuffles,
            confidence=confidence, watcher=watcher, plan=setting.plan(), fuser=setting.fuser,
        )  # fmt: skip
        if place is not None:
            watcher.stage("write")
            with place.replacing() as new:
                found.result.write(new)
    task = found.result.recipe["task"]
    note_all(task, found.notes, quiet=quiet)
    if plot is not None:
        from graphol.report.curve import plot as draw

        curves = {str(found.candidate): found.result}
        draw(curves | ({} if found.usual is None else {"as given": found.usual}), plot, force=force)
    from graphol.report.columns import rehearsed, tuned

    row, columns = found.row(), tuned(found.result, confidence)
    settings, listed = found.settings(), rehearsed(found.result)
    setting.tables.write(settings if every else row, listed if every else columns, force=force)
    if setting.json:
        say_json(row)
        return
    if every:
        say_rows(settings, listed, json=False)
        say("")
    say_rows(row, columns, json=False)
    if row["command"] is not None:
        say(row["command"])
    say_doubts(task, found.notes, json=False)
