"""Node ids as members of a file: texts, whole numbers, and tuples of them.

==================  ==============================================================
``ids``             an array, where all are texts or all are whole numbers
``ids_literal``     Python literals, for tuples, mixed kinds and very large numbers
==================  ==============================================================
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError, UsageError

MEMBERS = ("ids", "ids_literal")

DEEPEST = 20
"""Tuples in tuples in tuples ...: the most levels that are written."""


def plain(node: Any, level: int = 0) -> Any:
    """The id without numpy's own types: 5 and np.int64(5) are one id, and must look like one."""
    if isinstance(node, np.generic):
        return node.item()
    if type(node) is tuple and level < DEEPEST:
        return tuple(plain(part, level + 1) for part in node)
    return node


def members(ids: Iterable[Hashable], graph: str) -> dict[str, NDArray[Any]]:
    """The ids as one member of an npz file; ``graph`` is what error messages call their graph.

    >>> members([(0, 0), (0, 1)], "a grid")
    {'ids_literal': array(['(0, 0)', '(0, 1)'], dtype='<U6')}
    """
    known = [plain(node) for node in ids]
    for node in known:
        if not _writable(node):
            raise UsageError(
                f"{graph}: node id {_shown(node)} cannot be stored; "
                "use texts, whole numbers or tuples"
            )
    if {type(node) for node in known} in ({str}, {int}):
        array = np.array(known)
        if array.dtype.kind in "iU" and array.tolist() == known:
            return {"ids": array}
    return {"ids_literal": np.array([repr(node) for node in known])}


def _writable(node: Any, level: int = 0) -> bool:
    if type(node) is int:
        return abs(node) < 10**1000  # Python reads no more than some thousand digits
    if type(node) is tuple:
        return level < DEEPEST and all(_writable(part, level + 1) for part in node)
    return type(node) is str


def _shown(node: Hashable) -> str:
    try:
        text = repr(node)
    except (ValueError, RecursionError):  # too many digits, too many levels
        return f"of type {type(node).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def read(stored: Mapping[str, NDArray[Any]], where: str) -> tuple[Hashable, ...]:
    """The ids as they were written; none, if they are not there."""
    if "ids" in stored:
        return tuple(stored["ids"].ravel().tolist())
    texts = stored["ids_literal"].ravel().tolist() if "ids_literal" in stored else []
    try:
        ids = tuple(ast.literal_eval(str(text)) for text in texts)
        hash(ids)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise InputError(f"{where}: ids_literal holds what is not a literal of a node id") from None
    return ids
