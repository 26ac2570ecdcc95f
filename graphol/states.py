"""States as a tree of named parts, for whoever saves, restores or compares them.

The parts of a state are arrays, arrays that grow, and plain scalars. A learner made of others holds
their states, or tuples of them: a part inside is named by its path, as in ``members.0.support``.
What is :class:`graphol.api.Derived` of the problem is no part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from graphol.api import Appendable, Derived, State


def parts(state: State) -> dict[str, Any]:
    """Every part by its path, in order.

    >>> from typing import NamedTuple
    >>> class Inner(NamedTuple):
    ...     v: int
    >>> class Outer(NamedTuple):
    ...     members: tuple
    ...     share: float
    >>> parts(Outer(members=(Inner(1), Inner(2)), share=0.5))
    {'members.0.v': 1, 'members.1.v': 2, 'share': 0.5}
    """
    return dict(_walk(state, ""))


def _walk(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Derived):
        return
    if not isinstance(value, tuple):
        yield path, value
        return
    for name, inside in zip(_names(value), value, strict=True):
        yield from _walk(inside, f"{path}.{name}" if path else name)


def _names(state: tuple[Any, ...]) -> tuple[str, ...]:
    """A state's fields; the entries of a tuple of states by number."""
    if type(state) is tuple:
        return tuple(map(str, range(len(state))))
    fields: tuple[str, ...] = state._fields  # type: ignore[attr-defined]
    return fields


def rebuilt(fresh: State, found: Mapping[str, Any]) -> State:
    """The state with these parts in place of its own; all else, what is derived too, is kept."""
    return _rebuilt(fresh, found, "")


def _rebuilt(value: Any, found: Mapping[str, Any], path: str) -> Any:
    if not isinstance(value, tuple):
        return value if isinstance(value, Derived) else found.get(path, value)
    inside = [
        _rebuilt(each, found, f"{path}.{name}" if path else name)
        for name, each in zip(_names(value), value, strict=True)
    ]
    return tuple(inside) if type(value) is tuple else type(value)(*inside)


def plain(part: Any) -> Any:
    """A part as it is saved: of what grows, what there is."""
    return part.values if isinstance(part, Appendable) else part


def all_finite(state: State) -> bool:
    """Is every number in its arrays finite?"""
    values = map(plain, parts(state).values())
    return all(
        np.isfinite(a).all() for a in values if isinstance(a, np.ndarray) and a.dtype.kind == "f"
    )
