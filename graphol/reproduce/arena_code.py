"""A digest of the code that a learner is made of: figures of other code are other figures."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from graphol.api import Learner

ROOMS = ("graphol.learners", "graphol.bases", "graphol.compiled")
"""Where the rules of learners stand; what lies below them is told apart by versions alone."""

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_of(learner: Learner) -> str:
    """Sixteen hex digits of the modules of a learner, of its base classes and of its parts.

    What they import from the rooms of learners, bases and compiled loops counts, and so on.
    Comments, layout and docstrings do not.
    """
    waiting = sorted({cls.__module__ for part in _parts(learner) for cls in type(part).__mro__})
    seen: dict[str, str] = {}
    while waiting:
        module = waiting.pop()
        if module not in seen and module not in ("builtins", "typing", "abc"):
            seen[module], imported = _read(module)
            waiting += imported
    return hashlib.sha256(repr(sorted(seen.items())).encode()).hexdigest()[:16]


def _parts(value: Any) -> Iterator[Any]:
    """A component, and all that it is made of."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from _parts(each)
    elif attrs.has(type(value)):
        yield value
        for field in attrs.fields(type(value)):
            yield from _parts(getattr(value, field.name))


@functools.cache
def _read(module: str) -> tuple[str, tuple[str, ...]]:
    """The digest of one module, and which others of the rooms it imports."""
    path = _path(module)
    if path is None:  # made at a prompt, or compiled
        return "", ()
    tree, imported = ast.parse(path.read_bytes()), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            imported |= {_home(node.module, alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        if isinstance(node, DOCUMENTED) and node.body and _is_text(node.body[0]):
            node.body = node.body[1:]
    dumped = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    return dumped, tuple(sorted(name for name in imported if _in_rooms(name)))


def _home(module: str, name: str) -> str:
    """Where a name stands that is imported from a module: packages only pass on."""
    path = _path(module) if _in_rooms(f"{module}.") else None
    if path is None or path.name != "__init__.py":
        return module
    if _path(f"{module}.{name}"):
        return f"{module}.{name}"
    found: Any = vars(importlib.import_module(module)).get(name)
    return str(found.__module__) if callable(found) else module


def _in_rooms(module: str) -> bool:
    return module.startswith(tuple(f"{room}." for room in ROOMS))


def _path(module: str) -> Path | None:
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, AttributeError, ValueError):
        return None
    if found is None or not found.has_location or not found.origin:
        return None
    return Path(found.origin) if found.origin.endswith(".py") else None


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
