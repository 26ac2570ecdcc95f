"""Games side by side: on threads where kernels release the GIL, else in processes."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import traceback
import warnings
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
from graphol.errors import GrapholError, PluginError, UsageError, in_one_line, plainly
from graphol.guard import accused, strangers
from graphol.registry import registry


class Turn(NamedTuple):
    """What one job plays at a time."""

    repeat: int
    player: int
    """Which of the learners."""


Play = Callable[..., Any]
"""Plays a turn, given the turn and ``progress``."""
GRACE = 1.0
"""Seconds that worker processes have to end, once all games are played."""


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
    with _one_blas_thread():
        yield from _each_turn(play, turns, min(jobs, len(turns)), progress, threads, names)


def _one_blas_thread() -> AbstractContextManager[Any]:
    """While games run: their many small products can be 20 times slower on several threads."""
    import scipy.linalg  # noqa: F401  # loads the BLAS that compiled streams call
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(1, user_api="blas")
    return limits


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
        with _no_signals():
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


def _broken(playing: Sequence[Turn], names: Sequence[str], *, began: bool) -> GrapholError:
    if not began:
        return UsageError(
            "the worker processes could not start; in a script of your own put the call under "
            "`if __name__ == '__main__':`, or use jobs=1"
        )
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
    _end_with_parent()
    marks[len(turns)] = BEGUN
    _one_blas_thread()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # who started the games has heard them
            for path in files:
                registry().load_file(path)
        _brought.append((pickle.loads(luggage), turns, marks))
    except BaseException as reason:
        _failed.append(_sendable(reason))


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
        raise _sendable(reason) from None
    finally:
        marks[i] = DONE
    return sum(rounds), found, said


def _warning(message: Warning | str) -> tuple[str, type[Warning]]:
    """A warning as something that can be sent: its text, and a category that all know."""
    known = (each for each in type(message).__mro__ if each.__module__ == "builtins")
    category = next((each for each in known if issubclass(each, Warning)), UserWarning)
    return str(message), category


def _sendable(reason: BaseException) -> BaseException:
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
