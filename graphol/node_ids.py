"""Node ids as members of a file: texts, whole numbers, and tuples of them.

==================  ==============================================================
``ids``             an array, where all are texts or all are whole numbers
``ids_literal``     Python literals, for tuples, mixed kinds and very large numbers
==================  ==============================================================
"""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError, UsageError, shown

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
                f"{graph}: node id {shown(node)} cannot be stored; "
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


def read(stored: Mapping[str, NDArray[Any]], where: str) -> tuple[Hashable, ...]:
    """The ids as they were written; none, if they are not there."""
    if "ids" in stored:
        return tuple(stored["ids"].ravel().tolist())
    texts = stored["ids_literal"].ravel().tolist() if "ids_literal" in stored else []
    ids = []
    for text in texts:
        try:
            ids.append(_literal(str(text)))
        except (ValueError, SyntaxError):
            raise InputError(
                f"{where}: ids_literal holds {shown(text)}, which is not a literal of a node id"
            ) from None
    return tuple(ids)


TOKEN = re.compile(
    r"\s*(?:([(),])|(-?[\d.]{1,1000}(?:e[-+]?\d{1,3})?(?![\w.])|None|True|False)"
    r"|('(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"))\s*"
)
"""Whole numbers, texts and brackets; floats and None were once written, too."""


def _literal(text: str) -> Hashable:
    """A text, a whole number or a tuple, as Python writes it; nothing else is evaluated.

    >>> _literal("(0, ('a', -5), ())")
    (0, ('a', -5), ())
    """
    levels: list[list[Any]] = [[]]
    place, comma = 0, True
    while place < len(text):
        token = TOKEN.match(text, place)
        if token is None or len(levels) > DEEPEST + 1:
            raise ValueError
        place = token.end()
        sign, number, quoted = token.groups()
        if sign == ",":
            if comma or len(levels) == 1:
                raise ValueError
            comma = True
        elif sign == ")":
            if len(levels) == 1:
                raise ValueError
            inner = levels.pop()
            if len(inner) == 1 and not comma:
                raise ValueError  # brackets, and no tuple
            levels[-1].append(tuple(inner))
            comma = False
        elif not comma:
            raise ValueError
        elif sign == "(":
            levels.append([])
        else:
            levels[-1].append(ast.literal_eval(number or quoted))
            comma = False
    if len(levels) != 1 or len(levels[0]) != 1:
        raise ValueError
    found: Hashable = levels[0][0]
    return found
