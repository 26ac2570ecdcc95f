"""Files that say "I am at work here"; the system lets go of them when their process ends.

A claim is a file that its owner made and holds under ``flock``. Nobody has to guess whether a
process lives: what can be locked is a leftover of a dead one. Disks of a network are another
matter: some have no ``flock``, some keep it to one machine. So an owner also touches its file every
few seconds, and one of another machine, or one that nobody can lock, is a leftover only when it was
not touched for a minute, by the clock of the disk that it is on. Under Windows a leftover is
removed by hand.
"""

from __future__ import annotations

import contextlib
import os
import platform
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from graphol.errors import UsageError

if sys.platform != "win32":
    import fcntl

PATIENCE = 0.3
"""Seconds after which a file that is still locked is another's, and not one being swept."""
PULSE, LEASE = 10.0, 60.0
"""Seconds after which an owner touches its file again, and after which a silent one is dead."""


class Taken(UsageError):
    """Another process that lives is at work there."""


@contextlib.contextmanager
def claimed(mark: Path, what: Path) -> Iterator[Callable[[], bool]]:
    """Hold ``mark`` while the block runs; if another does, say that ``what`` is being written.

    The mark is a new file that says whose it is. The block may fill it, and may rename it. It is
    given a function that says whether the mark is still there and ours: who was stopped for longer
    than the lease may have been taken for dead.
    """
    until = time.monotonic() + PATIENCE
    while (handle := _made(mark)) is None:
        if not gone_if_dead(mark) and time.monotonic() > until:
            raise Taken(_taken(mark, what))
        time.sleep(0.01)
    if sys.platform == "win32":  # an open file cannot be renamed there
        os.close(handle)
        try:
            yield mark.exists
        finally:
            mark.unlink(missing_ok=True)
        return
    over = threading.Event()
    pulse = threading.Timer(PULSE, _beat, [handle, over])
    pulse.daemon = True
    pulse.start()
    try:
        yield lambda: _is_at(handle, mark)
    finally:
        over.set()
        pulse.cancel()
        pulse.join()  # it touches a handle that is open
        with contextlib.suppress(OSError):
            if _is_at(handle, mark):
                os.unlink(mark)
        os.close(handle)  # and with it the lock


def _beat(handle: int, over: threading.Event) -> None:
    """Touch a claim until it is over."""
    while True:
        with contextlib.suppress(OSError):  # a disk that is away may come back
            os.utime(handle)
        if over.wait(PULSE):
            return


def _taken(mark: Path, what: Path) -> str:
    """Who has it, and what to do about that."""
    with contextlib.suppress(OSError):
        if not stat.S_ISREG(os.lstat(mark).st_mode):
            return (
                f"{what} cannot be claimed: {mark.name}, which marks who writes there, is no file "
                "of graphol's; move it away"
            )
    return (
        f"{what} is being written by {_owner(mark)}; wait for it, or name another (its mark is "
        f"{mark.name}; that of a process that has ended counts for {LEASE:g} s at most)"
    )


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
        locked = _locked(handle)
        if locked is False:
            return False
        if (locked is None or _elsewhere(handle)) and not _silent(mark, handle):
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


def _elsewhere(handle: int) -> bool:
    """Does the mark say that it is another machine's? Not all disks know locks of another one."""
    said = os.pread(handle, 200, 0).decode("ascii", "replace")
    return said.startswith("process ") and not said.endswith(f" on {platform.node()}")


def _silent(mark: Path, handle: int) -> bool:
    """Was it not touched for a lease, by the clock of the disk that it is on?"""
    with tempfile.TemporaryFile(dir=mark.parent) as new:
        return os.fstat(new.fileno()).st_mtime - os.fstat(handle).st_mtime > LEASE


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
