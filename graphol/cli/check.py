"""``graphol check``: the conformance kit on any component."""

from __future__ import annotations

from typing import Annotated

import typer

from graphol.cli.options import Json, Kind, Params, PluginFiles, kind_of, load
from graphol.cli.output import say, say_json


def command(
    kind: Kind,
    name: Annotated[str, typer.Argument(metavar="NAME", help="NAME or NAME:KEY=VALUE,...")],
    param: Params = None,
    plugin: PluginFiles = None,
    json: Json = False,
) -> None:
    """Run the conformance kit on a component.

    Every promise of its interface is one check and one line; exit code 1 if a check fails.
    """
    from graphol.spelling import pairs

    known = load(plugin)
    kind = kind_of(kind)
    component = known.make(kind, name, pairs(param or [], "-p"))

    from graphol.testing import run

    outcomes = []
    for outcome in run(kind, component):
        outcomes.append(outcome)
        if not json:
            failed = f"FAILED  {outcome.name}: {outcome.failure}"
            say(failed if outcome.failure else f"ok      {outcome.name}")
    failures = sum(bool(outcome.failure) for outcome in outcomes)
    if json:
        say_json([outcome._asdict() for outcome in outcomes])
    else:
        say(f"{len(outcomes) - failures} passed, {failures} failed")
    if failures:
        raise typer.Exit(1)
