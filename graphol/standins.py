"""Functions that a rule calls and that are something else once it is compiled.

A rule is written once for two loops, and what is fast in one of them is slow in the other: numpy
wants whole arrays, numba single numbers. A plain function may therefore name its stand-in.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
_places: dict[Any, str] = {}


def compiled_as(place: str) -> Callable[[F], F]:
    """Decorate a plain function: compiled rules call ``place`` (``module:name``) instead of it."""

    def mark(function: F) -> F:
        _places[function] = place
        return function

    return mark


def stand_in(function: Any) -> Any:
    """What compiled rules call instead; the function itself where it names nothing."""
    if not callable(function) or function not in _places:
        return function
    module, _, name = _places[function].partition(":")
    return getattr(import_module(module), name)


@compiled_as("builtins:range")
def entries(n: int) -> tuple[slice]:
    """One pass over n entries: ``for j in entries(n): v[j] = ...``.

    Here j is all of them at once, as a slice; compiled it is one after the other. The body must
    mean the same for both: arithmetic, and numpy's functions of numbers.

    >>> import numpy as np
    >>> v = np.arange(4.0)
    >>> for j in entries(3):
    ...     v[j] = 2 * v[j] + 1
    >>> v
    array([1., 3., 5., 3.])
    """
    return (slice(0, n),)
