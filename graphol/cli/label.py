"""``graphol label``: a page on which somebody labels a graph, while a model learns."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import Annotated

import typer

from graphol.cli import options as given
from graphol.cli.output import ProgressLine, note, say, say_json

SWITCH = 0.001
"""Seconds after which a thread that thinks lets one that answers go on."""
EXTRA = ("starlette", "uvicorn", "h11")


def command(
    project: Annotated[
        Path, typer.Argument(metavar="PROJECT", help="A file of `graphol project create`.")
    ],
    learner: Annotated[
        str,
        typer.Option(
            "--learner",
            metavar="NAME",
            help="Who guesses; walk needs no embedding, and starts at once.",
        ),
    ] = "walk",
    strategy: Annotated[
        str, typer.Option("--strategy", metavar="NAME", help="Who says which node to ask.")
    ] = "uncertainty",
    embedding: given.EmbeddingName = None,
    annotator: Annotated[
        str | None,
        typer.Option(
            "--annotator",
            metavar="NAME",
            help="Who answers; the page can change it.",
            show_default="your name on this machine",
        ),
    ] = None,
    votes: Annotated[
        int,
        typer.Option(
            "--votes",
            metavar="N",
            parser=given.whole,
            help="How many annotators are asked about each node; >= 1.",
        ),
    ] = 1,
    checks: Annotated[
        int,
        typer.Option(
            "--checks",
            metavar="N",
            parser=given.whole,
            help="Every N-th node is drawn at random, to tell how good the guesses are; 0: none.",
        ),
    ] = 10,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            metavar="N",
            parser=given.whole,
            help="On which port.",
            show_default="8765, or one that is free",
        ),
    ] = None,
    open_: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser.")
    ] = False,
    seed: Annotated[
        int, typer.Option(metavar="N", parser=given.whole, help="Of learner and strategy; >= 0.")
    ] = 0,
    plugin: given.PluginFiles = None,
    json: given.Json = False,
    quiet: given.Quiet = False,
) -> None:
    """Label a graph on a page; the model learns as you go.

    It prints the page's address, which holds a secret, and serves it to this machine until Ctrl-C.
    Every answer is in the project before the next node is shown, so nothing is lost however it
    ends. Needs `pip install 'graphol[label]'`.

    \b
    graphol project create tea.graphol --graph edges.csv --nodes nodes.csv
    graphol label tea.graphol
    """  # fmt: skip
    from graphol.errors import UsageError

    _check_extra()
    sys.setswitchinterval(SWITCH)
    if port is not None and not 0 <= port <= 65535:
        raise UsageError(f"--port must be from 0 to 65535, got {port}")
    if seed < 0:
        raise UsageError(f"--seed must be >= 0, got {seed}")
    given.load(plugin, quiet=quiet)
    from graphol.label.page.gate import LOOPBACK
    from graphol.label.page.serve import Serving
    from graphol.label.project import Project
    from graphol.label.session import Session

    if host not in (*LOOPBACK, "::1"):
        note(
            f"--host {host}: other machines can reach this page, and what they send and see can be "
            "read on the way; an ssh tunnel to 127.0.0.1 is safer"
        )
    with Project.open(project) as found:
        with ProgressLine(quiet=quiet) as watcher:
            watcher.stage(f"{learner}: learn what is known already")
            session = Session(
                found, learner=learner, strategy=strategy, embedding=embedding, votes=votes,
                checks=checks,
                annotator=annotator or _somebody(), seed=seed, failed=note,
            )  # fmt: skip
        try:
            serving = Serving(session, host, port, failed=note)
            try:
                if json:
                    say_json({"address": serving.address, "project": str(project)})
                else:
                    say(serving.address)
                if not quiet:
                    note(f"open this address; Ctrl-C ends it, and every answer is in {project}")
                if open_:
                    import webbrowser

                    webbrowser.open(serving.address)
                serving.wait()
            except KeyboardInterrupt:
                if not quiet:
                    note(f"ended; {found.last} events are in {found.path}")
            finally:
                serving.stop()
        finally:
            session.close()


def _check_extra() -> None:
    from importlib.util import find_spec

    from graphol.errors import UsageError

    missing = [name for name in EXTRA if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the page needs {' and '.join(missing)}; `pip install 'graphol[label]'` brings them"
        )


def _somebody() -> str:
    """The user's name on this machine, if it has one."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "me"
