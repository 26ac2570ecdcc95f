"""Repeats side by side: on threads where kernels release the GIL, else in processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from graphol.engine import Progress, Run
from graphol.errors import UsageError
from graphol.registry import registry

Game = Callable[..., Run]
"""Plays repeat r, given r and ``progress``."""


def each_repeat(
    game: Game, repeats: int, jobs: int, progress: Progress, *, threads: bool
) -> Iterator[tuple[int, Run]]:
    """Every repeat and its run, in the order they finish.

    With ``threads`` all jobs share this process. Without, they are sent to processes of their own;
    a game that cannot be sent (a class of a script's __main__) is played on threads after all.
    Runs that come back from a process leave their state behind.
    """
    with one_blas_thread():
        yield from _each_repeat(game, repeats, min(jobs, repeats), progress, threads)


def one_blas_thread() -> AbstractContextManager[Any]:
    """While games run: their many small products can be 20 times slower on several threads."""
    import scipy.linalg  # noqa: F401  # loads the BLAS that compiled streams call
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(1, user_api="blas")
    return limits


def _each_repeat(
    game: Game, repeats: int, jobs: int, progress: Progress, threads: bool
) -> Iterator[tuple[int, Run]]:
    luggage = None if threads or jobs == 1 else _packed(game)
    if jobs == 1:
        for repeat in range(repeats):
            yield repeat, game(repeat, progress=progress)
    elif luggage is None:
        yield from _collect(ThreadPoolExecutor(jobs), partial(game, progress=progress), repeats)
    else:
        begin = partial(_begin_worker, list(registry().files), luggage)
        pool = ProcessPoolExecutor(jobs, get_context("spawn"), begin)
        try:
            for repeat, run in _collect(pool, _work, repeats):
                progress(len(run.trace))
                yield repeat, run
        except BrokenProcessPool:
            raise UsageError(
                "the worker processes could not start; in a script of your own put the call under "
                "`if __name__ == '__main__':`, or use jobs=1"
            ) from None


def _collect(pool: Executor, play: Game, repeats: int) -> Iterator[tuple[int, Run]]:
    try:
        waiting = {pool.submit(play, repeat): repeat for repeat in range(repeats)}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _packed(game: Game) -> bytes | None:
    try:
        return pickle.dumps(game)
    except Exception:
        return None


_brought: list[Game] = []  # a worker's game, unpacked once


def _begin_worker(files: list[Path], luggage: bytes) -> None:
    """Plugin files first: the game may be made of their classes."""
    one_blas_thread()
    for path in files:
        registry().load_file(path)
    _brought.append(pickle.loads(luggage))


def _work(repeat: int) -> Run:
    return _brought[0](repeat)._replace(state=None)
