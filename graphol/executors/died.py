"""How a task ends that neither returned nor raised."""

from __future__ import annotations

import signal
from typing import Literal

from graphol.errors import GrapholError

Why = Literal["killed", "timeout", "memory"]


class TaskDied(GrapholError):
    """The process that played a task is gone, and nobody else's task with it. Exit code 4.

    Parameters
    ----------
    message
        What happened, in one line.
    why
        ``killed`` (it crashed, or somebody ended it), ``timeout`` or ``memory``.
    """

    exit_code = 4

    def __init__(self, message: str, why: Why = "killed") -> None:
        super().__init__(message)
        self.why = why


def killed(code: int | None, when: str = "while it was played") -> TaskDied:
    """The end of a process with this exit code, as ``multiprocessing`` counts: -9 is SIGKILL."""
    how = "" if code is None else f" (exit code {code})"
    if code is not None and code < 0:
        known = {number.value: number.name for number in signal.Signals}
        how = f" ({known.get(-code, f'signal {-code}')})"
    return TaskDied(
        f"its process ended {when}{how}: it crashed, was killed, or the machine ran out of memory"
    )


def out_of_time(timeout: float) -> TaskDied:
    """It was stopped."""
    return TaskDied(f"it was not done after {timeout:g} s, and was stopped", "timeout")


def out_of_memory(memory: int | None) -> TaskDied:
    """It wanted more than it may have, or than there is."""
    limit = "there is" if memory is None else f"the {memory / 1e9:.3g} GB that a task may have"
    return TaskDied(f"it wanted more memory than {limit}, and was stopped", "memory")
