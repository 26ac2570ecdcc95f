"""Groups of tasks as jobs: submitted, watched, and taken up again where one was lost."""

import os
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from graphol import GrapholError
from graphol.errors import in_one_line
from graphol.executors import TaskDied
from graphol.executors.parcel import Parcel, deliver, put_away

POLL = 0.2
"""Seconds between two looks at the folder."""
SETTLE = 0.5
"""Seconds for which a group that is not full waits for more tasks."""
SLOW_DISK = 10.0
"""Seconds after which the last answers of a job can be seen on every machine."""

Waiting = tuple[Future, Parcel]


def play_all(parcels: Sequence[Parcel], folder: Path) -> None:
    """What a job does. Each answer is a file, written as soon as there is one."""
    (folder / "begun").touch()
    for k, parcel in enumerate(parcels):
        if (folder / f"{k}.answer").exists():  # Slurm has put the job back into its queue
            continue
        new = folder / f"{k}.new"
        new.write_bytes(parcel.play())
        os.rename(new, folder / f"{k}.answer")
    put_away()


def _cancel(future: Future) -> None:
    """And tell who waits for it."""
    if future.cancel():
        future.set_running_or_notify_cancel()


def _read(path: Path, owner: int) -> bytes | GrapholError:
    """An answer, which is a pickle: that of somebody else is not opened."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_uid != owner:
            return GrapholError(f"{path} was not written by who sent the task; it is not read")
        return file.read()


@attrs.define(eq=False)
class Job:
    """A group on its way: the job of submitit, its tasks, its folder, and what has come back."""

    handle: Any
    tasks: list[Waiting]
    folder: Path
    owner: int
    """Of the folder, and so of all files that count."""
    answered: int = 0
    over: float | None = None
    """When it was seen to have ended."""

    def collect(self) -> None:
        """Settle the futures of all tasks that are answered; answers come in order."""
        while self.answered < len(self.tasks):
            try:
                answer = _read(self.folder / f"{self.answered}.answer", self.owner)
            except FileNotFoundError:
                return
            deliver(self.tasks[self.answered][0], answer)
            self.answered += 1

    @property
    def left(self) -> list[Waiting]:
        """The tasks that are not answered."""
        return self.tasks[self.answered :]


class JobExecutor(Executor):
    """Tasks in groups, a job for each, watched by one thread.

    Parameters
    ----------
    submitting
        Submitit's executor.
    folder
        A folder of this executor's own.
    jobs
        Most jobs at a time.
    group
        Most tasks in a job.
    timeout
        Seconds that a task may take, or None.
    memory
        Bytes of address space that its process may have, or None.
    """

    def __init__(
        self,
        submitting: Any,
        folder: Path,
        *,
        jobs: int,
        group: int,
        timeout: float | None,
        memory: int | None,
    ) -> None:
        self._submitting, self._folder = submitting, folder
        self._owner = folder.stat().st_uid
        self._most, self._group = jobs, group
        self._timeout, self._memory = timeout, memory
        self._queue: deque[Waiting] = deque()
        self._last = time.monotonic()  # when a task came
        self._jobs: list[Job] = []
        self._count = 0
        self._over = self._lost = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="graphol-slurm", daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Queue a task; what cannot be sent is refused by its future."""
        if self._over:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: Future = Future()
        try:
            parcel = Parcel.of(fn, args, kwargs, timeout=self._timeout, memory=self._memory)
        except GrapholError as reason:
            future.set_exception(reason)
            return future
        self._last = time.monotonic()
        self._queue.append((future, parcel))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """No more tasks; the folder goes after those there are, unless a job was lost."""
        self._over = True
        if cancel_futures:
            with suppress(IndexError):
                while True:
                    _cancel(self._queue.popleft()[0])
        if wait:
            self._thread.join()
            self._put_away()

    def cancel_jobs(self) -> None:
        """End everything now: tasks that are queued are cancelled, those in jobs die."""
        self.shutdown(wait=False, cancel_futures=True)
        self._stop.set()
        self._thread.join()
        for job in self._jobs:
            job.handle.cancel(check=False)
            for future, _ in job.left:
                _cancel(future)

    def __exit__(self, kind: Any, reason: Any, traceback: Any) -> None:
        if kind is not None:
            self.cancel_jobs()
        self.shutdown()

    def _put_away(self) -> None:
        """Files are not removed under jobs that are still ending."""
        deadline = time.monotonic() + SLOW_DISK
        while any(not job.handle.done() for job in self._jobs) and time.monotonic() < deadline:
            time.sleep(POLL)
        if not self._lost:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _watch(self) -> None:
        try:
            while not self._stop.wait(POLL):
                for job in [*self._jobs]:
                    with suppress(OSError):  # a disk that is away may come back
                        self._look(job)
                self._send()
                if self._over and not self._queue and not self._jobs:
                    return
        except Exception as reason:  # nobody is to wait for ever
            self._over = self._lost = True
            said = GrapholError(f"slurm: jobs cannot be watched: {in_one_line(reason)}")
            for future, _ in [*(task for job in self._jobs for task in job.left), *self._queue]:
                deliver(future, said)

    def _look(self, job: Job) -> None:
        """Take what has come; a job that ended without all its answers was lost."""
        if job.over is None and job.handle.done():
            job.over = time.monotonic()
        job.collect()
        if job.over is None:
            return
        patience = SLOW_DISK if self._submitting.cluster == "slurm" else POLL
        if not job.left or time.monotonic() > job.over + patience:
            self._jobs.remove(job)
            if job.left:
                self._take_up(job)

    def _take_up(self, job: Job) -> None:
        """Who was playing when the job was lost is lost with it; those after go into another."""
        self._lost = True
        where = f"job {job.handle.job_id} was lost; its log is in {self._folder / 'logs'}"
        (future, _), *others = job.left
        if (job.folder / "begun").exists():
            deliver(future, TaskDied(f"it was played when {where}"))
            self._queue.extendleft(reversed(others))
        else:
            for future, _ in job.left:
                deliver(future, GrapholError(f"before it began, {where}"))

    def _send(self) -> None:
        while self._queue and len(self._jobs) < self._most:
            settled = time.monotonic() > self._last + SETTLE
            if len(self._queue) < self._group and not (settled or self._over):
                return
            tasks: list[Waiting] = []
            while self._queue and len(tasks) < self._group:
                future, parcel = self._queue.popleft()
                if future.cancelled():
                    future.set_running_or_notify_cancel()
                else:
                    tasks.append((future, parcel))
            if tasks:
                self._send_job(tasks)

    def _send_job(self, tasks: list[Waiting]) -> None:
        self._count += 1
        folder = self._folder / f"{self._count:06}"
        try:
            folder.mkdir()
            handle = self._submitting.submit(play_all, [parcel for _, parcel in tasks], folder)
        except Exception as reason:  # sbatch refuses, the disk is full
            self._lost = True
            refused = GrapholError(f"slurm: no job can be submitted: {in_one_line(reason)}")
            for future, _ in tasks:
                deliver(future, refused)
        else:
            self._jobs.append(Job(handle, tasks, folder, self._owner))
