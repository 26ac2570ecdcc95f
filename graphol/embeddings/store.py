"""What took long to compute is kept on disk, and computed once."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol import npz
from graphol.atomic import sweep
from graphol.declared import Member, check
from graphol.errors import GrapholError, InputError
from graphol.folders import embeddings_folder

Arrays = Mapping[str, NDArray[Any]]

SCHEMA = 2
"""Of the files; part of their key."""
KEY, DIGEST = "key", "digest"
LONG = 0.5
"""Seconds from which a computation is worth a file."""
ROOM = 2_000_000_000
"""Bytes that all files together may take; those not used for longest go first."""


def kept(
    what: str,
    key: Mapping[str, Any],
    compute: Callable[[], Arrays],
    form: Mapping[str, Member] | None = None,
    **lengths: int,
) -> Arrays:
    """The arrays that ``compute`` returns, from a file if they were computed before.

    The file's name is a digest of ``key``, of everything in the software that can change a bit, and
    of the processor; the key itself is inside and is compared, and so is a digest of the arrays. A
    file that is damaged, of another key, or whose members are not of the ``form`` with these
    ``lengths``, counts as absent and is replaced. Arrays come back bit by bit as they were
    written. Where nothing can be written, nothing is kept.

    ``$GRAPHOL_CACHE`` is the folder; ``off`` keeps nothing.
    """
    folder = embeddings_folder()
    if folder is None:
        return compute()
    whole = {"schema": SCHEMA, "what": what, **key, "made by": _makers()}
    text = json.dumps(whole, sort_keys=True)
    path = folder / f"{what}-{hashlib.sha256(text.encode()).hexdigest()[:24]}.npz"
    found = _read(path, text, form, lengths)
    if found is not None:
        return found
    sweep(folder)
    start = time.perf_counter()
    arrays = compute()
    if time.perf_counter() - start >= LONG:
        _write(path, text, arrays)
    return arrays


def stored_files() -> list[Path]:
    """What is kept, the file that was not used for longest first."""
    folder = embeddings_folder()
    if folder is None or not folder.is_dir():
        return []
    aged = []
    for path in folder.glob("*-*.npz"):
        with contextlib.suppress(OSError):  # somebody else has just removed it
            aged.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(aged)]


def clear() -> tuple[int, int]:
    """Remove everything that is kept; how many files and bytes that were."""
    files = size = 0
    folder = embeddings_folder()
    if folder is not None:
        sweep(folder)
    for path in stored_files():
        try:
            bytes_ = path.stat().st_size
            path.unlink()
        except FileNotFoundError:
            continue
        except OSError as reason:
            raise InputError(f"cannot remove {path}: {reason.strerror}") from None
        files, size = files + 1, size + bytes_
    return files, size


@functools.cache
def _makers() -> dict[str, str]:
    """Versions, and the kind of processor that BLAS was made for or has found."""
    from importlib.metadata import version

    from threadpoolctl import threadpool_info

    made = {package: version(package) for package in ("graphol", "numpy", "scipy", "numba")}
    kinds = {str(lib.get("architecture")) for lib in threadpool_info() if lib["user_api"] == "blas"}
    return made | {"processor": " ".join(sorted(kinds))}


def _read(
    path: Path, text: str, form: Mapping[str, Member] | None, lengths: Mapping[str, int]
) -> Arrays | None:
    if not path.is_file():
        return None
    try:
        arrays = npz.members(path, (KEY, DIGEST), "an embedding that is kept", optional=None)
        check(arrays, {KEY: Member("U", ()), DIGEST: Member("U", ())}, str(path))
        key, digest = (str(arrays.pop(name)) for name in (KEY, DIGEST))
        if key != text or digest != npz.digest(arrays):
            return None
        if form is not None:
            check(arrays, form, str(path), **lengths)
    except InputError:  # damaged, or something else
        return None
    with contextlib.suppress(OSError):  # a folder that may only be read
        os.utime(path)
    return arrays


def _write(path: Path, text: str, arrays: Arrays) -> None:
    size = sum(array.nbytes for array in arrays.values())
    if size > ROOM / 2:
        return
    with contextlib.suppress(GrapholError, OSError):  # no room, no right, or another is at it
        path.parent.mkdir(parents=True, exist_ok=True)
        marks = {KEY: np.array(text), DIGEST: np.array(npz.digest(arrays))}
        npz.write(path, marks | dict(arrays), force=True, packed=False)
        files = stored_files()
        total = sum(file.stat().st_size for file in files)
        for old in files:
            if total <= ROOM or old == path:
                break
            total -= old.stat().st_size
            old.unlink()
