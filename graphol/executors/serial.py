"""One task after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from typing import Any, ClassVar

import attrs

from graphol.errors import UsageError
from graphol.executors.died import out_of_memory
from graphol.processes import one_blas_thread, sendable


@attrs.frozen
class Serial:
    """One task after the other in this process: for a debugger, and for the smallest sweeps.

    A task is played when it is submitted, however many workers are wanted. What it raises is its
    own failure, ``sys.exit`` included; a task that kills its process ends everything, and none can
    be stopped, so limits are refused.

    Examples
    --------
    >>> with Serial().start(1) as executor:
    ...     executor.submit(divmod, 7, 2).result()
    (3, 1)
    """

    name: ClassVar[str] = "serial"

    def start(
        self, workers: int, *, timeout: float | None = None, memory: int | None = None
    ) -> Executor:
        """An executor without workers."""
        for limit, value in (("time", timeout), ("memory", memory)):
            if value is not None:
                raise UsageError(
                    f"executor serial plays in this process and cannot limit a task's {limit}; "
                    "use executor process"
                )
        return SerialExecutor()


class SerialExecutor(Executor):
    """Plays what is submitted before ``submit`` returns."""

    def __init__(self) -> None:
        self._over = False
        self._limits = ExitStack()
        self._limits.enter_context(one_blas_thread())  # as in all workers: sums depend on it

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future that is done."""
        if self._over:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except KeyboardInterrupt:  # the user's: nothing else is to be played
            raise
        except MemoryError:
            future.set_exception(out_of_memory(None))
        except BaseException as reason:
            future.set_exception(sendable(reason))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """No more tasks."""
        self._over = True
        self._limits.close()
