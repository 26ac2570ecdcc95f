"""Games side by side: on threads where kernels release the GIL, else in processes."""

from __future__ import annotations

import pickle
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from graphol.engine import Progress
from graphol.errors import GrapholError, UsageError
from graphol.guard import strangers
from graphol.processes import (
    CANNOT_START,
    GRACE,
    end_with_parent,
    load_plugins,
    no_signals,
    one_blas_thread,
    sendable,
)
from graphol.registry import registry


class Turn(NamedTuple):
    """What one job plays at a time."""

    repeat: int
    player: int
    """Which of the learners."""


Play = Callable[..., Any]
"""Plays a turn, given the turn and ``progress``."""


class WorkerDied(GrapholError):
    """A process ended in the middle of a game. Exit code 4."""

    exit_code = 4


def each_turn(
    play: Play,
    turns: Sequence[Turn],
    jobs: int,
    progress: Progress,
    *,
    threads: bool,
    names: Sequence[str] = (),
) -> Iterator[tuple[Turn, Any]]:
    """Every turn and what it gave, in the order they finish.

    With ``threads`` all jobs share this process. Without, they are sent to processes of their own;
    what cannot be sent (a class of a script's __main__) is played on threads after all. ``names``
    are those of the players, for the message that a process has ended while one played.
    """
    with one_blas_thread():
        yield from _each_turn(play, turns, min(jobs, len(turns)), progress, threads, names)


def _each_turn(
    play: Play,
    turns: Sequence[Turn],
    jobs: int,
    progress: Progress,
    threads: bool,
    names: Sequence[str],
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
        marks = context.Array("b", len(turns) + 1, lock=False)  # the last is of all workers
        begin = partial(_begin_worker, list(registry().files), luggage, turns, marks)
        try:
            for i, (rounds, found, said) in _collect(
                ProcessPoolExecutor(jobs, context, begin), _work, len(turns)
            ):
                progress(rounds)
                for text, category in said:
                    warnings.warn(text, category, stacklevel=2)
                yield turns[i], found
        except BrokenProcessPool:
            playing = [turn for i, turn in enumerate(turns) if marks[i] == BEGUN]
            raise _broken(playing, names, began=marks[len(turns)] == BEGUN) from None


def _collect(pool: Executor, play: Callable[[int], Any], n: int) -> Iterator[tuple[int, Any]]:
    try:
        with no_signals():
            waiting = {pool.submit(play, i): i for i in range(n)}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    except BaseException:  # nobody waits for the other games
        _kill(_processes(pool))
        raise
    finally:  # a thread that a plugin has left may keep a worker alive
        late = threading.Timer(GRACE, _kill, [_processes(pool)])
        late.start()
        pool.shutdown(wait=True, cancel_futures=True)
        late.cancel()


def _processes(pool: Executor) -> list[Any]:
    """Those of a pool; threads have none."""
    return list((getattr(pool, "_processes", None) or {}).values())


def _kill(processes: Sequence[Any]) -> None:
    for process in processes:
        process.kill()


def _broken(playing: Sequence[Turn], names: Sequence[str], *, began: bool) -> GrapholError:
    if not began:
        return UsageError(CANNOT_START.format(instead="use jobs=1"))
    if not playing:
        loaded = " or ".join(strangers()) or "what it plays"
        return WorkerDied(f"a worker process ended while it loaded {loaded}; try --jobs 1")
    repeats = sorted({turn.repeat for turn in playing})
    players = sorted({turn.player for turn in playing})
    who = " or ".join(names[player] for player in players if names)
    return WorkerDied(
        f"a worker process ended in the middle of repeat {' or '.join(map(str, repeats))}"
        f"{f' of {who}' if who else ''}: it crashed, was killed or ran out of memory; --repeats "
        f"{repeats[0]}-{repeats[0]} --jobs 1 plays one alone"
    )


def _packed(play: Play) -> bytes | None:
    try:
        return pickle.dumps(play)
    except Exception:
        return None


BEGUN, DONE = 1, 2
_brought: list[tuple[Play, Sequence[Turn], Any]] = []  # a worker's luggage, unpacked once
_failed: list[BaseException] = []  # why it could not be unpacked


def _begin_worker(files: list[Path], luggage: bytes, turns: Sequence[Turn], marks: Any) -> None:
    """Plugin files first: the game may be made of their classes."""
    end_with_parent()
    marks[len(turns)] = BEGUN
    one_blas_thread()
    try:
        load_plugins(files)
        _brought.append((pickle.loads(luggage), turns, marks))
    except BaseException as reason:
        _failed.append(sendable(reason))


def _work(i: int) -> tuple[int, Any, list[tuple[str, type[Warning]]]]:
    """Rounds played, what the turn gave, and what it warned about."""
    if _failed:
        raise _failed[0]
    play, turns, marks = _brought[0]
    rounds: list[int] = []
    marks[i] = BEGUN
    try:
        with warnings.catch_warnings(record=True) as noted:
            found = play(turns[i], progress=rounds.append)
        said = [_warning(each.message) for each in noted]
    except BaseException as reason:
        raise sendable(reason) from None
    finally:
        marks[i] = DONE
    return sum(rounds), found, said


def _warning(message: Warning | str) -> tuple[str, type[Warning]]:
    """A warning as something that can be sent: its text, and a category that all know."""
    known = (each for each in type(message).__mro__ if each.__module__ == "builtins")
    category = next((each for each in known if issubclass(each, Warning)), UserWarning)
    return str(message), category
