"""A task on its way to another machine, and its answer on the way back.

Whoever receives a parcel plays it in a child process of its own, as the executor ``process`` does:
so time and memory can be limited there too, and a task that kills its process does not harm the
worker of dask, or the job of Slurm, that was to play others after it.
"""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import Future
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs

from graphol.errors import GrapholError, UsageError, in_one_line
from graphol.executors.process import ProcessExecutor
from graphol.executors.worker import pack
from graphol.registry import registry

_kept = threading.local()  # of each thread that plays parcels: its executor, and for which


@attrs.frozen
class Parcel:
    """One task, packed; it is as much to be trusted as who sent it.

    Parameters
    ----------
    load
        Function and arguments, pickled.
    files
        The plugin files that are loaded first; the other machine must see them by the same names.
    timeout
        Seconds that the task may take, or None.
    memory
        Bytes of address space that its process may have, or None.
    version
        That of the graphol that sent it.
    """

    load: bytes = attrs.field(repr=False)
    files: tuple[Path, ...] = ()
    timeout: float | None = None
    memory: int | None = None
    version: str = ""

    @classmethod
    def of(
        cls,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        timeout: float | None,
        memory: int | None,
    ) -> Parcel:
        """Pack a task; what cannot be sent is refused."""
        files = tuple(path.resolve() for path in registry().files)
        return cls(pack(fn, args, kwargs), files, timeout, memory, version("graphol"))

    def play(self) -> bytes:
        """The answer, for :func:`deliver`. The child process is kept for this thread's next one."""
        try:
            here = version("graphol")
            if here != self.version:
                raise UsageError(
                    f"a worker has graphol {here}, and the tasks are of graphol {self.version}; "
                    "install the same on both sides"
                )
            return pickle.dumps((True, self._executor().submit(_unpacked, self.load).result()))
        except Exception as reason:
            return pickle.dumps((False, reason))

    def _executor(self) -> ProcessExecutor:
        wanted = (self.files, self.timeout, self.memory)
        if vars(_kept).get("wanted") != wanted:
            put_away()
            # Workers of dask are daemons, which may have no children; ours end with them.
            multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
            _kept.executor = ProcessExecutor(
                1, timeout=self.timeout, memory=self.memory, files=self.files
            )
            _kept.wanted = wanted
        executor: ProcessExecutor = _kept.executor
        return executor


def _unpacked(load: bytes) -> Any:
    fn, args, kwargs = pickle.loads(load)
    return fn(*args, **kwargs)


def put_away() -> None:
    """End the child process that this thread keeps, if it has one."""
    executor = vars(_kept).pop("executor", None)
    vars(_kept).clear()
    if executor is not None:
        executor.shutdown()


def deliver(future: Future[Any], answer: bytes | BaseException) -> None:
    """Settle the future of a task, unless it was cancelled: with its answer, or why there is none.

    Until then the future is pending, and can be cancelled.
    """
    if not future.set_running_or_notify_cancel():
        return
    try:
        if isinstance(answer, BaseException):
            raise answer
        done, found = pickle.loads(answer)
        if not done:
            raise found
    except BaseException as reason:
        future.set_exception(reason)
    else:
        future.set_result(found)


def not_played(reason: BaseException, where: str) -> GrapholError:
    """Why a worker could not even begin: as a rule, it has not what it needs."""
    return GrapholError(
        f"{where} could not play a task: {in_one_line(reason)}; it needs the same graphol, plugins "
        "and files as this machine"
    )
