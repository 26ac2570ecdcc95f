"""The parts of a component's docstring, which is the one place where it is described.

>>> class Adam:
...     '''Moments of the gradient.
...
...     Parameters
...     ----------
...     beta1, beta2
...         How slowly they forget,
...         < 1.
...     '''
>>> parameters(Adam)
{'beta1': 'How slowly they forget, < 1.', 'beta2': 'How slowly they forget, < 1.'}
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import attrs

HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
ENTRY = re.compile(r"^(\S.*)\n((?:[ \t]+.*\n?|\n)+)", re.MULTILINE)


def sections(doc: str) -> tuple[str, dict[str, str]]:
    """The text before the first heading, and the text under every heading."""
    first, *rest = HEADING.split(inspect.cleandoc(doc))
    return first.strip(), {
        title: body.strip("\n").rstrip() for title, body in zip(rest[::2], rest[1::2], strict=True)
    }


def parameters(cls: Any) -> dict[str, str]:
    """What its sections Parameters say, its bases' included, by name, each in one line.

    One that is described anew stands where it is described anew, as attrs orders its fields.
    """
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        said = sections(vars(base).get("__doc__") or "")[1].get("Parameters", "")
        for names, text in ENTRY.findall(said):
            for name in map(str.strip, names.partition(" : ")[0].split(",")):
                found.pop(name, None)
                found[name] = " ".join(text.split())
    return found


def helps(cls: Any) -> dict[str, str]:
    """What there is to say about every parameter of a component, '' where nothing is said."""
    said = parameters(cls)
    return {f.name: said.get(f.name, "") for f in attrs.fields(cls)}
