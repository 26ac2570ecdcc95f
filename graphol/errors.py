"""What can go wrong, said in one line: the value, what is allowed, the next step."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Callable, Iterable, Iterator

MOST = 24
"""How many names a message lists at the most."""


OPTION = re.compile(
    r"`[^`]*`|--(?P<flag>force|fresh-data|one-vs-rest)\b"
    r"|--(?P<option>dataset|embedding|feedback|keep) (?P<value>\S*[^\s;,.)])"
)
"""What Python has a keyword for; a command in backquotes stays a command."""

_typed = False


@contextlib.contextmanager
def command_line() -> Iterator[None]:
    """Within this block messages speak of options, as whoever typed the command does."""
    global _typed
    before, _typed = _typed, True
    try:
        yield
    finally:
        _typed = before


def _keyword(found: re.Match[str]) -> str:
    if found["flag"]:
        return f"{found['flag'].replace('-', '_')}=True"
    return f'{found["option"]}="{found["value"]}"' if found["option"] else found[0]


class GrapholError(Exception):
    """A mistake that its one-line message tells how to mend; never shown as a traceback.

    Messages are written for the command line. Outside of it they name Python's keywords:

    >>> raise GrapholError("there already; add --force, or try --embedding kernel")
    Traceback (most recent call last):
    graphol.errors.GrapholError: there already; add force=True, or try embedding="kernel"
    """

    exit_code = 2

    def __str__(self) -> str:
        text = super().__str__()
        return text if _typed else OPTION.sub(_keyword, text)


class UsageError(GrapholError):
    """Something was asked for that does not exist or is not allowed. Exit code 2."""


class Overflow(GrapholError):
    """A model left the range of floating-point numbers."""


class InputError(GrapholError):
    """A file, graph or data set cannot be used as it is. Exit code 3."""

    exit_code = 3


class PluginError(GrapholError):
    """A plugin broke; the message names it. Exit code 4."""

    exit_code = 4


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
    """What somebody else's code raised: its kind and its text, if that can be had at all.

    >>> in_one_line(ValueError("no\\n  such thing"))
    'ValueError: no such thing'
    >>> in_one_line(SystemExit(0))
    'it called sys.exit(0)'
    """
    if isinstance(reason, SystemExit):
        return f"it called sys.exit({_text(lambda: repr(reason.code))})"
    kind = type.__dict__["__name__"].__get__(type(reason))  # as no metaclass can hide it
    return f"{kind}: {_text(lambda: str(reason))}".removesuffix(": ")


def plainly(reason: GrapholError) -> GrapholError:
    """The same refusal in a class of ours, which can be sent and has an exit code of ours."""
    ours = next(c for c in type(reason).__mro__ if c.__module__.partition(".")[0] == "graphol")
    words = [each for each in reason.args if type(each) is str]
    plain: GrapholError = ours(words[0] if len(words) == 1 else _text(lambda: str(reason)))
    return plain


MOST_SAID = 2000
"""Characters of a stranger's text in a message."""


def _text(read: Callable[[], str]) -> str:
    """A stranger's text in one line, though reading it may fail in any way."""
    try:
        text = "".join(read())
    except BaseException as worse:
        kind = type.__dict__["__name__"].__get__(type(worse))
        return f"(reading its text raised {kind})"
    line = " ".join(text[: 4 * MOST_SAID].split())
    return line if len(line) <= MOST_SAID else line[:MOST_SAID] + " ..."
