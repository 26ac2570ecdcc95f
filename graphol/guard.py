"""The one guard around code that is not ours: however it leaves, it leaves as one PluginError.

The guard stands around whole games and whole commands, never around a single call, so a round costs
what it cost without. Who broke is read from the traceback: the outermost frame of a plugin's code
is the hook or method that graphol called. Where there is none, because a plugin returned nonsense
on which graphol stumbled, the component that graphol's own innermost frame was dealing with is
named.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import signal
import sys
import threading
from collections.abc import Collection, Iterator
from traceback import walk_tb
from types import FrameType, TracebackType
from typing import Any

from graphol.errors import (
    GrapholError,
    InputError,
    PluginError,
    UsageError,
    in_one_line,
    is_ours,
    plainly,
    refusal_code,
)

HOW = "GRAPHOL_TRACEBACK=1 shows how it came about"

_owners: dict[str, str] = {}  # module or package -> who brought it, in words


def belongs(module: str, owner: str) -> None:
    """Remember whose code this module, and what lies beneath it, is."""
    if module.partition(".")[0] != "graphol":
        _owners.setdefault(module, owner)


def strangers() -> list[str]:
    """Every plugin but our own, in words."""
    return [*dict.fromkeys(_owners.values())]


def owner_of(module: Any) -> str:
    """Whose code a module is, in words; '' for everybody who is no plugin."""
    while isinstance(module, str) and module and _owners:
        if module in _owners:
            return _owners[module]
        module = module.rpartition(".")[0]
    return ""


def accused(reason: BaseException) -> GrapholError | None:
    """What a plugin did, in one line; None if no plugin had to do with it, or if it refused."""
    if type(reason) is not GrapholError and _as_we_do(reason):
        return None
    frames = list(walk_tb(reason.__traceback__))
    for frame, line in frames:
        owner = owner_of(frame.f_globals.get("__name__"))
        if owner and _as_we_do(reason):
            return None
        if owner and isinstance(reason, GrapholError) and refusal_code(reason):
            return _refusal(owner, reason)
        if owner:
            return _error(owner, f"in {_method(frame)}{_place(frame, line, owner)}", reason)
    if isinstance(reason, GrapholError) and type(reason) is not GrapholError:
        return None  # of a script's own
    if not isinstance(reason, Exception) or isinstance(reason, MemoryError) or _exits(reason):
        return None  # not because of anything that a plugin said
    for frame, line in reversed(frames):
        for name, value in _known(frame):
            owner = owner_of(type(value).__module__)
            if owner and (type(reason) is not GrapholError or _named(value, reason)):
                method = _asked(*frames[-1]) or _asked(frame, line, name) or _main_method(value)
                return _error(owner, f"in what {method} of {_called(value)} gave", reason)
    return None


class guard(contextlib.ContextDecorator):
    """Turns whatever a plugin raises in here into a PluginError; ours passes.

    Refusals, which are GrapholErrors, pass too: a plugin may refuse as we do. One in a class of its
    own is named as the plugin's, and is a refusal only if its exit code is that of one. An
    interrupt passes, unless ``interrupts`` says that a real one can be told from one that a plugin
    raises (it can within :func:`stoppable`).
    """

    def __init__(self, *, interrupts: bool = False) -> None:
        self.interrupts = interrupts

    def __enter__(self) -> guard:
        return self

    def __exit__(
        self, kind: Any, reason: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if reason is None:
            return
        if isinstance(reason, KeyboardInterrupt) and (not self.interrupts or by_user(reason)):
            return
        found = accused(reason)
        if found is not None:
            raise found from reason


def _as_we_do(reason: BaseException) -> bool:
    """Is it a GrapholError of ours, whose exit code nobody has touched?"""
    return (
        isinstance(reason, GrapholError)
        and is_ours(type(reason))
        and "exit_code" not in vars(reason)
    )


def _refusal(owner: str, reason: GrapholError) -> GrapholError:
    kind = InputError if refusal_code(reason) == InputError.exit_code else UsageError
    return kind(f"{owner}: {plainly(reason).args[0]}")


def _exits(reason: BaseException) -> bool:
    """Is it how the command line ends a command?"""
    return hasattr(reason, "exit_code") and not isinstance(reason, GrapholError)


@contextlib.contextmanager
def stoppable(*signals: int) -> Iterator[Collection[int]]:
    """Let the user stop by these signals, once; those that somebody handles already are left alone.

    Gives those that it took.
    """
    usual = (signal.default_int_handler, signal.SIG_DFL)
    theirs: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        ours = [number for number in signals if signal.getsignal(number) in usual]
        theirs = {number: signal.signal(number, _interrupted) for number in ours}
    try:
        yield theirs.keys()
    finally:
        for number, handler in theirs.items():
            signal.signal(number, handler)


def _interrupted(number: int, frame: Any) -> None:
    for each in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(each) is _interrupted:
            signal.signal(each, _again)
    raise KeyboardInterrupt


def _again(number: int, frame: Any) -> None:
    """Clean-up is under way, and `timeout` sends two; :mod:`graphol.cli.signals` counts them."""


def by_user(reason: KeyboardInterrupt) -> bool:
    """Did a handler of ours raise it, as in :func:`stoppable`? A plugin can raise the same."""
    last = [frame for frame, _ in walk_tb(reason.__traceback__)][-1:]
    return any(str(f.f_globals.get("__name__")).partition(".")[0] == "graphol" for f in last)


class Aside(io.TextIOBase):
    """In place of stdout while strangers run: what they print goes to stderr, whatever they do."""

    def write(self, text: str) -> int:
        """To stderr, if there is one."""
        with contextlib.suppress(AttributeError, ValueError):  # None, or closed
            sys.stderr.write(text)
        return len(text)

    def fileno(self) -> int:
        """That of stderr: programs may be started with it."""
        return sys.stderr.fileno()

    def close(self) -> None:
        """It is not theirs to close."""


def _error(owner: str, where: str, reason: BaseException) -> PluginError:
    if type(reason) is GrapholError:  # a check of ours, which says all
        return PluginError(f"{owner}: {plainly(reason).args[0]}")
    if isinstance(reason, MemoryError):
        said = in_one_line(reason).replace("MemoryError", "not enough memory", 1)
        return PluginError(f"{owner} failed {where}: {said}; try a smaller graph or fewer --jobs")
    said = in_one_line(reason)
    if isinstance(reason, GrapholError) and not _as_we_do(reason):
        said += " (its exit code is neither 2 nor 3, as those of refusals are)"
    return PluginError(f"{owner} failed {where}: {said}; {HOW}")


def _method(frame: FrameType) -> str:
    """What graphol called: a component's method by the component's name, else the function."""
    code = frame.f_code
    first = code.co_varnames[:1] if code.co_argcount else ()
    for value in (frame.f_locals.get(name) for name in first):
        if _component(value):
            return f"{code.co_name} of {_called(value)}"
    return code.co_qualname


def _place(frame: FrameType, line: int, owner: str) -> str:
    file = frame.f_code.co_filename
    if file.startswith("<"):  # generated: by attrs, as a rule
        return ""
    known = owner.partition(" (")[2].removesuffix(")")
    return f" (line {line})" if file.endswith(known) else f" ({file}, line {line})"


def _known(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """The components that a function of ours has at hand."""
    mine = frame.f_locals.get("self")
    inside = {} if _component(mine) else getattr(mine, "__dict__", {})
    for name, value in (frame.f_locals | inside).items():
        if _component(value):
            yield name, value


def _component(value: Any) -> bool:
    kind = type(value)
    try:
        return hasattr(kind, "__attrs_attrs__") and type(getattr(kind, "name", None)) is str
    except BaseException:  # a metaclass may do anything
        return False


def _called(component: Any) -> str:
    return repr(type(component).name)


def _named(component: Any, reason: BaseException) -> bool:
    """Does a check of ours, which begins with whom it is about, speak of this one?"""
    return str(reason).startswith(type(component).name)


def _main_method(component: Any) -> str:
    return next((m for m in ("load", "embed", "prepare") if hasattr(component, m)), "a method")


METHODS = re.compile(r"\b(start|predict|update|fit|reveal|answered|answer|scored|embed|load)\(")


def _asked(frame: FrameType, line: int, name: str = "") -> str:
    """What a line of ours had asked for, or this of a component; it is read from the line."""
    text = linecache.getline(frame.f_code.co_filename, line)
    found = re.search(rf"\b{name}\.(\w+)", text) if name else METHODS.search(text)
    if found:
        return found[1]
    for word, method in (("reveal.", "reveal"), ("prediction", "predict")):
        if word in text:
            return method
    return ""
