"""Files that say "I am at work here"; the system lets go of them when their process ends.

A claim is a file that its owner made and holds under ``flock``. Nobody has to guess whether a
process lives: what can be locked is a leftover of a dead one, on another machine or in another
container too. Where a file system (or Windows) has no ``flock``, the file itself is the claim, and
whoever knows that its owner is dead removes it by hand.
"""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from graphol.errors import UsageError

if sys.platform != "win32":
    import fcntl

PATIENCE = 0.3
"""Seconds after which a file that is still locked is another's, and not one being swept."""


class Taken(UsageError):
    """Another process that lives is at work there."""


@contextlib.contextmanager
def claimed(mark: Path, what: Path) -> Iterator[None]:
    """Hold ``mark`` while the block runs; if another does, say that ``what`` is being written.

    The mark is a new file that says whose it is. The block may fill it, and may rename it.
    """
    until = time.monotonic() + PATIENCE
    while (handle := _made(mark)) is None:
        if not gone_if_dead(mark) and time.monotonic() > until:
            raise Taken(
                f"{what} is being written by {_owner(mark)}; wait for it, or name another "
                f"(its mark is {mark.name})"
            )
        time.sleep(0.01)
    if sys.platform == "win32":  # an open file cannot be renamed there
        os.close(handle)
    try:
        yield
    finally:
        if sys.platform == "win32":
            mark.unlink(missing_ok=True)
        else:
            with contextlib.suppress(OSError):
                if _is_at(handle, mark):
                    os.unlink(mark)
            os.close(handle)  # and with it the lock


def holder(mark: Path) -> str:
    """Who holds this claim, in words; '' if nobody does who lives."""
    until = time.monotonic() + PATIENCE
    while not gone_if_dead(mark):
        if time.monotonic() > until:
            return _owner(mark)
        time.sleep(0.01)
    return ""


def gone_if_dead(mark: Path) -> bool:
    """Remove the claim of a process that has ended; False if it is somebody's who lives."""
    try:
        handle = _there(mark)
    except FileNotFoundError:
        return True
    except OSError:  # no file, or nothing that we may look at
        return False
    try:
        if _locked(handle) is not True:
            return False
        if _is_at(handle, mark):
            os.unlink(mark)
        return True
    except OSError:
        return False
    finally:
        os.close(handle)


def _there(mark: Path) -> int:
    """An open file; another user's is open for reading, which most systems lock as well."""
    no_link = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # nor wait for a pipe
    try:
        return os.open(mark, os.O_RDWR | no_link)
    except PermissionError:
        return os.open(mark, os.O_RDONLY | no_link)


def _made(mark: Path) -> int | None:
    """A new file, locked; None if there is one, or somebody was quicker."""
    try:
        handle = os.open(mark, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        return None
    with contextlib.suppress(OSError):  # a full disk: then it does not say whose it is
        os.write(handle, f"process {os.getpid()} on {platform.node()}".encode())
    if _locked(handle) is not False and _is_at(handle, mark):
        return handle
    os.close(handle)  # swept between its making and its locking
    return None


def _locked(handle: int) -> bool | None:
    """Lock it; False if another has it, None if there are no locks here."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_at(handle: int, mark: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(mark))
    except FileNotFoundError:
        return False


def _owner(mark: Path) -> str:
    with contextlib.suppress(OSError):
        text = mark.read_bytes()[:200].decode("ascii", "replace")
        if text.startswith("process ") and text.isprintable():
            return text
    return "another process"
