"""What every worker process needs, whoever starts it and whatever it plays."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import parent_process
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from graphol.errors import GrapholError, PluginError, in_one_line, plainly
from graphol.guard import accused, strangers
from graphol.registry import registry

GRACE = 1.0
"""Seconds that worker processes have to end, once there is nothing left to play."""
CANNOT_START = (
    "the worker processes could not start; in a script of your own put the call under "
    "`if __name__ == '__main__':`, or {instead}"
)


@contextmanager
def no_signals() -> Iterator[None]:
    """Signals wait while processes start, which start deaf: a half-started one would be lost."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent() -> None:
    """A worker outlives nobody, however its parent ended; Ctrl-C is for the parent to hear."""
    signal.signal(signal.SIGINT, lambda number, frame: None)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    parent = parent_process()
    assert parent is not None

    def end() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def one_blas_thread() -> AbstractContextManager[Any]:
    """While games run: their many small products can be 20 times slower on several threads."""
    import scipy.linalg  # noqa: F401  # loads the BLAS that compiled streams call
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(1, user_api="blas")
    return limits


def load_plugins(files: Sequence[Path]) -> None:
    """Plugin files come before anything that is made of their classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # who started the games has heard them
        for path in files:
            registry().load_file(path)


def sendable(reason: BaseException) -> BaseException:
    """Why a game ended, as something that can be sent and says who is to blame."""
    if isinstance(reason, GrapholError):
        return accused(reason) or plainly(reason)
    if os.environ.get("GRAPHOL_TRACEBACK"):
        traceback.print_exception(reason)
    found = accused(reason)
    if found is None and not isinstance(reason, Exception):  # it would end who started the games
        whose = f" of {' or '.join(strangers())}" if strangers() else ""
        found = PluginError(f"a component{whose} ended its worker process: {in_one_line(reason)}")
    return found or reason
