"""Hyper-parameters: an attrs field that knows its type and its range.

Every component (learner, embedding, ...) is a frozen attrs class whose fields are made here:

>>> import attrs
>>> from typing import ClassVar
>>> @attrs.frozen
... class Ridge:
...     '''A = b I.
...
...     Parameters
...     ----------
...     b
...         Ridge.
...     '''
...     name: ClassVar[str] = "ridge"
...     b: float = param(10.0, above=0)
>>> Ridge(b=-1)
Traceback (most recent call last):
graphol.errors.UsageError: ridge: b must be > 0, got -1.0
>>> describe(Ridge(b=2))
{'name': 'ridge', 'b': 2.0}

What it means is said in the docstring, once: ``graphol show`` and the conformance kit read it there
(:mod:`graphol.docstrings`). Type and range feed them too, and the parser of ``-p b=2``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from graphol.errors import UsageError, hint, near, shown

LARGEST_WHOLE = 10**15
"""Of any whole number: what it counts is never more, and it fits into every array."""
BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def param(
    default: Any,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    choices: Sequence[str] = (),
    word: str | None = None,
    type: type | None = None,
) -> Any:
    """An attrs field for one hyper-parameter.

    The type is the default's, unless ``type`` gives it; with ``default=None`` the parameter is
    optional. Bounds: ``above`` (>), ``least`` (>=), ``below`` (<), ``most`` (<=). A ``word``, such
    as ``auto``, is allowed in place of a number; a text may be one of some ``choices``.
    """
    kind = type if type is not None else default.__class__
    bounds = [("> ", above), (">= ", least), ("< ", below), ("<= ", most)]
    allowed = " and ".join(f"{sign}{bound:g}" for sign, bound in bounds if bound is not None)
    if choices:
        allowed = "one of " + ", ".join(choices)
    if word is not None:
        allowed += f" or {word}"

    def fits(value: Any) -> bool:
        if kind in (int, float):
            return (
                (abs(value) <= LARGEST_WHOLE if kind is int else math.isfinite(value))
                and (above is None or value > above)
                and (least is None or value >= least)
                and (below is None or value < below)
                and (most is None or value <= most)
            )
        return not choices or value in choices

    def validate(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        if (value is None and default is None) or (word is not None and value == word):
            return
        owner = f"{instance.name}: {attribute.name}"
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            wanted = _TYPES.get(kind, kind.__name__) + (f" or {word}" if word else "")
            raise UsageError(f"{owner} must be {wanted}, got {value!r}")
        if not fits(value):
            meant = hint(str(value), choices)
            want = allowed or "finite"
            if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
                want = f"at most {LARGEST_WHOLE:g}"
            if isinstance(value, float) and math.isinf(value) and allowed:
                want += " and finite"
            raise UsageError(f"{owner} must be {want}, got {shown(value)}{meant}")

    return attrs.field(
        default=default,
        converter=float_from_int if kind is float else None,
        validator=validate,
        metadata={
            "allowed": allowed,
            "type": kind,
            "word": word,
            "read": reader(kind, word),
        },
    )


def texts() -> Any:
    """An attrs field for some texts, none by default.

    On the command line there is a + between them; in Python it is a list or a tuple.

    >>> @attrs.frozen
    ... class Album:
    ...     name = "album"
    ...     files: tuple[str, ...] = texts()
    >>> Album(read_params(Album, {"files": "a.csv+b.csv"})["files"]) == Album(["a.csv", "b.csv"])
    True
    """

    def listed(value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    def validate(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        if not isinstance(value, tuple) or not all(isinstance(each, str) for each in value):
            owner = f"{instance.name}: {attribute.name}"
            raise UsageError(f"{owner} must be a list of texts, got {shown(value)}")

    return attrs.field(
        default=(),
        converter=listed,
        validator=validate,
        metadata={
            "allowed": "texts, with a + in between",
            "type": tuple,
            "read": lambda text: tuple(each for each in text.split("+") if each),
        },
    )


_TYPES = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def float_from_int(value: Any) -> Any:
    """3 means 3.0 where a float is wanted; anything else is left for the validator."""
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def reader(kind: type, word: str | None = None) -> Callable[[str], Any]:
    """The function that turns command-line text into a ``kind``; it raises ValueError."""
    if word is not None:
        return lambda text: text if text == word else _number(text, kind)
    if kind is bool:
        return lambda text: BOOLEANS.get(text.lower(), text)
    return (lambda text: _number(text, kind)) if kind in (int, float) else kind


def _number(text: str, kind: type) -> Any:
    """As every other program reads it: Python alone takes 1_0 for 10."""
    if "_" in text or not text.isascii():
        raise ValueError
    return kind(text)


def read_params(cls: Any, texts: dict[str, str]) -> dict[str, Any]:
    """Texts from the command line as keyword arguments of the component ``cls``."""
    fields = {field.name: field for field in attrs.fields(cls)}
    values: dict[str, Any] = {}
    for key, text in texts.items():
        if key not in fields:
            raise UsageError(f"{cls.name} has no parameter {key!r}; {near(key, fields)}")
        if text == "none" and fields[key].default is None:
            values[key] = None
            continue
        try:
            values[key] = fields[key].metadata.get("read", str)(text)
        except ValueError:
            wanted = _TYPES.get(fields[key].metadata["type"], "another value")
            if fields[key].metadata.get("word"):
                wanted += f" or {fields[key].metadata['word']}"
            raise UsageError(f"{cls.name}: {key} must be {wanted}, got {text!r}") from None
    return values


def kinds_inside(cls: Any) -> dict[str, str]:
    """The parameters of a component that are components or lists of them, and of which kind."""
    return {f.name: f.metadata["kind"] for f in attrs.fields(cls) if "kind" in f.metadata}


def describe(component: Any) -> dict[str, Any]:
    """A component as plain data: its name and every parameter, components inside it likewise."""
    described = {"name": component.name}
    for field in attrs.fields(type(component)):
        value = getattr(component, field.name)
        if "list" in field.metadata:
            value = [describe(each) for each in value]
        elif isinstance(value, tuple):
            value = list(value)
        described[field.name] = describe(value) if attrs.has(type(value)) else value
    return described
