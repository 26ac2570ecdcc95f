"""How the Steiner kernels are compiled: cached, without the GIL and without reference counts.

They allocate nothing and only pass arrays on, but at every call numba would count references to
each array, an atomic instruction up and one down. Leaving that out halves the time of a forest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphol.jit import kept


def kernel(function: Callable[..., Any]) -> Any:
    """The function, compiled; it must not make arrays."""
    try:
        return kept(function, _nrt=False)
    except KeyError:  # a numba that does not know it
        return kept(function)
