"""What can go wrong, said in one line: the value, what is allowed, the next step."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MOST = 24
"""How many names a message lists at the most."""


class GrapholError(Exception):
    """A mistake that its one-line message tells how to mend; never shown as a traceback."""

    exit_code = 2


class UsageError(GrapholError):
    """Something was asked for that does not exist or is not allowed. Exit code 2."""


class Overflow(GrapholError):
    """A model left the range of floating-point numbers."""


class InputError(GrapholError):
    """A file, graph or data set cannot be used as it is. Exit code 3."""

    exit_code = 3


def near(name: str, known: Iterable[str]) -> str:
    """The end of an "unknown name" message: the nearest match, or all that there is.

    >>> near("molgb", ["gpa", "molg-b"])
    "did you mean 'molg-b'?"
    >>> near("zzz", ["gpa", "molg-b"])
    'there are: gpa, molg-b'
    """
    known = sorted(known)
    matches = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if matches:
        return f"did you mean {matches[0]!r}?"
    shown = ", ".join(known[:MOST]) or "none"
    return f"there are: {shown}" + (f" and {len(known) - MOST} more" if len(known) > MOST else "")


def in_one_line(reason: BaseException) -> str:
    """What somebody else's code raised: its kind and its text.

    >>> in_one_line(ValueError("no\\n  such thing"))
    'ValueError: no such thing'
    """
    return " ".join(f"{type(reason).__name__}: {reason}".split())
