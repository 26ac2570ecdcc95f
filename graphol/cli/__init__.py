"""The ``graphol`` command: one file per subcommand, no mathematics.

Only typer is imported here; a command imports what it needs when it runs, so ``graphol --help``
costs nothing. stdout is the answer, stderr is everything else.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import typer

import graphol
from graphol.cli import (
    check,
    compare,
    datasets,
    doctor,
    embed,
    explain,
    fuse,
    label,
    listing,
    plugins,
    predict,
    project,
    report,
    reproduce,
    show,
    simulate,
    solve,
    suggest,
    sweep,
    tune,
)
from graphol.cli.groups import Sections
from graphol.cli.output import note, note_warning, silence_stdout
from graphol.cli.signals import INTERRUPTED, heard
from graphol.cli.streams import apart
from graphol.errors import GrapholError, InputError, command_line, in_one_line, one_line, plainly
from graphol.guard import HOW, guard, strangers

TyperUsageError: Any = typer.BadParameter.__bases__[0]  # typer's own, or click's in an old typer
BUG = 4
REFUSED = (2, 3)
GRACE = 1.0
"""Seconds that threads and processes of plugins get to end by themselves."""

app = typer.Typer(
    cls=Sections,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("simulate")(simulate.command)
app.command("compare")(compare.command)
app.command("sweep")(sweep.command)
app.command("tune")(tune.command)
app.command("report")(report.command)
app.command("reproduce")(reproduce.command)
app.command("embed")(embed.command)
app.command("fuse")(fuse.command)
app.command("suggest")(suggest.command)
app.command("explain")(explain.command)
app.command("predict")(predict.command)
app.command("label")(label.command)
app.command("solve")(solve.command)
app.command("list")(listing.command)
app.command("show")(show.command)
app.command("check")(check.command)
app.command("plugins")(plugins.command)
app.command("doctor")(doctor.command)
app.add_typer(datasets.app, name="datasets")
app.add_typer(project.app, name="project")


def _guarded(command: Callable[..., None]) -> Callable[..., None]:
    """The command with stdout for its answer alone, and every plugin in it under guard."""

    @functools.wraps(command)
    def run(**options: Any) -> None:
        with apart(), guard(interrupts=True):
            command(**options)

    return run


for each in (
    *app.registered_commands,
    *datasets.app.registered_commands,
    *project.app.registered_commands,
):
    assert each.callback is not None
    each.callback = _guarded(each.callback)


def _version(asked: bool) -> None:
    if asked:
        print(f"graphol {graphol.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def graphol_command(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Online learning on graphs: a node arrives, a learner predicts, a protocol reveals.

    Exit codes: 0 done; 1 a check failed; 2 something was asked for that does not exist or is not
    allowed; 3 an input cannot be used; 4 a bug, ours or a plugin's; 130 interrupted, by Ctrl-C or
    by SIGTERM.
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


@command_line()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; a mistake is one line on stderr.

    Without arguments they are those of the process, and it ends with the code that is returned.
    """
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # µ and ± on a terminal that has neither
    try:
        with (
            heard(),
            _brief_threads(),
            warnings.catch_warnings(),
        ):
            warnings.showwarning = note_warning
            command = typer.main.get_command(app)
            code = command.main(arguments, prog_name="graphol", standalone_mode=False)
            sys.stdout.flush()
        if code == INTERRUPTED:
            _complain("interrupted", INTERRUPTED)
        code = code if isinstance(code, int) else 0
    except BaseException as reason:
        code = _failed(reason)
        if code == BUG and os.environ.get("GRAPHOL_TRACEBACK"):
            traceback.print_exception(reason)
    if arguments is None:
        _end(code)
    return code


def _failed(reason: BaseException) -> int:
    """Say what happened, in one line; the exit code."""
    if isinstance(reason, GrapholError):
        told = plainly(reason)
        return _complain(str(told), told.exit_code if told.exit_code in REFUSED else BUG)
    if isinstance(reason, TyperUsageError):
        return _complain(_usage(reason), 2)
    if isinstance(reason, KeyboardInterrupt | typer.Abort):
        return _complain("interrupted", INTERRUPTED)
    if isinstance(reason, MemoryError):
        said = f" ({reason})" if str(reason) else ""
        return _complain(
            f"not enough memory{said}; try a smaller graph or fewer --jobs", InputError.exit_code
        )
    if isinstance(reason, SystemExit) and _completes(reason):
        return 0
    if isinstance(reason, SystemExit) and reason.code == 1:
        return 1  # typer's, where nobody reads its help to the end
    if isinstance(reason, BrokenPipeError):
        silence_stdout()
        return 1
    if isinstance(reason, OSError) and reason.errno == errno.ENOSPC:
        silence_stdout()
        return _complain(f"cannot write the answer: {reason.strerror}", InputError.exit_code)
    return _complain(_bug(reason), BUG)


def _completes(reason: SystemExit) -> bool:
    """Did typer end the program, having told a shell how its line could go on?"""
    last = traceback.extract_tb(reason.__traceback__)[-1].filename
    return reason.code in (0, None) and last.startswith(os.path.dirname(typer.__file__))


def _complain(text: str, code: int) -> int:
    with contextlib.suppress(OSError, ValueError):  # a plugin may have closed it
        print("graphol:", one_line(text), file=sys.stderr, flush=True)
    return code


def _bug(error: BaseException) -> str:
    """Where it happened: the last line of the traceback, which is what its author needs first."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"{in_one_line(error)}, in {last.name} ({last.filename}, line {last.lineno}); this is a "
        f"bug, there or here: {HOW}"
    )


@contextlib.contextmanager
def _brief_threads() -> Iterator[None]:
    """A thread of a plugin that breaks, or a destructor, is a note and not a traceback."""

    def thread(what: threading.ExceptHookArgs) -> None:
        if what.exc_value is not None:
            note(f"a thread, {what.thread and what.thread.name}: {in_one_line(what.exc_value)}")

    def ignored(what: Any) -> None:
        if what.exc_value is not None:
            note(f"ignored: {in_one_line(what.exc_value)}")

    before = threading.excepthook, sys.unraisablehook
    if not os.environ.get("GRAPHOL_TRACEBACK"):
        threading.excepthook, sys.unraisablehook = thread, ignored
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = before


def _end(code: int) -> None:
    """Nothing is written to stdout any more; no thread or process of a plugin keeps us waiting."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    with contextlib.suppress(OSError, ValueError):
        try:
            for stream in filter(None, (sys.stdout, sys.__stdout__)):  # typer wraps a broken one
                stream.flush()
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        except OSError:  # nobody reads it: what is left is not for stderr either
            silence_stdout()
    until = time.monotonic() + GRACE
    started = sys.modules.get("multiprocessing")
    for child in started.active_children() if started else ():
        child.join(max(until - time.monotonic(), 0))
        child.kill()
    if code and strangers():
        os._exit(code)  # nothing that a plugin left to be done at the end makes a success of it
    for other in threading.enumerate():
        if other is not threading.current_thread() and not other.daemon:
            other.join(max(until - time.monotonic(), 0))
            if other.is_alive():
                os._exit(code)


def _usage(error: Any) -> str:
    """What typer says about a wrong call, as one line of ours."""
    text = error.format_message().replace("Value error, ", "").rstrip(".")
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "graphol"
    text = text[:1].lower() + text[1:]
    return text if text.endswith("?") else f"{text}; see `{where} --help`"
