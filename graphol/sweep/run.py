"""Cells handed to an executor; what comes back is kept one by one by this process alone."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future
from queue import Empty, SimpleQueue
from typing import Any, Protocol

import attrs

from graphol.errors import GrapholError, InputError, UsageError, in_one_line
from graphol.executors import TaskDied
from graphol.registry import registry
from graphol.sweep.play import Played
from graphol.sweep.store import Failure, Store

WINDOW = 1000
"""Cells that wait at an executor: enough to be grouped into jobs, few enough to be held twice."""

Progress = Callable[[int, int, int], None]
"""Is told how many cells were played, how many there are to play, and how many failed."""


@attrs.frozen(kw_only=True)
class Means:
    """By what means cells are played; none of it changes a figure.

    Parameters
    ----------
    executor
        An executor, or its name.
    jobs
        Cells played at a time.
    timeout
        Seconds for one cell; None for no limit.
    memory
        Bytes for the process of one cell; None for no limit.
    fail_fast
        Stop at the first cell that fails.
    progress
        Is told after every cell.
    """

    executor: Any = "process"
    jobs: int = attrs.field(default=1)
    timeout: float | None = attrs.field(default=None)
    memory: int | None = attrs.field(default=None)
    fail_fast: bool = False
    progress: Progress = lambda played, total, failed: None

    @jobs.validator
    def _some(self, field: Any, value: Any) -> None:
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise UsageError(f"jobs must be a whole number >= 1, got {value!r}")

    @timeout.validator
    def _positive(self, field: Any, value: Any) -> None:
        if value is not None and not value > 0:
            raise UsageError(f"timeout must be > 0 seconds, got {value!r}")

    @memory.validator
    def _bytes(self, field: Any, value: Any) -> None:
        if value is not None and not value > 0:
            raise UsageError(f"memory must be > 0 bytes, got {value!r}")


class Job(Protocol):
    """What is played somewhere and kept in a file: a cell, or a part of a paper's table."""

    @property
    def command(self) -> str | None:
        """Plays it alone, if there is one."""

    @property
    def about(self) -> str:
        """What it is, in one line."""

    @property
    def place(self) -> tuple[Any, ...]:
        """Jobs that sort together share what a worker has loaded."""

    def recipe(self) -> dict[str, Any]:
        """Everything that can change a figure."""

    def task(self, name: str) -> tuple[Callable[..., Played], tuple[Any, ...]]:
        """What a worker calls to play it, and with what."""


class Runner:
    """Plays cells, and keeps what comes of them.

    Parameters
    ----------
    store
        A folder that this process has claimed.
    means
        Where and how they are played.
    """

    def __init__(self, store: Store, means: Means) -> None:
        self.store, self.means = store, means
        self.failures: dict[str, Failure] = {}
        self.seconds: dict[str, float] = {}
        """Of every cell that was played and is done."""
        self._tries = {name: failure.tries for name, failure in store.failed().items()}

    def play(self, cells: Mapping[str, Job]) -> None:
        """Play them all; every one is kept, done or failed, before the next is looked at."""
        order = sorted(cells, key=lambda name: (cells[name].place, name))
        executor = registry().make("executor", self.means.executor)
        died: list[str] = []
        try:
            with self._started(executor, min(self.means.jobs, len(cells), WINDOW)) as pool:
                for name, future in _settled(pool, [(name, cells[name]) for name in order]):
                    try:
                        self._keep(cells[name], future.result())
                    except CancelledError:
                        continue
                    except TaskDied as reason:
                        if reason.why == "killed":
                            died.append(name)
                            continue
                        self._fail(name, cells[name], str(reason), reason.why)
                    except (GrapholError, OSError):
                        raise  # of the executor or of the disk, and no cell's own
                    except Exception as reason:  # whatever a cluster says of a lost task
                        died.append(name)
                        self.store.log(name, f"{in_one_line(reason)}\n")
                    if self._told(len(cells)):
                        pool.shutdown(wait=False, cancel_futures=True)
                        raise _Enough
            for name in died:
                self._alone(name, cells[name])
                if self._told(len(cells)):
                    break
        except _Enough:
            pass
        except InputError as reason:
            raise InputError(
                f"{reason}; what was done is kept, and the same command goes on from there"
            ) from None

    def _started(self, executor: Any, jobs: int) -> Executor:
        started: Executor = executor.start(
            jobs, timeout=self.means.timeout, memory=self.means.memory
        )
        return started

    def _alone(self, name: str, cell: Job) -> None:
        """Once more, in a process that no other cell shares: was it the cell, or its neighbour?"""
        with self._started(registry().make("executor", "process"), 1) as pool:
            try:
                self._keep(cell, _submitted(pool, name, cell).result())
            except TaskDied as reason:
                self._fail(name, cell, str(reason), reason.why, tries=2)
            except (GrapholError, OSError):
                raise
            except Exception as reason:
                self._fail(name, cell, in_one_line(reason), "error", tries=2)

    def _keep(self, cell: Job, played: Played) -> None:
        if played.error:
            self._fail(played.name, cell, played.error, "error", log=played.log)
        else:
            self.store.log(played.name, f"{cell.about}\n{played.log}")
            self.store.put(played.name, played.content)
            self.seconds[played.name] = played.seconds

    def _fail(
        self, name: str, cell: Job, error: str, why: str, *, tries: int = 1, log: str = ""
    ) -> None:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        tries += self._tries.get(name, 0)
        failure = Failure(name, cell.recipe(), error, cell.command, tries, why, now)
        self.store.log(name, f"{cell.about}\n{log}{why}: {error}\n")
        self.store.fail(failure)
        self.failures[name] = failure

    def _told(self, total: int) -> bool:
        """Say how far we are; True if that is enough."""
        failed = len(self.failures)
        self.means.progress(len(self.seconds) + failed, total, failed)
        return bool(failed and self.means.fail_fast)


class _Enough(Exception):
    """The first failure, where one is enough."""


def _settled(
    pool: Executor, cells: Sequence[tuple[str, Job]]
) -> Iterator[tuple[str, Future[Played]]]:
    """Submit all cells, a window of them at a time, and give back each as it ends."""
    ended = SimpleQueue[tuple[str, Future[Played]]]()
    waiting = 0
    for name, cell in cells:
        future = _submitted(pool, name, cell)
        future.add_done_callback(lambda future, name=name: ended.put((name, future)))  # type: ignore[misc]
        del future
        waiting += 1
        while waiting:
            try:
                found = ended.get(block=waiting >= WINDOW)
            except Empty:
                break
            waiting -= 1
            yield found
    for _ in range(waiting):
        yield ended.get()


def _submitted(pool: Executor, name: str, cell: Job) -> Future[Played]:
    function, what = cell.task(name)
    return pool.submit(function, *what)
