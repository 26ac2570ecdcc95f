"""The one door for npz files: arrays, with or without a ``meta.json`` beside them.

Pickles are never loaded, whatever is wrong with the bytes is one line that names the file, and a
file is written whole or not at all.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol.atomic import refuse_existing, replacing
from graphol.errors import InputError, UsageError

SCHEMA = 1
"""The number in every ``meta.json``."""

META = "meta.json"

Members = dict[str, NDArray[Any]]


def members(
    path: Path, needed: Sequence[str], what: str, optional: Sequence[str] | None = ()
) -> Members:
    """The members ``needed`` and, where they are there, ``optional`` ones (None: all there are).

    ``what`` the file should be is said where a needed member is missing.
    """
    if path.is_file() and not zipfile.is_zipfile(path):
        raise InputError(f"{path}: truncated, or not an npz file")
    found: Members = {}
    name = "the file"
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            there = set(stored.files)
            for name in stored.files if optional is None else (*needed, *optional):
                if name in there:
                    found[name] = stored[name]
    except Exception as reason:  # whatever zip, zlib and npy make of damaged bytes
        raise _refusal(path, name, reason) from None
    missing = [name for name in needed if name not in found]
    if missing:
        raise InputError(f"{path} has no {', '.join(missing)}; {what} needs {', '.join(needed)}")
    return found


def array(path: Path) -> NDArray[Any]:
    """The array of an npy file."""
    try:
        with open(path, "rb") as file:
            if file.read(6) != b"\x93NUMPY":
                raise InputError(f"{path}: truncated, or not an npy file")
            file.seek(0)
            return np.asarray(np.load(file, allow_pickle=False))
    except InputError:
        raise
    except Exception as reason:  # as above
        raise _refusal(path, "the file", reason) from None


def _refusal(path: Path, member: str, reason: Exception) -> InputError:
    said = " ".join(str(reason).split())
    if "allow_pickle" in said:
        return InputError(
            f"{path}: {member} holds Python objects, which are never loaded; store numbers or texts"
        )
    return InputError(f"{path}: {member} cannot be read, truncated or damaged ({said})")


def read(path: Path, what: str) -> tuple[Members, dict[str, Any]]:
    """All arrays and the ``meta.json`` of such a file; ``what`` it should be, for the messages."""
    if not path.is_file():
        raise InputError(f"there is no {what} {path}")
    try:
        arrays = members(path, (META,), f"a {what}", optional=None)
        meta = json.loads(bytes(arrays.pop(META)))
        schema = meta.get("schema")
    except InputError as reason:
        raise InputError(f"{path} is not a {what}, or is damaged: {reason}") from None
    except (TypeError, ValueError, AttributeError, RecursionError):
        raise InputError(f"{path} is not a {what}, or is damaged: no JSON in {META}") from None
    if schema != SCHEMA:
        raise InputError(f"{path}: schema {schema} is not {SCHEMA}, the one I know")
    return arrays, meta


def check_target(path: Path, *, force: bool) -> None:
    """Say no before the work is done, not after."""
    if path.suffix != ".npz":
        raise UsageError(f"{path}: the name must end in .npz")
    refuse_existing(path, force=force)
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}")
    if not os.access(path.absolute().parent, os.W_OK):
        raise InputError(f"cannot write into {path.absolute().parent}; name another place")


def write(
    path: Path,
    arrays: Mapping[str, Any],
    meta: Mapping[str, Any] | None = None,
    *,
    force: bool,
    packed: bool = True,
) -> None:
    """Arrays and, if there is one, a ``meta.json`` in one file, whole or not at all."""
    plain = _numbers(path, arrays)
    with replacing(path, force=force) as temporary:
        put(temporary, plain, meta, packed=packed)


def put(
    path: Path,
    arrays: Mapping[str, Any],
    meta: Mapping[str, Any] | None = None,
    *,
    packed: bool = True,
) -> None:
    """The same without care for what was there: for a file that does not count yet."""
    save: Any = np.savez_compressed if packed else np.savez
    plain = _numbers(path, arrays)
    with open(path, "wb") as file:
        save(file, **plain)
    if meta is not None:
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr(META, json.dumps(meta, indent=1, sort_keys=True))


def _numbers(path: Path, arrays: Mapping[str, Any]) -> Members:
    plain = {name: np.asarray(values) for name, values in arrays.items()}
    for name, values in plain.items():
        if values.dtype.hasobject:
            raise UsageError(f"{path}: {name} holds Python objects; store numbers or texts")
    return plain
