"""``graphol simulate``: play a game many times and print what came out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphol.cli.options import Params, Regret, whole
from graphol.cli.output import ProgressLine, note, note_all, say_doubts, say_rows
from graphol.cli.setting import Setting, with_setting
from graphol.errors import UsageError

if TYPE_CHECKING:
    from graphol.report.regret import Regrets
    from graphol.simulation import Simulation


@with_setting
def command(
    setting: Setting,
    learner: Annotated[
        str, typer.Option("--learner", metavar="NAME", help="Who plays; see `graphol list`.")
    ],
    param: Params = None,
    regret: Regret = False,
    strategy: Annotated[
        str | None,
        typer.Option(
            "--strategy",
            metavar="NAME",
            help="Who picks the next node; see `graphol list strategies`.",
            show_default="chance",
        ),
    ] = None,
    first: Annotated[
        int | None,
        typer.Option(
            "--first",
            metavar="N",
            parser=whole,
            help="With --strategy, nodes drawn by lot before it is asked; >= 0.",
            show_default="10",
        ),
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(
            "--every",
            metavar="N",
            parser=whole,
            help="With --strategy, answers until all nodes are valued anew; >= 1.",
            show_default="1",
        ),
    ] = None,
) -> None:
    """Play a game many times and print a table.

    Components are written NAME or NAME:KEY=VALUE,KEY=VALUE. The figures are means over the
    repeats: error rate ± sample standard deviation, half the width of the mean's 95 % confidence
    interval (Student's t over the repeats; none for one repeat), class models updated, labels
    revealed, microseconds of prediction and update per round. Progress is shown if stderr is a
    terminal.

    With --regret also: mistakes; those of the best fixed linear model found in hindsight; regret,
    the difference; the most mistakes that the learner's bound allows, and whether it holds (if it
    does not, the exit code is 1). In a switching game the fixed model is the best of the labelings
    that take turns; --json and --out then have of every repeat their cuts and what else the bound
    is made of.

    With --strategy each round asks about the node that the strategy wants, of those without a
    label, and every label is revealed. Beside the error rate of the nodes that were asked there is
    that of all others, at the end (rest) and after 20, 50, 100, ... answers (rest_20, ...); the
    traces of --out have it after every round, and --plot draws it.

    The row of --json holds the command that plays the same games again, all parameters spelled out.

    --plot draws the error rate so far, and where labelings switch also that of the last rounds; for
    a linear model over signals, the weights on the graph.

    \b
    graphol simulate --learner molg-b
    graphol simulate --learner molg-f -p b=20 --dataset sbm:nodes=500,classes=3
    graphol simulate --learner molg-b --graph edges.csv --labels labels.csv --json
    graphol simulate --learner oslg --regret
    graphol simulate --learner kernel-perceptron --graph edges.csv --stream stream.csv
    graphol simulate --learner gpa --dataset sbm --fresh-data --repeats 7-7
    graphol simulate --learner walk --dataset cora --strategy uncertainty --rounds 200
    """
    known = setting.begin()
    out, plot, force, quiet = setting.out, setting.plot, setting.force, setting.quiet
    from graphol.spelling import pairs

    player = known.make("learner", learner, pairs(param or [], "-p"))
    data, vectors = setting.data(known), setting.vectors(known)
    protocol = known.make(
        "feedback", player.feedback if setting.feedback is None else setting.feedback
    )

    from graphol.arena import Arena
    from graphol.place import open_folder
    from graphol.runner import simulate_by

    plan = setting.plan()
    if strategy is None and not (first is None and every is None):
        raise UsageError("--first and --every say when a strategy is asked; give one: --strategy")
    if strategy is not None and (regret or protocol.name != "full"):
        odd = "--regret" if regret else f"--feedback {protocol.name}"
        raise UsageError(f"a strategy is told every label it asks for; leave {odd} out")
    if regret and plan.one_vs_rest:
        raise UsageError("--regret looks back on one task; leave --one-vs-rest or --fresh-data out")
    if regret and plan.fuse is not None:
        raise UsageError("--regret looks back on one task; leave --fuse out")
    setting.check_files()
    hindsight: Regrets | None = None
    opening = nullcontext() if out is None else open_folder(out, force=force)
    with opening as place, ProgressLine(quiet=quiet) as watcher:
        arena = Arena(data, plan.seed, watcher)
        if regret:
            from graphol.report.regret import check_task

            fresh = plan.fresh_data and len(plan.repeats) > 1
            check_task(arena.task(player, vectors, plan=plan).task, fresh=fresh)
        if plot is not None and plan.fuse is None:
            from graphol.report.map import check_map

            check_map(arena.task(player, vectors, plan=plan).task)
        if strategy is None:
            (result,) = simulate_by(
                plan, [player], arena, feedback=protocol, embedding=vectors, watcher=watcher,
                fuser=setting.fuser,
            )  # fmt: skip
        else:
            from graphol.label.game import EVERY, FIRST, Rules, simulate_asking_by

            rules = Rules(
                known.make("strategy", strategy),
                FIRST if first is None else first,
                EVERY if every is None else every,
            )
            result = simulate_asking_by(plan, rules, player, arena, vectors, watcher)
        if regret:
            import attrs

            from graphol.report.regret import regret as look_back

            watcher.stage("hindsight")
            hindsight = look_back(result)
            result = attrs.evolve(result, measures=hindsight.measured)
        if place is not None:
            watcher.stage("write")
            with place.replacing() as new:
                result.write(new)
    note_all(result.recipe["task"], result.notes, quiet=quiet)
    if plot is not None:
        _draw(result, plot, force)
    from graphol.report.columns import GAME, figures, regrets

    added = hindsight.row() if hindsight else {}
    columns = (*GAME, *figures(result), *(regrets(added) if hindsight else ()))
    row = result.row() | added
    setting.tables.write(row, columns, force=force)
    say_rows(row, columns, json=setting.json)
    say_doubts(result.recipe["task"], result.notes, json=setting.json)
    if hindsight is not None:
        judge({player.name: hindsight}, quiet)


def _draw(result: Simulation, plot: Path, force: bool) -> None:
    """The weights on the graph, where every entry of a signal is a node; else the error rate."""
    from graphol.tasks import SignalTask

    name = result.recipe["learner"]["name"]
    if isinstance(result.task, SignalTask) and result.weights[0]:
        from graphol.report.map import plot_map

        weights = [each["last"] for each in result.weights]
        plot_map(result.task.graph, weights, plot, support=result.task.support,
                 title=f"{name} on {result.recipe['task']}", force=force)  # fmt: skip
    else:
        from graphol.report.curve import plot as draw

        strategy = result.recipe["engine"].get("strategy")
        draw({f"{name}, {strategy}" if strategy else name: result}, plot, force=force)


def judge(found: Mapping[str, Regrets], quiet: bool) -> None:
    """Say why there is no bound; a bound that does not hold is an exit code of 1."""
    for name, hindsight in found.items():
        row = hindsight.row()
        why = row["bound_note"]
        if hindsight.violations:
            note(
                f"{name}: its mistake bound is violated: a bug in the learner, in the trace "
                f"or in the bound; please report it ({'; '.join(hindsight.violations)})"
            )
        elif why and not quiet:
            note(f"{name}: mistake bound {why}")
        elif row["bound_says"] and not quiet:
            note(f"{name}: mistake bound {row['bound_says']}")
        for each in () if quiet else hindsight.stated():
            limit = "at most" if each["proved"] else "not proved here:"
            over = "" if each["holds"] else ", which it exceeds"
            note(
                f"{name}: {each['name']}: {each['what']} {each['measured_mean']:.1f}, "
                f"{limit} {each['bound_mean']:.1f}{over}"
            )
    if any(hindsight.violations for hindsight in found.values()):
        raise typer.Exit(1)
