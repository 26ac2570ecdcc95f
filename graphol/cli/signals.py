"""SIGTERM ends a command as Ctrl-C does: what is under way is undone, one line, exit code 130.

One code for both, because to a caller they are one case: stopped from outside, results as before.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Collection, Iterator

from graphol.guard import stoppable

INTERRUPTED = 130
ENDED = b"\0"
"""What no signal is: the block has ended."""
GRACE, TWICE = 3.0, 0.5
"""Seconds that compiled code, which hears no signals, and clean-up have before the process ends;
seconds within which a second signal is the first again (``timeout`` sends two)."""


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """While the block runs, either signal is a KeyboardInterrupt in it, once.

    If the block has not ended :data:`GRACE` seconds later, or at a second signal, the process does.
    A signal that is ignored (``nohup``) stays so, and one that is handled already is handled there.
    """
    with stoppable(signal.SIGINT, signal.SIGTERM) as ours:
        if not ours or sys.platform == "win32":
            yield
            return
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        watcher = threading.Thread(target=_watch, args=(reader, ours), daemon=True)
        watcher.start()
        before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            os.write(writer, ENDED)  # a process that a plugin forked may hold it open
            os.close(writer)
            watcher.join()
            os.close(reader)


def _watch(reader: int, ours: Collection[int]) -> None:
    """The system writes the number of every signal into the pipe, whatever Python is doing."""
    first: float | None = None
    while True:
        left = None if first is None else max(first + GRACE - time.monotonic(), 0)
        if not select.select([reader], [], [], left)[0]:
            break
        number = os.read(reader, 1)
        if number == ENDED:
            return
        if number[0] in ours and first is None:
            first = time.monotonic()
        elif number[0] in ours and first is not None and time.monotonic() > first + TWICE:
            break
    os.write(2, b"graphol: interrupted\n")
    os._exit(INTERRUPTED)
