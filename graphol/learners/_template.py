"""One loop, many learners: a template is compiled once per set of rules and cached on disk.

A template is a plain function that calls its rules (``decide``, ``ask``, ...) as globals. numba
would compile rules passed as arguments or closures too, but could not cache the result between
processes. So :func:`compiled` makes a copy of the template whose globals are the rules and whose
name is its own, which numba caches like any other function.

numba watches one file per cached function, the template's. Rules therefore live in the file of
their template: a changed rule is never served from an old cache.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba import njit


def compiled(template: Any, name: str, **rules: Callable[..., Any]) -> Any:
    """``template`` with these rules, compiled at the first call; it releases the GIL."""
    scope = dict(template.__globals__)
    scope.update({key: njit(rule) for key, rule in rules.items()})
    copy = FunctionType(template.__code__, scope, name, template.__defaults__)
    copy.__module__ = template.__module__
    copy.__qualname__ = f"{template.__qualname__}.{name}"
    return njit(cache=True, nogil=True)(copy)
