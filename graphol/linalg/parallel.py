"""Rows shared out among the processors; what comes out does not depend on how many there are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

ROWS = 2048
"""Rows of a piece. Sums over pieces are taken in their order, by any number of threads."""

T = TypeVar("T")


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pieces(AbstractContextManager["Pieces"]):
    """n rows in pieces of 2048, worked on by all processors; BLAS is held to one thread meanwhile.

    The work must release the GIL to gain anything: numpy's products and our compiled kernels do.

    >>> with Pieces(10_000) as pieces:
    ...     pieces.sum(lambda rows: np.array(rows.stop - rows.start))
    array(10000)
    """

    def __init__(self, n: int, threads: int | None = None) -> None:
        self.rows = [slice(lo, min(lo + ROWS, n)) for lo in range(0, n, ROWS)]
        self._threads = min(threads or processors(), len(self.rows))

    def __enter__(self) -> Pieces:
        from threadpoolctl import threadpool_limits

        self._limits: Any = threadpool_limits(1, user_api="blas")
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        return self

    def __exit__(self, *failure: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._limits.restore_original_limits()

    def map(self, work: Callable[[slice], T]) -> Iterator[T]:
        """``work`` on every piece, the results in order."""
        return map(work, self.rows) if self._pool is None else self._pool.map(work, self.rows)

    def each(self, work: Callable[[slice], object]) -> None:
        """``work`` on every piece."""
        for _ in self.map(work):
            pass

    def sum(self, work: Callable[[slice], NDArray[np.float64]]) -> NDArray[np.float64]:
        """The sum of ``work`` over all pieces, from the first to the last."""
        parts = self.map(work)
        total = next(parts).copy()
        for part in parts:  # as they come: many of them together may be large
            total += part
        return total
