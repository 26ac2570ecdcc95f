"""SIGTERM ends a command as Ctrl-C does: what is under way is undone, one line, exit code 130.

One code for both, because to a caller they are one case: stopped from outside, results as before.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

INTERRUPTED = 130
GRACE = 3.0
"""Seconds that compiled code, which hears no signals, and clean-up have before the process ends."""
HEARD: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""Signals that interrupt, and how they are treated where nobody has decided otherwise."""


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """While the block runs, either signal is a KeyboardInterrupt in it; a second ends the process.

    So does the first after :data:`GRACE` seconds in which the block did not end. A signal that is
    ignored (``nohup``) or handled by somebody else is left to them.
    """
    ours = {each for each, usual in HEARD.items() if signal.getsignal(each) is usual}
    alone = threading.current_thread() is threading.main_thread() and sys.platform != "win32"
    if not (alone and ours):
        yield
        return
    ended = threading.Event()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    watcher = threading.Thread(target=_watch, args=(reader, ended), daemon=True)
    watcher.start()
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        for each in ours:
            signal.signal(each, _interrupt)
        yield
    finally:
        for each in ours:
            signal.signal(each, HEARD[each])
        signal.set_wakeup_fd(before)
        ended.set()
        os.close(writer)
        watcher.join()
        os.close(reader)


def _interrupt(number: int, frame: FrameType | None) -> None:
    for each in HEARD:
        if signal.getsignal(each) is _interrupt:
            signal.signal(each, _leave)
    raise KeyboardInterrupt


def _leave(number: int = 0, frame: FrameType | None = None) -> None:
    os.write(2, b"graphol: interrupted\n")
    os._exit(INTERRUPTED)


def _watch(reader: int, ended: threading.Event) -> None:
    """The system writes the number of every signal into the pipe, whatever Python is doing."""
    while number := os.read(reader, 1):
        if number[0] in HEARD and not ended.wait(GRACE):
            _leave()
