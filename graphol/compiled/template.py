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
import sys
from collections.abc import Callable
from pathlib import Path
from types import CellType, FunctionType, ModuleType
from typing import Any

from numba import jit
from numba.core.dispatcher import Dispatcher

from graphol.compiled.digest import digest, is_plain, reads
from graphol.jit import kept
from graphol.standins import stand_in

KEPT = 3
"""Versions of one owner's stream that stay on disk, for each version of Python."""


@functools.cache
def bind(template: Callable[..., Any], **rules: Any) -> Any:
    """A copy of the template whose globals are these rules; it is still plain Python."""
    plain: Any = template
    return _copy(plain, {**plain.__globals__, **rules}, plain.__closure__)


@functools.cache
def compiled(template: Callable[..., Any], owner: str, **rules: Callable[..., Any]) -> Any:
    """The template with these rules, compiled at its first call; it releases the GIL.

    ``owner`` names its files on disk. Globals that template and rules read are constants from now
    on; one that cannot be digested is refused by name, with a UsageError.
    """
    whole = bind(template, **rules)
    mark = digest(whole)
    made = _Copies(whole.__module__, mark).copy(whole)
    name = re.sub(r"[^\w-]", "_", owner)
    made.__qualname__ = f"{template.__name__}.{name}.{mark}"
    made = kept(made)
    if made.stats.cache_path is not None:
        _forget_old(Path(made.stats.cache_path), made.py_func)
    return made


class _Copies:
    """Compiled copies of all plain functions that one template calls, by way of its rules.

    They say that they live where the template does (``home``): numba imports the module of each
    when it reads the cache, and that of a plugin file is gone once the file has moved. Their names
    end with the digest (``mark``): the linker takes two functions of one name to be the same.
    """

    def __init__(self, home: str, mark: str) -> None:
        self.home, self.mark = home, mark
        self.made: dict[int, Any] = {}

    def copy(self, function: Any, options: Any = None) -> Any:
        """A copy that calls compiled ones; compiled itself, if there are options for numba."""
        scope = dict(function.__globals__)
        cells = [CellType() for _ in function.__closure__ or ()]
        copy: Any = _copy(function, scope, tuple(cells) or None)
        copy.__module__, copy.__qualname__ = self.home, f"{function.__qualname__}.{self.mark}"
        if options is not None:
            copy = self.made[id(function)] = jit(**options)(copy)  # it may call itself
        for path, value in reads(function).items():
            if self.called(value) is not value:
                _put(scope, path, self.called(value))
        for cell, old in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self.called(old.cell_contents)
        return copy

    def called(self, value: Any) -> Any:
        """What the compiled copies call instead of this value."""
        value = stand_in(value)
        options = {"nopython": True}
        if isinstance(value, Dispatcher):
            if value.__module__.startswith("graphol."):
                return value  # never moves
            value, options = value.py_func, value.targetoptions
        if not is_plain(value):
            return value
        return self.made.get(id(value)) or self.copy(value, options)


def _copy(function: Any, scope: dict[str, Any], closure: tuple[CellType, ...] | None) -> Any:
    copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, closure)
    copy.__kwdefaults__, copy.__doc__ = function.__kwdefaults__, function.__doc__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
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


def _forget_old(folder: Path, function: Any) -> None:
    """Leave the last few versions of this owner's stream: each takes a quarter of a megabyte."""
    own = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
    begin = re.escape(own.rpartition(".")[0])
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    version = re.compile(rf"{begin}\.[0-9a-f]{{16}}-\d+\.{python}[a-z]*\.nbi")
    try:
        others = [
            file for file in folder.glob("*.nbi")
            if version.fullmatch(file.name) and not file.name.startswith(own)
        ]  # fmt: skip
        others.sort(key=lambda file: file.stat().st_mtime)
        for index in others[: 1 - KEPT]:
            for file in folder.glob(f"{index.stem}.*"):
                file.unlink(missing_ok=True)
    except OSError:
        return  # somebody else's folder, or somebody else tidies up: not worth a word
