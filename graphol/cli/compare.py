"""``graphol compare``: several learners on the same games, of one data set or several."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphol.cli.options import (
    Against,
    Confidence,
    Datasets,
    Draw,
    Drawn,
    Embeddings,
    Regret,
    names,
)
from graphol.cli.output import ProgressLine, note_all, say, say_doubts, say_rows
from graphol.cli.setting import Setting, with_setting
from graphol.cli.simulate import judge
from graphol.errors import UsageError

if TYPE_CHECKING:
    from graphol.arena import Arena, Watcher
    from graphol.plan import Plan


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
    dataset: Datasets = None,
    embedding: Embeddings = None,
    against: Against = None,
    confidence: Confidence = 0.95,
    holm: Annotated[
        bool,
        typer.Option(
            "--holm", help="Correct for the number of comparisons; always, on several data sets."
        ),
    ] = False,
    regret: Regret = False,
    draw: Draw = Drawn.curve,
) -> None:
    """Let several learners play the same games.

    It prints a table with one row per learner.

    Repeat r is the same order of nodes for everybody, so differences of the error rate are taken
    repeat by repeat: their mean in percentage points against one learner, and its confidence
    interval by the paired t-test, with a * where it excludes 0. Beside every error rate stands half
    the width of its own mean's interval, by Student's t. With one repeat there is no interval.
    Intervals are over shuffles of this graph, and not corrected for being several.

    On several data sets, or with several embeddings, everybody plays on all of them, against the
    learner of --against or the one of the best mean rank. The p value of every paired t-test is
    corrected by Holm's method for the number of all comparisons in the table, and makes a win, a
    tie or a loss; under the table these are counted. --holm does the same on one data set.

    A learner, a data set or an embedding is written NAME or NAME:KEY=VALUE,KEY=VALUE.

    \b
    graphol compare --learners molg-f,oslg,ollgc
    graphol compare --learners molg-b,molg-b:b=20,phi=5,confidit --plot curves.png
    graphol compare --learner molg-b --learner soba --dataset pubmed --against soba --json
    graphol compare --learners molg-f,oslg --dataset digits --dataset sbm:nodes=500 --csv table.csv
    """
    known = setting.begin()
    out, plot, force, quiet = setting.out, setting.plot, setting.force, setting.quiet
    specs: list[str | None] = [*names(",".join(dataset or []))] or [None]
    vectors = [known.make("embedding", spec) for spec in names(",".join(embedding or []))]
    data = [setting._replace(dataset=spec).data(known) for spec in specs]
    protocol = None if setting.feedback is None else known.make("feedback", setting.feedback)

    from graphol.arena import Arena
    from graphol.comparing import compare, players
    from graphol.report.comparison import Comparison, open_comparison
    from graphol.report.comparisons import Comparisons, open_comparisons
    from graphol.report.drawing import check_drawing, draw_panels

    who, plan = players(names(learners) + (learner or [])), setting.plan()
    several = holm or len(data) > 1 or len(vectors) > 1
    check_drawing(draw, plot)
    setting.check_files()
    learning = [each.name for each in who]
    games = [each for each in data for _ in vectors or [None]]
    with ExitStack() as stack:
        places = []
        if out is not None and several:
            called = [each.name for each in games]
            places = open_comparisons(stack, out, called, learning, force=force)
        elif out is not None:
            places = [stack.enter_context(open_comparison(out, learning, force=force))]
        watcher = stack.enter_context(ProgressLine(quiet=quiet))
        arenas = [Arena(each, plan.seed, watcher) for each in data]
        if regret or draw == Drawn.regret:
            _check_regret(plan, who, arenas, vectors or [None])
        on: Any = arenas if several else arenas[0]
        by: Any = (vectors or None) if several else next(iter(vectors), None)
        found: Comparison | Comparisons = compare(
            who, on, feedback=protocol, embedding=by, against=against, confidence=confidence,
            watcher=watcher, plan=plan, fuser=setting.fuser,
        )  # fmt: skip
        parts = found.parts if isinstance(found, Comparisons) else (found,)
        hindsight = _look_back(parts, watcher) if regret or draw == Drawn.regret else []
        for part, place in zip(parts, places, strict=False):
            watcher.stage("write")
            with place.replacing() as new:
                part.write(new)
    rows, columns = found.rows(), found.columns
    if regret:
        from graphol.report.columns import regrets

        rows = [row | each.row() for row, each in zip(rows, hindsight, strict=True)]
        columns = (*columns, *regrets(*rows))
    for part in parts:
        note_all(part.results[0].recipe["task"], part.notes, quiet=quiet)
    if plot is not None:
        draw_panels(found, draw, plot, hindsight, force=force)
    setting.tables.write(rows, columns, force=force)
    say_rows(rows, columns, json=setting.json)
    say_tally(found, json=setting.json)
    for part in parts:
        say_doubts(part.results[0].recipe["task"], part.notes, json=setting.json)
    if regret:
        labels = [row["label"] for row in rows]
        if len(parts) > 1:
            labels = [f"{row['label']} on {row['dataset_label']}" for row in rows]
        judge(dict(zip(labels, hindsight, strict=True)), quiet)


def say_tally(found: Any, *, json: bool) -> None:
    """Under a table of several data sets, wins, ties and losses; JSON has them in its rows."""
    from graphol.report.columns import TALLY
    from graphol.report.comparisons import Comparisons
    from graphol.report.table import table

    if not json and isinstance(found, Comparisons):
        say(f"\n{found.says}\n{table(found.tally(), TALLY)}")


def _check_regret(plan: Plan, who: list[Any], arenas: list[Arena], vectors: list[Any]) -> None:
    """Refuse games that have nothing in hindsight, before the first."""
    from graphol.report.regret import check_task

    if plan.one_vs_rest or plan.fuse is not None:
        raise UsageError("--regret looks back on one task; leave --one-vs-rest or --fuse out")
    fresh = plan.fresh_data and len(plan.repeats) > 1
    for arena in arenas:
        for player in who:
            for each in vectors:
                check_task(arena.task(player, each, plan=plan).task, fresh=fresh)


def _look_back(parts: Any, watcher: Watcher) -> list[Any]:
    from graphol.report.regret import regret

    watcher.stage("hindsight")
    return [regret(result) for part in parts for result in part.results]
