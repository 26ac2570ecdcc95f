"""Does a class, or a value, fit the interface of its kind?

What a learner or a protocol declares about itself (``needs``, ``targets``, ``reveals``, ...) is an
attribute of its class, or a property where its parameters decide; then it is checked for every
value.
"""

from __future__ import annotations

import inspect
from typing import Any, get_args

import attrs

from graphol.api import KINDS, Needs, Target, feedback_interface
from graphol.errors import GrapholError
from graphol.spelling import MARKS


def misfit(kind: str, cls: Any) -> str:
    """What keeps ``cls`` from being a component of this kind, or ''."""
    if not isinstance(cls, type):
        return "hooks return classes, not instances"
    name = getattr(cls, "name", None)
    if type(name) is not str:
        return "it needs a class attribute `name`, a text"
    if not name or name != name.strip() or not name.isprintable() or set(name) & set(MARKS):
        return f"its name {name!r} cannot be typed: give it letters, and none of {' '.join(MARKS)}"
    if not attrs.has(cls):
        return "it must be an attrs class: decorate it with @attrs.frozen"
    if not isinstance(getattr(cls, "__doc__", None), str | None):
        return "its docstring must be a text"
    declared = [*KINDS[kind].__annotations__]
    interface = KINDS[kind]
    if kind == "feedback" and not inspect.isdatadescriptor(getattr(cls, "reveals", None)):
        interface = feedback_interface(getattr(cls, "reveals", None) or "label")
    wanted = [a for a in dir(interface) if not a.startswith("_")] + declared
    missing = [name for name in dict.fromkeys(wanted) if not hasattr(cls, name)]
    if missing:
        return f"it lacks {', '.join(missing)}"
    return misdeclared(kind, cls)


def misdeclared(kind: str, owner: Any) -> str:
    """What a component declares as it may not, or ''; of a class, what no property of it gives."""
    for key in KINDS[kind].__annotations__:
        value, (fits, says) = getattr(owner, key), DECLARED.get(key, (object, ""))
        if not _fits(value, fits) and not inspect.isdatadescriptor(value):
            return f"its {key} must be {says}"
    return ""


DECLARED: dict[str, tuple[Any, str]] = {
    "feedback": (str, "the name of a protocol"),
    "learns_from": ((str,), "a tuple of kinds of answers, such as ('label',)"),
    "targets": (({*get_args(Target)},), f"a tuple of {', '.join(get_args(Target))}"),
    "needs": ({*get_args(Needs)}, f"one of {', '.join(get_args(Needs))}"),
    "reveals": (str, "a text, such as 'label'"),
    "on_request": (bool, "True or False"),
    "spreads": (bool, "True or False"),
}
"""What a component declares about itself: its type, or a set of texts; in a tuple; and in words."""


def _fits(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, tuple):
        return isinstance(value, tuple) and all(_fits(each, wanted[0]) for each in value)
    if isinstance(wanted, set):
        return isinstance(value, str) and value in wanted
    return isinstance(value, wanted)


def checked(kind: str, component: Any) -> Any:
    """The component, if what it declares is what it must be; its parameters may decide that."""
    wrong = misdeclared(kind, component)
    if wrong:
        raise GrapholError(f"{component.name}: {wrong}")
    return component


def declares(kind: str, cls: Any) -> dict[str, Any]:
    """What a class declares; where parameters decide, what it does by their defaults."""
    said = {key: getattr(cls, key) for key in KINDS[kind].__annotations__ if key != "name"}
    varying = [key for key, value in said.items() if inspect.isdatadescriptor(value)]
    try:
        made = cls() if varying else None
        return said | {key: getattr(made, key) for key in varying}
    except Exception:  # a plugin's, that cannot do without parameters
        return said | dict.fromkeys(varying, "depends on its parameters")
