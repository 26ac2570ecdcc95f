"""Games side by side: on threads where kernels release the GIL, else in processes."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple

from graphol.engine import Progress
from graphol.errors import GrapholError, UsageError
from graphol.registry import registry


class Turn(NamedTuple):
    """What one job plays at a time."""

    repeat: int
    player: int
    """Which of the learners."""


Play = Callable[..., Any]
"""Plays a turn, given the turn and ``progress``."""


def each_turn(
    play: Play, turns: Sequence[Turn], jobs: int, progress: Progress, *, threads: bool
) -> Iterator[tuple[Turn, Any]]:
    """Every turn and what it gave, in the order they finish.

    With ``threads`` all jobs share this process. Without, they are sent to processes of their own;
    what cannot be sent (a class of a script's __main__) is played on threads after all.
    """
    with _one_blas_thread():
        yield from _each_turn(play, turns, min(jobs, len(turns)), progress, threads)


def _one_blas_thread() -> AbstractContextManager[Any]:
    """While games run: their many small products can be 20 times slower on several threads."""
    import scipy.linalg  # noqa: F401  # loads the BLAS that compiled streams call
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(1, user_api="blas")
    return limits


def _each_turn(
    play: Play, turns: Sequence[Turn], jobs: int, progress: Progress, threads: bool
) -> Iterator[tuple[Turn, Any]]:
    luggage = None if threads or jobs == 1 else _packed(play)
    if jobs == 1:
        for turn in turns:
            yield turn, play(turn, progress=progress)
    elif luggage is None:
        pool = ThreadPoolExecutor(jobs)
        for i, found in _collect(pool, lambda i: play(turns[i], progress=progress), len(turns)):
            yield turns[i], found
    else:
        context = get_context("spawn")
        marks = context.Array("b", len(turns))
        begin = partial(_begin_worker, list(registry().files), luggage, turns, marks)
        try:
            for i, (rounds, found) in _collect(
                ProcessPoolExecutor(jobs, context, begin), _work, len(turns)
            ):
                progress(rounds)
                yield turns[i], found
        except BrokenProcessPool:
            playing = {turn.repeat for i, turn in enumerate(turns) if marks[i] == BEGUN}
            raise _broken(sorted(playing)) from None


def _collect(pool: Executor, play: Callable[[int], Any], n: int) -> Iterator[tuple[int, Any]]:
    try:
        with _no_signals():
            waiting = {pool.submit(play, i): i for i in range(n)}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    except BaseException:  # nobody waits for the other games
        for process in list((getattr(pool, "_processes", None) or {}).values()):
            process.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _no_signals() -> Iterator[None]:
    """Signals wait while processes start, which start deaf: a half-started one would be lost."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _broken(playing: Sequence[int]) -> GrapholError:
    if not playing:
        return UsageError(
            "the worker processes could not start; in a script of your own put the call under "
            "`if __name__ == '__main__':`, or use jobs=1"
        )
    where = " or ".join(map(str, playing))
    return GrapholError(
        f"a worker process ended in the middle of repeat {where}: it crashed, was killed or ran "
        f"out of memory; --repeats {playing[0]}-{playing[0]} --jobs 1 plays one alone"
    )


def _packed(play: Play) -> bytes | None:
    try:
        return pickle.dumps(play)
    except Exception:
        return None


BEGUN, DONE = 1, 2
_brought: list[tuple[Play, Sequence[Turn], Any]] = []  # a worker's luggage, unpacked once


def _begin_worker(files: list[Path], luggage: bytes, turns: Sequence[Turn], marks: Any) -> None:
    """Plugin files first: the game may be made of their classes."""
    _end_with_parent()
    _one_blas_thread()
    for path in files:
        registry().load_file(path)
    _brought.append((pickle.loads(luggage), turns, marks))


def _end_with_parent() -> None:
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


def _work(i: int) -> tuple[int, Any]:
    """Rounds played, and what the turn gave."""
    play, turns, marks = _brought[0]
    rounds: list[int] = []
    marks[i] = BEGUN
    found = play(turns[i], progress=rounds.append)
    marks[i] = DONE
    return sum(rounds), found
