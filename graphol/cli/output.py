"""stdout is the answer, stderr is everything else."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import typer

from graphol.cli.streams import answers, errors
from graphol.errors import InputError, one_line, printable
from graphol.notes import doubts
from graphol.schema import json_text, stamped

if TYPE_CHECKING:
    from graphol.report.table import Column

WIPE = "\r\033[K"  # back to the beginning of a terminal's line, and clear it


def say(text: str, *, exact: bool = False) -> None:
    """A part of the answer, at once; what a terminal would obey is escaped.

    ``exact``: it is the content of a file, which goes as it is to whatever is not a terminal.
    """
    shown = text if exact and not answers().isatty() else printable(text, keep="\n")
    try:
        print(shown, flush=True, file=answers())
    except BrokenPipeError:  # `| head` has seen enough
        silence_stdout()
        raise typer.Exit(1) from None
    except OSError as reason:  # a full disk behind `>`
        silence_stdout()
        raise InputError(f"cannot write the answer: {reason.strerror}") from None


def silence_stdout() -> None:
    """Keep the interpreter from trying to write the rest at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), answers().fileno())


def say_json(value: Any) -> None:
    """The answer as JSON, every object at its top with the schema number."""
    say(json_text(stamped(value)))


def say_rows(
    found: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    columns: Sequence[Column | str] | None = None,
    *,
    json: bool,
) -> None:
    """One row or several: as JSON with all keys, or these columns as a table."""
    if json:
        say_json(found)
    elif found:
        from graphol.report.table import table

        say(table([found] if isinstance(found, Mapping) else found, columns))


def note(text: str) -> None:
    """Something worth knowing that is not the answer."""
    with contextlib.suppress(OSError, ValueError):  # a plugin may have closed it
        over = WIPE if errors().isatty() else ""
        print(f"{over}graphol: note: {one_line(text)}", file=errors())


def note_all(name: str, notes: Sequence[str], *, quiet: bool) -> None:
    """Notes about ``name``, but for those that belong under the table."""
    doubtful = doubts(notes)
    for text in () if quiet else notes:
        if text not in doubtful:
            note(f"{name}: {text}")


def say_doubts(name: str, notes: Sequence[str], *, json: bool) -> None:
    """Under the table, what makes its figures doubtful; JSON has it among the notes."""
    for text in () if json else doubts(notes):
        say(f"{name}: {text}")


def note_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning of the library as a note, in place of :func:`warnings.showwarning`."""
    note(str(message))


def about(cls: Any) -> str:
    """What a component is, in the first line of its docstring, without markup."""
    first = next(iter((cls.__doc__ or "").strip().splitlines()), "")
    return first.replace(":math:", "").replace("`", "")


def duration(seconds: float) -> str:
    """Seconds as a person says it.

    >>> duration(5.2), duration(150), duration(9000), duration(2e5)
    ('5 s', '2 min 30 s', '2 h 30 min', '2 d 7 h')
    """
    whole = round(seconds)
    for size, unit, part, inner in ((86400, "d", 3600, "h"), (3600, "h", 60, "min")):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // part} {inner}"
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"


class ProgressLine:
    """One line on stderr that is written over, and only if stderr is a terminal.

    It is the watcher of :func:`graphol.simulate`, and counts the bytes of a download.
    """

    PAUSE = 0.1  # seconds between two writings

    def __init__(self, *, quiet: bool = False) -> None:
        self._on = errors().isatty() and not quiet
        self._lock = threading.Lock()  # games may be played on several threads
        self._next = 0.0
        self._done = 0
        self._stage = "play"
        self._begun = time.monotonic()

    def stage(self, text: str) -> None:
        """A new stage begins."""
        self._stage = text
        self._write(f"{text} ...")

    def rounds(self, done: int) -> None:
        """So many more rounds are done."""
        with self._lock:
            self._done += done
            self._now_and_then(f"{self._stage}: {self._done:,} rounds")

    def cells(self, played: int, total: int, failed: int) -> None:
        """So many cells of a sweep are played, of so many; how fast that goes, and how long yet."""
        rate = played / max(time.monotonic() - self._begun, 1e-9)
        said = f" ({failed} failed)" if failed else ""
        left = (total - played) / rate if rate else 0.0
        self._now_and_then(
            f"{played} of {total} cells{said}, {rate:.3g} a second, {duration(left)} left"
        )

    def bytes(self, done: int, total: int) -> None:
        """So many bytes have come, of so many (0: not known)."""
        self._now_and_then(f"{done / 1e6:.1f}" + (f" of {total / 1e6:.1f} MB" if total else " MB"))

    def _now_and_then(self, text: str) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self.PAUSE
            self._write(text)

    def _write(self, text: str) -> None:
        if self._on:
            print(f"{WIPE}{one_line(text)}", end="", file=errors(), flush=True)

    def __enter__(self) -> ProgressLine:
        if self._on:
            self._listener = _listener(self)
            logging.getLogger("graphol").addHandler(self._listener)
            logging.getLogger("graphol").setLevel(logging.INFO)
        return self

    def __exit__(self, *failure: object) -> None:
        if self._on:
            logging.getLogger("graphol").removeHandler(self._listener)
            logging.getLogger("graphol").setLevel(logging.NOTSET)
        self._write("")


def _listener(progress: ProgressLine) -> logging.Handler:
    """Shows what long computations log: how far they are."""

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            progress.stage(record.getMessage())

    return Listener()
