r"""Docstrings speak reStructuredText in a few marks; the site reads Markdown.

>>> print(markdown("A :class:`Graph`, :math:`n^2` nodes::\n\n    x\n\n.. math:: a +\n   b\n\nEnd."))
A `Graph`, `:::math n^2` nodes:
<BLANKLINE>
    x
<BLANKLINE>
```math
a + b
```
<BLANKLINE>
End.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from html import escape
from typing import Any

import griffe

MATH = re.compile(r"^( *)\.\. math::((?:.*\S.*\n?)(?:\1 +\S.*\n?)*|\n\n(?:\1 +\S.*\n?)+)", re.M)
ROLE = re.compile(r":(\w+):`([^`]*)`")
SHARED = re.compile(r"^(\w+(?:, \w+)+)\n +See :class:`([\w.]+)`\..*\n(?: +.+\n)*", re.M)
LITERAL = re.compile(r"``([^`]+)``")


def markdown(text: str, link: Callable[[str], str | None] = lambda name: None) -> str:
    """The same text with Markdown's marks; ``link`` says where a name leads, if it knows."""

    def display(found: re.Match[str]) -> str:
        indent, body = found[1], " ".join(found[2].split())
        return f"{indent}```math\n{indent}{body}\n{indent}```\n"

    def role(found: re.Match[str]) -> str:
        kind, said = found[1], " ".join(found[2].split())
        if kind == "math":
            return f"`:::math {said}`"
        name = said.lstrip("~")
        shown = name.rpartition(".")[2] if said.startswith("~") else name
        target = link(name)
        if target is None:
            return f"`{shown}`"
        code = f"<code>{escape(shown)}</code>"
        return f'<autoref optional identifier="{target}">{code}</autoref>'

    text = ROLE.sub(role, MATH.sub(display, LITERAL.sub(r"`\1`", text)))
    return re.sub(r"(?<!:)::$", ":", text, flags=re.M)


def spelt_out(text: str, fields: Callable[[str], dict[str, griffe.Attribute]]) -> str:
    """Keywords that stand together and "see" a class: each by itself, as the class has it."""

    def each(found: re.Match[str]) -> str:
        known = fields(found[2])
        names = found[1].split(", ")
        if not all(name in known for name in names):
            return found[0]
        lines = []
        for name in names:
            said = known[name].docstring
            words = " ".join(inspect.cleandoc(said.value).split()) if said else ""
            of = known[name].annotation
            lines.append(f"{name} : {of}, default={default(known[name].value)}\n    {words}\n")
        return "".join(lines)

    return SHARED.sub(each, text)


class Marks(griffe.Extension):
    """Every docstring of the package, once it is loaded; and what attrs classes are made of."""

    def on_package(self, *, pkg: griffe.Module, **rest: Any) -> None:
        """All modules, classes, functions and attributes below."""
        self._walk(pkg)

    def _walk(self, what: griffe.Object) -> None:
        if what.docstring is not None:

            def link(name: str) -> str | None:
                try:
                    return what.resolve(name)
                except griffe.NameResolutionError:
                    return name if name.startswith("graphol.") else None

            def fields(name: str) -> dict[str, griffe.Attribute]:
                found = what.package[name.removeprefix(f"{what.package.path}.")]
                return {key: x for key, x in found.members.items() if x.is_attribute}

            text = spelt_out(inspect.cleandoc(what.docstring.value), fields)
            what.docstring.value = markdown(text, link)
        if isinstance(what, griffe.Class) and "__init__" not in what.members and made(what):
            what.set_member("__init__", griffe.Function("__init__", parameters=made(what)))
        for member in what.members.values():
            if not member.is_alias:
                self._walk(member)


def made(cls: griffe.Class) -> griffe.Parameters | None:
    """The arguments of an attrs class, which griffe does not know; None for any other."""
    if not any(str(d.value).startswith("attrs.") for d in cls.decorators):
        return None
    found = [griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)]
    for name, field in cls.members.items():
        if not isinstance(field, griffe.Attribute) or "instance-attribute" not in field.labels:
            continue
        found.append(
            griffe.Parameter(
                name,
                annotation=field.annotation,
                kind=griffe.ParameterKind.positional_or_keyword,
                default=default(field.value),
            )
        )
    return griffe.Parameters(*found)


def default(value: Any) -> str | None:
    """What a field is if nothing is said: the first argument of ``param``, or ``default=``.

    >>> default("param(100.0, gt=0)"), default("attrs.field(default=None, repr=False)")
    ('100.0', 'None')
    >>> default("attrs.field(converter=tuple)"), default(None)
    (None, None)
    """
    if value is None:
        return None
    call = ast.parse(str(value), mode="eval").body
    if not isinstance(call, ast.Call):
        return str(value)
    named = {word.arg: word.value for word in call.keywords}
    first = named.get("default") or (call.args[0] if call.args else None)
    if "factory" in named:
        return "..."
    return None if first is None else ast.unparse(first)
