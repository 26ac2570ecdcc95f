"""Files that are either whole or not there, whenever the process or the machine stops."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from graphol.claims import claimed, gone_if_dead
from graphol.errors import InputError, UsageError

PART = ".graphol-{}.part"
"""What a file is called while it is written; the number is made of its name to come."""


@contextlib.contextmanager
def replacing(path: Path, *, force: bool = True) -> Iterator[Path]:
    """A temporary path beside ``path`` that becomes ``path`` when the block ends well.

    It is on the disk before it gets its name. An interrupted or failed block leaves what was there
    before; what a killed process left beside is removed by the next that writes in that folder. One
    process at a time may write a path, and a second is refused. Without ``force`` an existing file
    is refused, also one that comes while the block runs.
    """
    refuse_existing(path, force=force)
    number = hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]
    temporary = path.parent / PART.format(number)
    try:
        sweep(path.parent)
        with claimed(temporary, path):
            os.truncate(temporary, 0)
            yield temporary
            flush(temporary)
            if force:
                os.replace(temporary, path)
            else:
                _place(temporary, path)
            flush_folder(path.parent)
    except OSError as reason:
        raise InputError(f"cannot write {path}: {reason.strerror or reason}") from None


def _place(temporary: Path, path: Path) -> None:
    """Rename where nothing is; a link cannot replace."""
    try:
        os.link(temporary, path)
    except OSError:  # there is something, or there are no links
        refuse_existing(path, force=False)
        os.replace(temporary, path)


def refuse_existing(path: Path, *, force: bool) -> None:
    """Say no before the work is done, not after."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file")
    if path.exists() and not force:
        raise UsageError(f"{path} exists; add --force to replace it")


def sweep(folder: Path) -> None:
    """Remove files that killed processes were writing there; those of the living stay."""
    with contextlib.suppress(OSError):
        for part in folder.glob(PART.format("*")):
            gone_if_dead(part)


def flush(path: Path) -> None:
    """Onto the disk; a full one is found out here at the latest."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def flush_folder(folder: Path) -> None:
    """The names in it onto the disk, where the system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
