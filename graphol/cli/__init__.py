"""The ``graphol`` command: one file per subcommand, no mathematics.

Only typer is imported here; a command imports what it needs when it runs, so ``graphol --help``
costs nothing. stdout is the answer, stderr is everything else.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

import graphol
from graphol.cli import (
    check,
    compare,
    datasets,
    doctor,
    embed,
    listing,
    plugins,
    report,
    reproduce,
    show,
    simulate,
    solve,
)
from graphol.cli.output import note_warning, silence_stdout
from graphol.errors import GrapholError, InputError, command_line, in_one_line, one_line

TyperUsageError: Any = typer.BadParameter.__bases__[0]  # typer's own, or click's in an old typer
BUG, INTERRUPTED = 4, 130

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("simulate")(simulate.command)
app.command("compare")(compare.command)
app.command("report")(report.command)
app.command("reproduce")(reproduce.command)
app.command("embed")(embed.command)
app.command("solve")(solve.command)
app.command("list")(listing.command)
app.command("show")(show.command)
app.command("check")(check.command)
app.command("plugins")(plugins.command)
app.command("doctor")(doctor.command)
app.add_typer(datasets.app, name="datasets")


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

    Exit codes: 0 done; 1 a check failed; 2 something was asked for that does not exist; 3 an input
    cannot be used; 4 a bug, ours or a plugin's; 130 interrupted.
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


@command_line()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; a mistake is one line on stderr."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # µ and ± on a terminal that has neither
    command = typer.main.get_command(app)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = note_warning
            code = command.main(arguments, prog_name="graphol", standalone_mode=False)
        sys.stdout.flush()
    except GrapholError as error:
        return _complain(str(error), error.exit_code)
    except TyperUsageError as error:
        return _complain(_usage(error), 2)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", INTERRUPTED)
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        return _complain(
            f"not enough memory{reason}; try a smaller graph or fewer --jobs", InputError.exit_code
        )
    except BrokenPipeError:
        silence_stdout()
        return 1
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            silence_stdout()
            return _complain(f"cannot write the answer: {error.strerror}", InputError.exit_code)
        if os.environ.get("GRAPHOL_TRACEBACK"):
            raise
        return _complain(_bug(error), BUG)
    if code == INTERRUPTED:
        return _complain("interrupted", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _complain(text: str, code: int) -> int:
    print("graphol:", one_line(text), file=sys.stderr)
    return code


def _bug(error: Exception) -> str:
    """Where it happened: the last line of the traceback, which is what its author needs first."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"{in_one_line(error)}, in {last.name} ({last.filename}, line {last.lineno}); this is a "
        "bug, there or here: GRAPHOL_TRACEBACK=1 shows how it came about"
    )


def _usage(error: Any) -> str:
    """What typer says about a wrong call, as one line of ours."""
    text = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "graphol"
    text = text[:1].lower() + text[1:]
    return text if text.endswith("?") else f"{text}; see `{where} --help`"
