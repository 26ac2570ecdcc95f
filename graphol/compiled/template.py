"""One loop, many learners: a template is compiled once per set of rules and cached on disk.

A template is a plain function that calls its rules (``decide``, ``ask``, ...) as globals. numba
would compile rules passed as arguments or closures too, but could not cache the result between
processes. So :func:`bind` makes a copy of the template whose globals are the rules, and
:func:`compiled` compiles it under a name of its own: the owner's, and a digest of everything the
result depends on. An unchanged rule is found on disk again, wherever its file is now; a changed one
is not. Plain functions that rules call are compiled with them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from numba import njit

from graphol.compiled.digest import digest, is_plain, reads
from graphol.standins import stand_in

KEPT = 3
"""Versions of one owner's streams that stay on disk, for each version of Python."""


@functools.cache
def bind(template: Callable[..., Any], **rules: Any) -> Any:
    """A copy of the template whose globals are these rules; it is still plain Python."""
    plain: Any = template
    scope = {**plain.__globals__, **rules}
    copy = FunctionType(plain.__code__, scope, plain.__name__, plain.__defaults__)
    copy.__module__, copy.__qualname__ = plain.__module__, plain.__qualname__
    copy.__doc__ = plain.__doc__
    return copy


@functools.cache
def compiled(template: Callable[..., Any], owner: str, **rules: Callable[..., Any]) -> Any:
    """The template with these rules, compiled at its first call; it releases the GIL.

    A value that a rule reads and that cannot be digested is refused by name, with a UsageError.
    """
    whole = bind(template, **rules)
    name = re.sub(r"[^\w-]", "_", owner)
    made = _with_helpers(whole, whole.__module__, {})
    made.__qualname__ = f"{template.__name__}.{name}.{digest(whole)}"
    return _cached(made)


def _with_helpers(function: Any, home: str, known: dict[int, Any]) -> Any:
    """The function with every plain function that it reads replaced by a compiled copy.

    All say that they live where the template does: numba imports the module of each when it reads
    the cache, and that of a plugin file is gone once the file has moved.
    """
    scope = dict(function.__globals__)
    for path, named in reads(function).items():
        value = stand_in(named)
        if not is_plain(value):
            if value is not named:
                _put(scope, path, value)
            continue
        if id(value) not in known:
            known[id(value)] = None  # numba says what is wrong with one that calls itself
            known[id(value)] = njit(_with_helpers(value, home, known))
        _put(scope, path, known[id(value)])
    copy = FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__module__, copy.__qualname__ = home, function.__qualname__
    return copy


def _put(scope: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    """scope.a.b = value, on copies of the modules on the way."""
    name, *rest = path
    if not rest:
        scope[name] = value
        return
    copy = ModuleType(scope[name].__name__)
    copy.__dict__.update(scope[name].__dict__)
    scope[name] = copy
    _put(copy.__dict__, tuple(rest), value)


def _cached(function: Any) -> Any:
    """Compiled and kept on disk, where there is a folder to write to."""
    try:
        made = njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found none: compiled anew in every process
        return njit(nogil=True)(function)
    _forget_old(Path(str(made.stats.cache_path)), function)
    return made


def _forget_old(folder: Path, function: Any) -> None:
    """Leave the last few versions of this owner's stream: each takes a quarter of a megabyte."""
    own = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
    begin = own.rpartition(".")[0]
    python = re.compile(rf"{re.escape(begin)}\.[0-9a-f]{{16}}-\d+\.py\d+.*\.nbi")
    try:
        others = [
            file for file in folder.glob("*.nbi")
            if python.fullmatch(file.name) and not file.name.startswith(own)
        ]  # fmt: skip
        others.sort(key=lambda file: file.stat().st_mtime)
        for index in others[: -(KEPT - 1)]:
            for file in folder.glob(f"{index.stem}.*"):
                file.unlink(missing_ok=True)
    except OSError:
        return  # somebody else's folder, or somebody else tidies up: not worth a word
