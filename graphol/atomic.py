"""Files that are either whole or not there, whenever the process or the machine stops."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from graphol.claims import claimed, gone_if_dead
from graphol.errors import InputError, UsageError

PART = ".graphol-{}.part"
"""What a file is called while it is written; the number is made of its name to come."""
SCRATCH = ".graphol-{}.folder"
"""A folder to work in; a part of the same number is its claim."""


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


@contextlib.contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """An empty folder inside, for as long as the block runs.

    What a killed process left of its own is removed by the next that writes there.
    """
    number = secrets.token_hex(8)
    with contextlib.ExitStack() as until_the_end:
        try:
            sweep(folder)
            until_the_end.enter_context(claimed(folder / PART.format(number), folder))
            made = folder / SCRATCH.format(number)
            made.mkdir()
        except OSError as reason:
            raise InputError(f"cannot write into {folder}: {reason.strerror or reason}") from None
        until_the_end.callback(shutil.rmtree, made, ignore_errors=True)
        yield made


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


def check_place(path: Path, what: str, *, force: bool) -> None:
    """Say that a file cannot be written there before anything is computed; it is for ``what``."""
    refuse_existing(path, force=force)
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}; make it first")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"cannot write into {path.parent}; name another place for the {what}")


def sweep(folder: Path) -> None:
    """Remove what killed processes were writing there; that of the living stays."""
    with contextlib.suppress(OSError):
        for left in folder.glob(SCRATCH.format("*")):
            if gone_if_dead(left.with_suffix(".part")):
                shutil.rmtree(left, ignore_errors=True)
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
