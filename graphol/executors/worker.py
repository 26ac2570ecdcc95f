"""One worker process: the end that plays, and the handle on it in the process that started it.

Both ends are ours and talk over a pipe that nobody else holds; what goes over it is pickled.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any

from graphol.errors import GrapholError, UsageError, in_one_line, shown
from graphol.executors.died import TaskDied, killed, out_of_memory, out_of_time
from graphol.processes import (
    CANNOT_START,
    GRACE,
    end_with_parent,
    load_plugins,
    no_signals,
    one_blas_thread,
    sendable,
)

BEGUN, READY, NO_MEMORY = b"begun", b"ready", b"no memory"
TICK = 0.5
"""Seconds after which a worker is looked at though nothing was heard of it."""
SLACK = 64 * 2**20
"""Bytes of address space that a task may at least have, beside its process."""
_starting = threading.Lock()  # multiprocessing keeps a list of children, for one thread at a time


class Worker:
    """A process that plays one task at a time.

    Parameters
    ----------
    files
        The plugin files that it loads first.
    memory
        Bytes of address space that it may have; None for no limit.
    """

    def __init__(self, files: Sequence[Path], memory: int | None) -> None:
        context = get_context("spawn")
        self._memory = memory
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, files, memory))
        resource_tracker.ensure_running()  # else the first start would let signals in
        with _starting, no_signals():
            self._process.start()
        theirs.close()

    def begin(self) -> None:
        """Wait until it has loaded everything."""
        begun = self._heard(None) is not None
        if begun and self._heard(None) is not None:
            return
        code = self.end()
        if not begun and code is not None and code >= 0:
            raise UsageError(CANNOT_START.format(instead="use executor serial"))
        raise killed(code, "while it loaded graphol and plugins")

    def play(self, load: bytes, timeout: float | None) -> Any:
        """What the task gives. A worker is of no use any more after :class:`TaskDied`."""
        with suppress(OSError):  # it has ended: that is heard
            self._pipe.send_bytes(load)
        answer = self._heard(timeout)
        if answer is None:
            raise killed(self.kill())
        if answer == NO_MEMORY:
            self.kill()
            raise out_of_memory(self._memory)
        done, found = pickle.loads(answer)
        if not done:
            raise found
        return found

    @property
    def idle(self) -> bool:
        """Is it alive, and silent?"""
        return self._process.is_alive() and not self._pipe.poll()

    def _heard(self, timeout: float | None) -> bytes | None:
        """Its next word; None if it has ended."""
        end = None if timeout is None else monotonic() + timeout
        while True:
            left = TICK if end is None else min(TICK, end - monotonic())
            ready = wait([self._pipe, self._process.sentinel], max(0.0, left))
            if self._pipe in ready or self._pipe.poll():
                try:
                    return self._pipe.recv_bytes()
                except (EOFError, OSError):
                    return None
            if ready or not self._process.is_alive():
                return None
            if end is not None and timeout is not None and monotonic() >= end:
                self.kill()
                raise out_of_time(timeout)

    def end(self) -> int | None:
        """Let it end, which it does when nobody talks to it; its exit code."""
        self._pipe.close()
        self._process.join(GRACE)  # a thread that a plugin has left may keep it alive
        return self.kill()

    def kill(self) -> int | None:
        """End it, and whatever it has started, at once; its exit code."""
        if sys.platform != "win32" and self._process.exitcode is None and self._process.pid:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        return self._process.exitcode


def pack(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    """A task as a worker takes it; what cannot be sent is refused."""
    try:
        return pickle.dumps((fn, args, kwargs), pickle.HIGHEST_PROTOCOL)
    except Exception as reason:
        raise UsageError(
            f"{shown(fn)} cannot be sent to another process: {in_one_line(reason)}; use executor "
            "serial, or a function of a module"
        ) from None


def work(pipe: Connection, files: Sequence[Path], memory: int | None) -> None:
    """What a worker does, from its start to its end."""
    _of_its_own()
    end_with_parent()
    pipe.send_bytes(BEGUN)
    one_blas_thread()
    failed: BaseException | None = None
    try:
        load_plugins(files)
        if memory is not None:
            _limit(memory)
    except BaseException as reason:
        failed = sendable(reason)
    pipe.send_bytes(READY)
    while True:
        try:
            load = pipe.recv_bytes()
        except EOFError:
            return
        except MemoryError:
            pipe.send_bytes(NO_MEMORY)
            return
        answer = _answer(load, failed)
        del load
        pipe.send_bytes(answer)


def _of_its_own() -> None:
    """A process group that can be killed with all that a task starts; and an end with the parent.

    A task that never lets go of the interpreter's lock keeps every thread of ours from noticing
    that the parent is gone; Linux tells it all the same.
    """
    if sys.platform == "win32":
        return
    with suppress(OSError):
        os.setpgid(0, 0)
    parent = parent_process()
    if sys.platform == "linux" and parent is not None:
        import ctypes

        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
        if os.getppid() != parent.pid:
            os._exit(1)


def _limit(memory: int) -> None:
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    size = pages * resource.getpagesize()
    if memory < size + SLACK:
        raise UsageError(
            f"a memory limit of {memory / 1e9:.3g} GB leaves nothing for a task: its process alone "
            f"takes {size / 1e9:.3g} GB of addresses; allow {(size + SLACK) / 1e9 + 0.1:.1f} GB"
        )
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _answer(load: bytes, failed: BaseException | None) -> bytes:
    """Pickled: was it done, and what it gave or raised."""
    try:
        if failed is not None:
            raise failed
        fn, args, kwargs = pickle.loads(load)
        found = fn(*args, **kwargs)
        del args, kwargs
        return _packed(True, found)
    except BaseException as reason:
        if _for_memory(reason):
            return NO_MEMORY
        return _packed(False, reason if isinstance(reason, TaskDied) else sendable(reason))


def _packed(done: bool, found: Any) -> bytes:
    try:
        packed = pickle.dumps((done, found), pickle.HIGHEST_PROTOCOL)
        if not done:
            pickle.loads(packed)  # an exception may be packed and not come out again
        return packed
    except MemoryError:
        raise
    except Exception as reason:
        if done:
            said = f"what the task gave cannot be sent back: {in_one_line(reason)}"
        else:
            said = f"the task failed: {in_one_line(found)}"
        return pickle.dumps((False, GrapholError(said)))


def _for_memory(reason: BaseException | None) -> bool:
    """Was there not enough memory, whatever was made of that on the way?"""
    return reason is not None and (isinstance(reason, MemoryError) or _for_memory(reason.__cause__))
