"""numba's compiler with a cache on disk that never stops a game.

numba refuses to compile where it finds no folder for its cache, and raises when the disk is full or
a file in the cache cannot be read. None of that is worth a game: what cannot be read is compiled
anew, what cannot be written is compiled again by the next process.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache


class _Cache(FunctionCache):
    """numba's, without its errors."""

    def load_overload(self, *arguments: Any) -> Any:
        """What is kept; None, a miss, if it is damaged, not ours to read or of a lost module."""
        try:
            return super().load_overload(*arguments)
        except Exception:
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, *arguments: Any) -> None:
        """Keep it, if there is room."""
        with contextlib.suppress(OSError):
            super().save_overload(*arguments)


def kept(function: Callable[..., Any], **options: Any) -> Any:
    """The function, compiled without the GIL at its first call and kept on disk where possible."""
    made = njit(nogil=True, **options)(function)
    with contextlib.suppress(RuntimeError):  # no folder that can be written to
        made._cache = _Cache(made.py_func)  # as its enable_caching() does
    return made


def kernel(function: Callable[..., Any]) -> Any:
    """The same without reference counts, for functions that make and return no arrays.

    numba counts references to every array that is passed on or looked into, an atomic instruction
    up and one down, which in small kernels is half of the time.
    """
    try:
        return kept(function, _nrt=False)
    except KeyError:  # a numba that does not know it
        return kept(function)
