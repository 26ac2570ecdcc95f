"""What can go wrong, said in one line: the value, what is allowed, the next step."""

from __future__ import annotations

import contextlib
import difflib
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

MOST = 24
"""How many names a message lists at the most."""
LONGEST = 100
"""Characters of a name for which a nearest match is looked for."""
AMONG = 20_000
"""Names among which it is looked for."""
LINE = 2000
"""Characters of a message; what is longer is shown without its middle."""

UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
"""Control characters, line separators, marks of direction, halves of pairs: what a terminal obeys
instead of showing it. A joiner inside a word or an emoji is left alone."""


def printable(text: str, keep: str = "") -> str:
    r"""The text as a terminal may see it: control characters are written as Python writes them.

    Letters, signs and emoji of any script stay; so does what is in ``keep``.

    >>> print(printable("Zoë \x1b[2J 数学"))
    Zoë \x1b[2J 数学
    """
    return UNSEEN.sub(lambda found: _escaped(found[0], keep), text)


def _escaped(character: str, keep: str) -> str:
    code = ord(character)
    if character in keep:
        return character
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def one_line(text: str) -> str:
    """Any text as one line of a terminal, of a length that somebody reads.

    >>> one_line("no\\n  such\\tthing")
    'no such thing'
    """
    line = printable(" ".join(text[: 100 * LINE].split()))
    return line if len(line) <= LINE else f"{line[: LINE * 3 // 4]} ... {line[-LINE // 8 :]}"


OPTION = re.compile(
    r"`[^`]*`|--(?P<flag>force|fresh-data|one-vs-rest|add-classes|skip-unknown)\b"
    r"|--(?P<option>dataset|embedding|feedback|keep) (?P<value>\S*[^\s;,.)])"
    r"|--(?P<method>labels) FILE"
)
"""What Python has a keyword for, or a method of graphs; a command in backquotes stays a command."""

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
    if found["method"]:
        return "graph.labelled(...)"
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
        return one_line(text if _typed else OPTION.sub(_keyword, text[: 100 * LINE]))


class UsageError(GrapholError):
    """Something was asked for that does not exist or is not allowed. Exit code 2."""


class Overflow(GrapholError):
    """A model left the range of floating-point numbers."""


class TooLargeError(UsageError):
    """A learner refuses a graph for its size alone: among others it may be left out."""


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
    match = nearest(name, known)
    if match is not None:
        return f"did you mean {match!r}?"
    shown = ", ".join(known[:MOST]) or "none"
    return f"there are: {shown}" + (f" and {len(known) - MOST} more" if len(known) > MOST else "")


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The name that was probably meant; not looked for where that would take long.

    >>> nearest("weigth", ["source", "weight"])
    'weight'
    """
    if len(name) > LONGEST:
        return None
    short = [each for each in islice(known, AMONG) if len(each) <= LONGEST]
    return next(iter(difflib.get_close_matches(name, short, n=1, cutoff=cutoff)), None)


def hint(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is not there: the nearest one, or nothing.

    >>> hint("eva", ["ann", "eve"]), hint("zzz", ["ann", "eve"])
    ("; did you mean 'eve'?", '')
    """
    match = nearest(name, known)
    return "" if match is None else f"; did you mean {match!r}?"


def shown(value: object) -> str:
    """A value as Python writes it, cut where it is long or cannot be written.

    >>> shown("a"), shown("a" * 1000)[-10:]
    ("'a'", 'aaaaaaa...')
    """
    try:
        text = repr(value)
    except Exception:  # too many digits, too many levels, somebody else's class
        return f"of type {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def in_one_line(reason: BaseException) -> str:
    """What somebody else's code raised: its kind and its text, if that can be had at all.

    >>> in_one_line(ValueError("no\\n  such thing"))
    'ValueError: no such thing'
    >>> in_one_line(SystemExit(0))
    'it called sys.exit(0)'
    """
    if isinstance(reason, SystemExit):
        return f"it called sys.exit({_text(lambda: repr(reason.code))})"
    kind = _hidden(type(reason), "__name__")
    return f"{kind}: {_text(lambda: str(reason))}".removesuffix(": ")


def is_ours(kind: type) -> bool:
    """Is it a class of graphol's own? One that only says so does not stand in the module it names.

    >>> is_ours(InputError), is_ours(type("InputError", (InputError,), {"__module__": __name__}))
    (True, False)
    """
    module = _hidden(kind, "__module__")
    if not isinstance(module, str) or module.partition(".")[0] != "graphol":
        return False
    return vars(sys.modules.get(module, object)).get(_hidden(kind, "__name__")) is kind


def refusal_code(reason: GrapholError) -> int | None:
    """With which code it ends a command as a refusal, 2 or 3; None for whatever else it says.

    >>> refusal_code(InputError()), refusal_code(PluginError())
    (3, None)
    """
    try:
        code = reason.exit_code
    except BaseException:  # a property of a stranger's
        return None
    refuses = (UsageError.exit_code, InputError.exit_code)
    return code if type(code) is int and code in refuses else None


def plainly(reason: GrapholError) -> GrapholError:
    """The same refusal in a class of ours, which can be sent and has an exit code of ours."""
    ours = next(filter(is_ours, _hidden(type(reason), "__mro__")))
    words = [each for each in reason.args if type(each) is str]
    plain: GrapholError = ours(words[0] if len(words) == 1 else _text(lambda: str(reason)))
    return plain


def _text(read: Callable[[], str]) -> str:
    """A stranger's text in one line, though reading it may fail in any way."""
    try:
        text = "".join(read())
    except BaseException as worse:
        return f"(reading its text raised {_hidden(type(worse), '__name__')})"
    return one_line(text)


def _hidden(kind: type, name: str) -> Any:
    """What Python itself knows of a class, as no metaclass can hide it."""
    return type.__dict__[name].__get__(kind)
