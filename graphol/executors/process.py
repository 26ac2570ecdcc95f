"""Worker processes on this machine, each with a life of its own."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from multiprocessing.util import Finalize
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, ClassVar

import attrs

from graphol.errors import GrapholError, UsageError, in_one_line
from graphol.executors.died import TaskDied
from graphol.executors.worker import Worker, pack
from graphol.processes import CANNOT_START
from graphol.registry import registry

STARTS = 3
"""Workers that are tried for a task, where they end before they are ready."""


@attrs.frozen
class Process:
    """Worker processes on this machine, each of which plays one task after the other.

    A task over its time is stopped with its process, and one over its memory fails; a process that
    crashes or is killed takes its own task with it and no other. Another process takes its place.
    All end with this process, however it ends. A small task costs less than a millisecond more than
    in this process; a process costs the time to import graphol, once.

    Examples
    --------
    >>> with Process().start(2, timeout=60.0) as executor:
    ...     list(executor.map(divmod, (7, 9), (2, 4)))
    [(3, 1), (2, 1)]
    """

    name: ClassVar[str] = "process"

    def start(
        self, workers: int, *, timeout: float | None = None, memory: int | None = None
    ) -> Executor:
        """An executor with so many worker processes; they start with the first tasks."""
        files = [path.resolve() for path in registry().files]
        return ProcessExecutor(workers, timeout=timeout, memory=memory, files=files)


class ProcessExecutor(Executor):
    """One thread for every worker process, which hands it tasks.

    Left by an exception, Ctrl-C included, a ``with`` block kills all workers; else it waits for
    all tasks, as any executor does.

    Parameters
    ----------
    workers
        Processes, >= 1.
    timeout
        Seconds that a task may take, from when a worker has it; None for no limit.
    memory
        Bytes of address space that a worker may have; None for no limit.
    files
        The plugin files that workers load first.
    """

    def __init__(
        self,
        workers: int,
        *,
        timeout: float | None = None,
        memory: int | None = None,
        files: Sequence[Path] = (),
    ) -> None:
        if memory is not None and sys.platform != "linux":
            raise UsageError(f"memory cannot be limited on {sys.platform}; leave the limit out")
        self._timeout, self._memory, self._files = timeout, memory, list(files)
        self._tasks: SimpleQueue[tuple[Future[Any], bytes] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._workers: set[Worker] = set()
        self._broken: GrapholError | None = None  # why no worker can start
        self._over = self._killed = False
        self._threads = [
            threading.Thread(target=self._serve, name=f"graphol-worker-{i}", daemon=True)
            for i in range(workers)
        ]
        for thread in self._threads:
            thread.start()
        # for who forgets to shut down: before this process waits for its children, as it does
        self._at_exit = Finalize(None, self.kill_workers, exitpriority=0)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a task; what cannot be sent to another process is refused by its future."""
        future: Future[Any] = Future()
        try:
            load = pack(fn, args, kwargs)
        except UsageError as reason:
            future.set_exception(reason)
            return future
        with self._lock:
            if self._over:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._tasks.put((future, load))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """No more tasks; workers end after those that are queued, unless these are cancelled."""
        if cancel_futures:
            self._cancel()
        with self._lock:
            if not self._over:
                self._over = True
                for _ in self._threads:
                    self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()
            self._at_exit.cancel()

    def kill_workers(self) -> None:
        """End everything now: tasks that are queued are cancelled, those that are played die."""
        self._killed = True
        self.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            workers = [*self._workers]
        for worker in workers:
            worker.kill()

    def __exit__(self, kind: Any, reason: Any, traceback: Any) -> None:
        if kind is not None:
            self.kill_workers()
        self.shutdown()

    def _cancel(self) -> None:
        ends = 0
        while True:
            try:
                task = self._tasks.get_nowait()
            except Empty:
                break
            if task is None:
                ends += 1
            else:
                task[0].cancel()
                task[0].set_running_or_notify_cancel()  # who waits is told
        for _ in range(ends):
            self._tasks.put(None)

    def _serve(self) -> None:
        worker: Worker | None = None
        while (task := self._tasks.get()) is not None:
            if task[0].set_running_or_notify_cancel():
                worker = self._play(worker, *task)
            del task  # its arguments and its result may be large
        if worker is not None:
            worker.end()
            self._forget(worker)

    def _play(self, worker: Worker | None, future: Future[Any], load: bytes) -> Worker | None:
        """Settle the future; the worker, if it can play on."""
        try:
            worker = self._fit(worker)
            found = worker.play(load, self._timeout)
        except BaseException as reason:
            future.set_exception(reason)
            if isinstance(reason, TaskDied) or worker is None or not worker.idle:
                self._forget(worker)
                worker = None
        else:
            future.set_result(found)
        return worker

    def _fit(self, worker: Worker | None) -> Worker:
        """A worker that is ready: this one, or a new one if it has ended meanwhile."""
        if worker is not None and worker.idle:
            return worker
        self._forget(worker)
        last = self._broken or GrapholError("no worker process was started")
        for _ in range(STARTS):
            if self._broken is not None:
                break
            worker = self._new()
            try:
                worker.begin()
                return worker
            except GrapholError as reason:  # no task has to do with it
                self._forget(worker)
                last = reason
            if isinstance(last, UsageError):  # nor will another
                self._broken = last
            if self._killed:
                break
        raise last

    def _new(self) -> Worker:
        try:
            worker = Worker(self._files, self._memory)
        except RuntimeError:  # a script that starts workers when a worker imports it
            raise UsageError(CANNOT_START.format(instead="use executor serial")) from None
        except OSError as reason:
            raise GrapholError(f"no worker process can be started: {in_one_line(reason)}") from None
        with self._lock:
            self._workers.add(worker)
            late = self._killed
        if late:
            worker.kill()
        return worker

    def _forget(self, worker: Worker | None) -> None:
        if worker is not None:
            worker.kill()
            with self._lock:
                self._workers.discard(worker)
