"""What every executor promises. Tasks are functions of this module, which any worker can import."""

from __future__ import annotations

import sys
import time
from concurrent.futures import Future, as_completed, wait
from typing import Any

import numpy as np

from graphol.api import Workers
from graphol.errors import GrapholError, InputError, UsageError
from graphol.executors.died import TaskDied

LONG = 300.0
"""Seconds after which a check gives up."""


def _sum_of_draws(seed: int, *, count: int = 1000) -> float:
    return float(np.random.default_rng(seed).normal(size=count).sum())


def _refuse(text: str) -> None:
    raise InputError(text)


def _leave(code: int) -> None:
    sys.exit(code)


def _sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def _reason(future: Future[Any]) -> BaseException | None:
    return future.exception(timeout=LONG)


def gives_what_the_task_gives(executor: Workers) -> None:
    """A result does not depend on where it was found, nor on how many are at work."""
    wanted = [_sum_of_draws(seed, count=7) for seed in range(6)]
    for workers in (1, 2):
        with executor.start(workers) as started:
            futures = [started.submit(_sum_of_draws, seed, count=7) for seed in range(6)]
            found = [future.result(timeout=LONG) for future in futures]
            assert found == wanted, f"with {workers} workers the results differ"


def its_futures_are_the_standard_ones(executor: Workers) -> None:
    """`as_completed` and `wait` of concurrent.futures know them, and `map` keeps the order."""
    with executor.start(2) as started:
        waiting = {started.submit(divmod, k, 3): k for k in range(5)}
        found = {waiting[each]: each.result() for each in as_completed(waiting, timeout=LONG)}
        assert found == {k: divmod(k, 3) for k in range(5)}
        more = [started.submit(abs, -k) for k in range(3)]
        assert not wait(more, timeout=LONG).not_done
        assert list(started.map(abs, (-3, 2, -1))) == [3, 2, 1]


def a_task_that_raises_fails_alone(executor: Workers) -> None:
    """A refusal keeps its class, its line and so its exit code; others are played all the same."""
    with executor.start(1) as started:
        refused = started.submit(_refuse, "there is no such graph")
        divided = started.submit(divmod, 1, 0)
        good = started.submit(divmod, 7, 2)
        reason = _reason(refused)
        assert type(reason) is InputError, f"an InputError came back as {reason!r}"
        assert (str(reason), reason.exit_code) == ("there is no such graph", 3)
        assert isinstance(_reason(divided), ZeroDivisionError)
        assert good.result(timeout=LONG) == (3, 1)


def a_task_that_exits_fails_alone(executor: Workers) -> None:
    """`sys.exit` in somebody's code ends one task, and not the sweep."""
    with executor.start(1) as started:
        left, good = started.submit(_leave, 3), started.submit(divmod, 7, 2)
        reason = _reason(left)
        assert isinstance(reason, GrapholError), f"sys.exit(3) came back as {reason!r}"
        assert good.result(timeout=LONG) == (3, 1)


def limits_are_kept_or_refused(executor: Workers) -> None:
    """`--timeout` stops a task that hangs, or is refused before anything is played."""
    try:
        started = executor.start(1, timeout=1.0)
    except UsageError as refusal:
        assert "\n" not in str(refusal)
        return
    with started:
        slow, good = started.submit(_sleep, LONG), started.submit(divmod, 7, 2)
        reason = _reason(slow)
        assert isinstance(reason, TaskDied) and reason.why == "timeout", f"it ended by {reason!r}"
        assert good.result(timeout=LONG) == (3, 1)


def takes_nothing_once_it_is_over(executor: Workers) -> None:
    """A task that nobody would play is refused, not forgotten."""
    started = executor.start(1)
    started.shutdown()
    try:
        started.submit(divmod, 7, 2)
    except RuntimeError:
        return
    raise AssertionError("a task was accepted after shutdown")


CHECKS = [
    gives_what_the_task_gives,
    its_futures_are_the_standard_ones,
    a_task_that_raises_fails_alone,
    a_task_that_exits_fails_alone,
    limits_are_kept_or_refused,
    takes_nothing_once_it_is_over,
]
