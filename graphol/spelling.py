"""How the command line writes components, taken apart.

A component is ``name`` or ``name:key=value,key=value``. One inside another stands in brackets, and
a list of them has a + in between::

    name:key=value,key=(name:key=value),key=(name:key=value,key=value)+(name)
"""

from __future__ import annotations

from graphol.errors import UsageError, shown

MARKS = ":()+,="
"""What no name of a component may hold."""
DEEPEST = 50
"""Components inside each other at the most."""


def pieces(text: str, mark: str = ",") -> list[str]:
    """What stands between the commas, or other marks, that are not in brackets.

    >>> pieces("dim=5,solver=(cg:tol=1e-8,scale=none)")
    ['dim=5', 'solver=(cg:tol=1e-8,scale=none)']
    """
    found, begin, depth = [], 0, 0
    for i, character in enumerate(text):
        if character == "(":
            depth += 1
        elif character == ")":
            depth = max(depth - 1, 0)
        elif character == mark and depth == 0:
            found.append(text[begin:i])
            begin = i + 1
        if depth > DEEPEST:
            raise UsageError(f"{shown(text)}: more than {DEEPEST} brackets inside each other")
    return [*found, text[begin:]]


def entries(text: str, where: str) -> list[str]:
    """The components of a list, without their brackets; a single one is a list, too.

    Names need no brackets. What has parameters and none goes on to the end, so that the + of a
    number is not taken for another.

    >>> entries("(molg-b:b=1e+3,phi=2)+gpa", "")
    ['molg-b:b=1e+3,phi=2', 'gpa']
    >>> entries("molg-b:b=1e+3", "")
    ['molg-b:b=1e+3']
    """
    found: list[str] = []
    for part in pieces(text.strip(), "+"):
        if found and ":" in found[-1] and not found[-1].lstrip().startswith("("):
            found[-1] += f"+{part}"
        else:
            found.append(part)
    return [_opened(each.strip(), where) for each in found]


def _opened(text: str, where: str) -> str:
    """What brackets hold; a text without them as it is."""
    while text.startswith("("):
        depth, end = 1, 0
        while depth and end + 1 < len(text):
            end += 1
            depth += (text[end] == "(") - (text[end] == ")")
        if depth:
            raise UsageError(f"{where}: a bracket is not closed; add a )")
        if text[end + 1 :]:
            raise UsageError(
                f"{where}: {shown(text[end + 1 :])} comes after a closed bracket, where only a + "
                "and another component may"
            )
        text = text[1:end].strip()
    return text


def pairs(texts: list[str], where: str) -> dict[str, str]:
    """``["b=1", "phi=2"]`` as a dict."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            raise UsageError(f"{where}: {text!r} is not of the form key=value")
        key = key.strip().replace("-", "_")
        if key in found:
            raise UsageError(f"{where}: {key!r} is given twice")
        found[key] = value.strip()
    return found
