"""stdout is for answers only: while a command runs, whatever else is written there goes to stderr.

Where stdout is a file, a pipe or a terminal this is done to the file descriptor, so it holds for
``print``, for ``os.write``, for C code, for programs that a plugin starts and for worker processes.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from graphol.guard import Aside

_answers: list[Any] = []  # the way to the real stdout, while a command runs
_errors: list[Any] = []


def answers() -> TextIO:
    """Where an answer is written."""
    found: TextIO = _answers[-1] if _answers else sys.stdout
    return found


def errors() -> TextIO:
    """stderr as it was when the command began, even if a plugin has closed or replaced it."""
    found: TextIO = _errors[-1] if _errors else sys.stderr
    if getattr(found, "closed", False):
        found = open(2, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        _errors[-1:] = [found]
    return found


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """Keep stdout for :func:`answers`; both streams are put back whatever a plugin did to them."""
    before = sys.stdout, sys.stderr
    _errors.append(sys.stderr)
    turned = _turned_away()
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before[0], errors()
        if turned is None:
            _answers.pop()
        else:
            _turn_back(*turned)
        if getattr(sys.stdout, "closed", False):
            sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        _errors.pop()


def _turned_away() -> tuple[int, int] | None:
    """The descriptor that leads to stderr now, and one that leads where it led; None if none is."""
    real = sys.stdout
    real.flush()
    try:
        out, aside = real.fileno(), sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):  # somebody's object in memory
        _answers.append(real)
        sys.stdout = Aside()
        return None
    kept = os.dup(out)
    _answers.append(open(kept, "w", encoding=real.encoding, errors="replace"))  # noqa: SIM115
    os.dup2(aside, out)
    return out, kept


def _turn_back(out: int, kept: int) -> None:
    with contextlib.suppress(OSError, ValueError):  # closed, or a pipe that nobody reads
        sys.stdout.flush()
    with contextlib.suppress(OSError):
        os.dup2(kept, out)
    with contextlib.suppress(OSError):
        _answers.pop().close()
