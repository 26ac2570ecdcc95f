"""Calls in a process of their own, forked from one that has everything imported."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Ended(NamedTuple):
    """How a child ended."""

    code: int
    """Negative: the signal."""
    out: str
    err: str
    seconds: float
    megabytes: float
    """The most memory it had, that of its parent included."""


def run(call: Callable[[], int], folder: Path, seconds: float, megabytes: int) -> Ended:
    """Call in a child with so much time, and so much memory beside what it starts with."""
    out, err = folder / ".out", folder / ".err"
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        _in_child(call, out, err, megabytes)
    ended, status, used = 0, 0, None
    while not ended:
        ended, status, used = os.wait4(child, os.WNOHANG)
        if not ended and time.monotonic() - start > seconds:
            os.kill(child, signal.SIGKILL)
            ended, status, used = os.wait4(child, 0)
        elif not ended:
            time.sleep(0.002)
    return Ended(
        os.waitstatus_to_exitcode(status), _text(out), _text(err), time.monotonic() - start,
        used.ru_maxrss / 1024,
    )  # fmt: skip


def _text(path: Path) -> str:
    return path.read_text(errors="backslashreplace") if path.exists() else ""


def _in_child(call: Callable[[], int], out: Path, err: Path, megabytes: int) -> None:
    code = 99
    try:
        for path, number in ((out, 1), (err, 2)):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(handle, number)
        sys.stdout, sys.stderr = (open(n, "w", closefd=False) for n in (1, 2))  # noqa: SIM115
        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + megabytes * 2**20,) * 2)
        code = call()
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
