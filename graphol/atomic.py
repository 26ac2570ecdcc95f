"""Files that are either whole or not there."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from graphol.errors import InputError, UsageError


@contextlib.contextmanager
def replacing(path: Path, *, force: bool = True) -> Iterator[Path]:
    """A temporary path beside ``path`` that becomes ``path`` when the block ends well.

    An interrupted or failed block leaves what was there before. Without ``force`` an existing
    file is refused.
    """
    refuse_existing(path, force=force)
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent
        )
    except OSError as reason:
        raise InputError(f"cannot write {path}: {reason.strerror}") from None
    os.close(handle)
    temporary = Path(name)
    umask = os.umask(0)
    os.umask(umask)
    try:
        yield temporary
        temporary.chmod(0o666 & ~umask)
        os.replace(temporary, path)
    except OSError as reason:
        raise InputError(f"cannot write {path}: {reason.strerror or reason}") from None
    finally:
        temporary.unlink(missing_ok=True)


def refuse_existing(path: Path, *, force: bool) -> None:
    """Say no before the work is done, not after."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file")
    if path.exists() and not force:
        raise UsageError(f"{path} exists; add --force to replace it")
