"""Workers of dask: on this machine, or on all those of a cluster."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, wait
from contextlib import ExitStack
from functools import partial
from typing import Any, ClassVar

import attrs

from graphol.errors import UsageError, in_one_line
from graphol.executors.died import TaskDied
from graphol.executors.parcel import Parcel, deliver, not_played
from graphol.params import param
from graphol.processes import CANNOT_START

PATIENCE = 30
"""Seconds for a scheduler to answer, and to have a worker."""


@attrs.frozen
class Dask:
    """Workers of dask: a cluster of this machine's own, or the one that a scheduler has.

    A worker plays each task in a child process, so that time and memory can be limited and a task
    that kills its process harms no other. A worker that is lost itself is dask's to replace: its
    task is played again elsewhere, and dies only if four workers in a row are lost with it. Workers
    elsewhere need the same graphol and plugins, and see data and embeddings by the same paths.

    Parameters
    ----------
    scheduler
        The address of a scheduler, such as ``tcp://10.0.0.1:8786``; how many workers there are is
        then its affair. Empty: a cluster of processes on this machine, as long as it is needed.
    """

    name: ClassVar[str] = "dask"
    scheduler: str = param("")

    def start(
        self, workers: int, *, timeout: float | None = None, memory: int | None = None
    ) -> Executor:
        """An executor on a client of its own."""
        try:
            import distributed
        except ImportError as reason:
            raise UsageError(
                f"executor dask needs dask: pip install 'graphol[dask]' ({in_one_line(reason)})"
            ) from None
        with ExitStack() as closing:
            client = self._client(distributed, workers, closing)
            return DaskExecutor(
                client, closing.pop_all(), distributed.KilledWorker, timeout, memory
            )

    def _client(self, distributed: Any, workers: int, closing: ExitStack) -> Any:
        where = self.scheduler
        try:
            if not where:
                cluster = distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, processes=True,
                    dashboard_address=None, memory_limit=0, silence_logs="CRITICAL",
                )  # fmt: skip
                closing.callback(cluster.close)
            else:
                _check_address(where)
            client = distributed.Client(where or cluster, timeout=PATIENCE, set_as_default=False)
            closing.callback(client.close)
            client.wait_for_workers(1, timeout=PATIENCE)
        except RuntimeError:
            raise UsageError(CANNOT_START.format(instead="use executor serial")) from None
        except TimeoutError:
            raise UsageError(
                f"the dask scheduler at {where} has no workers after {PATIENCE} s; start some: "
                f"dask worker {where}"
            ) from None
        except (
            OSError,
            ValueError,
            TypeError,
        ) as reason:  # tls without its keys is of a wrong type
            raise UsageError(
                f"no dask scheduler answers at {where!r}: {in_one_line(reason)}; start one with "
                "`dask scheduler`, or leave the address out"
            ) from None
        return client


def _check_address(where: str) -> None:
    """Refuse by a ValueError what no client could reach: dask's own waits for long to end then."""
    from distributed.comm import addressing, registry

    scheme, location = addressing.parse_address(where)
    registry.get_backend(scheme)
    if scheme in ("tcp", "tls", "ws", "wss"):
        addressing.parse_host_port(location)


class DaskExecutor(Executor):
    """``Client.get_executor()``, with tasks as parcels.

    Parameters
    ----------
    client
        The client.
    closing
        Closes it, and its cluster if that is ours.
    lost
        The exception by which dask gives a task up that has lost too many workers.
    timeout
        Seconds that a task may take, or None.
    memory
        Bytes of address space that its process may have, or None.
    """

    def __init__(
        self,
        client: Any,
        closing: ExitStack,
        lost: type[Exception],
        timeout: float | None,
        memory: int | None,
    ) -> None:
        self._inner = client.get_executor(pure=False)
        self._closing, self._lost = closing, lost
        self._timeout, self._memory = timeout, memory
        self._futures: set[Future[Any]] = set()
        self._over = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Send a task; what cannot be sent is refused by its future."""
        if self._over:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: Future[Any] = Future()
        try:
            parcel = Parcel.of(fn, args, kwargs, timeout=self._timeout, memory=self._memory)
        except UsageError as reason:
            future.set_exception(reason)
            return future
        self._futures.add(future)
        inner = self._inner.submit(Parcel.play, parcel)
        future.add_done_callback(partial(self._settled, inner))
        inner.add_done_callback(partial(self._answered, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """No more tasks; the client, and a cluster of ours, are closed after those there are."""
        self._over = True
        if cancel_futures:
            for future in [*self._futures]:
                future.cancel()
        if wait:
            self._finish()
        else:
            threading.Thread(target=self._finish, daemon=True).start()

    def __exit__(self, kind: Any, reason: Any, traceback: Any) -> None:
        self.shutdown(cancel_futures=kind is not None)

    def _finish(self) -> None:
        wait([*self._futures])
        self._closing.close()

    def _settled(self, inner: Future[Any], future: Future[Any]) -> None:
        self._futures.discard(future)
        if future.cancelled():
            inner.cancel()

    def _answered(self, future: Future[Any], inner: Future[Any]) -> None:
        try:
            deliver(future, inner.result())
        except CancelledError:
            deliver(future, TaskDied("the dask scheduler was lost while it was played"))
        except self._lost:
            deliver(future, TaskDied("dask has lost every worker that played it"))
        except Exception as reason:
            deliver(future, not_played(reason, "a dask worker"))
