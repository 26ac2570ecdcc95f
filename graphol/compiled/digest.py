"""Everything that a function's compiled form depends on, as one short text.

numba caches by file name and time, which sees an edited template but not a rule of another file, a
helper of a third, or a constant that both read. The digest sees the code, constants and defaults of
a function, the values of the globals it reads, and the same of every plain function it calls, by
name or as ``module.name``. Line numbers, names of files and docstrings are left out: a rule that is
moved is the same rule.
"""

from __future__ import annotations

import dis
import hashlib
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, EllipsisType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

from graphol.errors import UsageError
from graphol.standins import stand_in

SCALARS = (bool, int, float, complex, str, bytes, EllipsisType, np.generic, np.dtype)
LIBRARIES = ("numpy", "math", "builtins", "operator", "numba")
"""Packages whose functions numba knows by name; their text is no part of a digest."""


def digest(function: Any) -> str:
    """Sixteen characters that change with whatever the compiled function depends on."""
    found = hashlib.sha256()
    for part in _parts(function, function.__name__, set()):
        found.update(part.encode() + b"\0")
    return found.hexdigest()[:16]


def reads(function: FunctionType) -> dict[tuple[str, ...], Any]:
    """The globals a function reads: ("name",) or ("module", "name", ...), each with its value."""
    found: dict[tuple[str, ...], Any] = {}
    for code in _codes(function.__code__):
        steps = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "PRECALL")]
        for at, step in enumerate(steps):
            if step.opname not in ("LOAD_GLOBAL", "LOAD_NAME"):
                continue
            path: tuple[str, ...] = (str(step.argval),)
            value = _global(function, path[0])
            for after in steps[at + 1 :]:
                reading = after.opname in ("LOAD_ATTR", "LOAD_METHOD")
                if not (reading and isinstance(value, ModuleType)):
                    break
                path, value = (*path, str(after.argval)), getattr(value, str(after.argval), None)
            found[path] = value
    return found


def called(function: Any, found: tuple[Any, ...] = ()) -> tuple[Any, ...]:
    """The function and all plain ones that are compiled with it."""
    function = function.py_func if isinstance(function, Dispatcher) else function
    if not is_plain(function) or function in found:
        return found
    found = (*found, function)
    for value in reads(function).values():
        found = called(stand_in(value), found)
    return found


def is_plain(value: Any) -> bool:
    """Is it a function written in Python, outside the libraries that numba knows?"""
    return isinstance(value, FunctionType) and not _is_library(value)


def _parts(value: Any, name: str, seen: set[int]) -> Iterator[str]:
    """The value as texts; ``name`` is what an error calls it."""
    value = stand_in(value)
    if isinstance(value, Dispatcher):
        yield f"compiled {sorted(value.targetoptions.items())}"
        value = value.py_func
    if is_plain(value):
        yield from _function(value, seen)
    elif isinstance(value, _Intrinsic):  # writes machine code itself: known by its lines alone
        yield from (code.co_code.hex() for code in _codes(value._defn.__code__))
    elif value is None or isinstance(value, SCALARS):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, slice):
        yield from _parts(("slice", value.start, value.stop, value.step), name, seen)
    elif isinstance(value, tuple | frozenset):
        for each in value if isinstance(value, tuple) else sorted(value, key=repr):
            yield from _parts(each, name, seen)
        yield f"{len(value)} in a {type(value).__name__}"
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        yield f"array {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    elif isinstance(value, ModuleType):
        yield f"module {value.__name__}"
    elif _is_library(value):
        yield f"library {value.__name__}"
    elif isinstance(value, type) and issubclass(value, tuple | Exception):
        yield f"class {value.__module__}.{value.__qualname__} {getattr(value, '_fields', ())}"
    else:
        raise UsageError(
            f"{name} is a {type(value).__name__}, which cannot be part of a compiled rule; "
            "make it a number, a tuple of numbers, an array or a plain function"
        )


def _function(function: FunctionType, seen: set[int]) -> Iterator[str]:
    if id(function) in seen:
        yield f"again {function.__name__}"
        return
    seen.add(id(function))
    for code in _codes(function.__code__):
        yield f"{code.co_code.hex()} {code.co_exceptiontable.hex()} {code.co_names}"
        yield f"{code.co_varnames} {code.co_argcount} {code.co_kwonlyargcount}"
        documented = code.co_consts[:1] == (function.__doc__,)
        for constant in code.co_consts[documented:]:
            if not isinstance(constant, CodeType):
                yield from _parts(constant, f"{function.__name__}: a constant", seen)
    for key, default in zip(("defaults", "keywords"), _defaults(function), strict=True):
        yield from _parts(default, f"{function.__name__}: {key}", seen)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield f"closure {name}"
        if isinstance(cell.cell_contents, ModuleType):
            raise UsageError(
                f"{function.__name__}: {name} is a module imported within a function, out of which "
                "compiled rules cannot call; import it at the top of the file"
            )
        yield from _parts(cell.cell_contents, f"{function.__name__}: {name}", seen)
    for path, value in sorted(reads(function).items()):
        yield ".".join(path)
        yield from _parts(value, f"{function.__name__}: {'.'.join(path)}", seen)


def _defaults(function: FunctionType) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return function.__defaults__ or (), tuple(sorted((function.__kwdefaults__ or {}).items()))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those of the functions and comprehensions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _global(function: FunctionType, name: str) -> Any:
    scope = function.__globals__
    if name in scope:
        return scope[name]
    builtins = scope.get("__builtins__", {})
    builtins = vars(builtins) if isinstance(builtins, ModuleType) else builtins
    if name not in builtins:
        raise UsageError(f"{function.__name__}: {name} is not defined")
    return builtins[name]


def _is_library(value: Any) -> bool:
    """Is it a function or class that numba knows by name, or knows that it does not know?"""
    if isinstance(value, np.ufunc | BuiltinFunctionType):
        return True
    home = str(getattr(value, "__module__", "")).partition(".")[0]
    return home in LIBRARIES and isinstance(getattr(value, "__name__", None), str)
