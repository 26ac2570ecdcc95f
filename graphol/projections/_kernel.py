"""How the Steiner kernels are compiled: cached, without the GIL and without reference counts.

They allocate nothing and only pass arrays on, but at every call numba would count references to
each array, an atomic instruction up and one down. Leaving that out halves the time of a forest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def kernel(function: Callable[..., Any]) -> Any:
    """The function, compiled; it must not make arrays."""
    options: dict[str, Any] = {"cache": True, "nogil": True}
    unlisted: dict[str, Any] = {"_nrt": False}
    try:
        return njit(**options, **unlisted)(function)
    except KeyError:  # a numba that does not know it
        return njit(**options)(function)
