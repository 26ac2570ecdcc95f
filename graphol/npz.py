"""npz and npy files: arrays, with or without a ``meta.json`` beside them.

They come in by the one door (:mod:`graphol.door`). numpy's own reader is not used: headers are
matched and not evaluated, shapes are held against the bytes that are there before an array is made,
objects and pickles are never loaded, and a file is written whole or not at all.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
import zipfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from graphol.atomic import refuse_existing, replacing
from graphol.door import Source, opened, usual_limit
from graphol.errors import InputError, UsageError

SCHEMA = 1
"""The number in every ``meta.json``."""

META = "meta.json"
MOST_META = 16_000_000
"""Bytes of it: as Python objects they are many times as many."""

Members = dict[str, NDArray[Any]]

MAGIC = b"\x93NUMPY"
LONGEST_HEADER = 10_000
ENTRY = (
    r"\s*['\"](?:(descr)['\"]\s*:\s*['\"]([<>=|]?[a-zA-Z]\d{0,9}(?:\[\w+\])?)['\"]"
    r"|(fortran_order)['\"]\s*:\s*(True|False)"
    r"|(shape)['\"]\s*:\s*\(((?:\s*\d{1,18}L?\s*,)*(?:\s*\d{1,18}L?)?)\s*\))\s*"
)
HEADER = re.compile(rf"\{{{ENTRY},{ENTRY},{ENTRY},?\s*\}}\s*")
"""The three entries of an npy header, in any order."""


def members(
    path: Path, needed: Sequence[str], what: str, optional: Sequence[str] | None = ()
) -> Members:
    """The members ``needed`` and, where they are there, ``optional`` ones (None: all there are).

    ``what`` the file should be is said where a needed member is missing.
    """
    with opened(path, "an npz file") as source:
        return members_of(source, needed, what, optional)


def members_of(
    source: Source, needed: Sequence[str], what: str, optional: Sequence[str] | None = ()
) -> Members:
    """The same of a file that is open, or of bytes that stand in another file."""
    with _archive(source) as archive:
        there = _names(source, archive)
        missing = [name for name in needed if name not in there]
        if missing:
            raise InputError(
                f"{source.path} has no {', '.join(missing)}; {what} needs {', '.join(needed)}"
            )
        wanted = list(there) if optional is None else [*needed, *optional]
        return {
            name: _member(source, archive, name, there[name]) for name in wanted if name in there
        }


def array(path: Path) -> NDArray[Any]:
    """The array of an npy file."""
    with opened(path, "an npy file") as source:
        if source.file.read(len(MAGIC)) != MAGIC:
            raise InputError(f"{path}: truncated, or not an npy file")
        source.file.seek(0)
        return _array(source, source.file, source.size, f"{path}")


def _archive(source: Source) -> zipfile.ZipFile:
    if not zipfile.is_zipfile(source.file):
        raise InputError(f"{source.path}: truncated, or not an npz file")
    return zipfile.ZipFile(source.file)


def _names(source: Source, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name in found:
            raise InputError(f"{source.path} has two members {name!r}; it needs one of each")
        found[name] = info
    return found


def _member(
    source: Source, archive: zipfile.ZipFile, name: str, info: zipfile.ZipInfo
) -> NDArray[Any]:
    what = f"{source.path}: {name}"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
        raise InputError(f"{what} is packed or encrypted in a way that is not read")
    try:
        with archive.open(info) as stream:
            if name == META:
                if info.file_size > max(MOST_META, 10 * source.size):
                    raise InputError(f"{what}: {info.file_size} bytes are too many")
                source.take(info.file_size, name)
                return _filled(stream, np.empty(info.file_size, dtype=np.uint8))
            return _array(source, stream, info.file_size, what)
    except InputError:
        raise
    except Exception as reason:  # whatever zip and zlib make of damaged bytes
        raise InputError(f"{what} cannot be read, truncated or damaged ({reason})") from reason


def _array(source: Source, stream: IO[bytes], size: int, what: str) -> NDArray[Any]:
    """The array of an npy stream of this declared size."""
    dtype, fortran, shape, start = _header(stream, what)
    count = math.prod(shape)
    room = max(dtype.itemsize, 1) * math.prod(max(length, 1) for length in shape)
    source.take(room, f"an array {shape} of {dtype}")
    if start + count * dtype.itemsize != size:
        raise InputError(
            f"{what}: its header says {shape} of {dtype}, but {size - start} bytes follow"
        )
    flat = _filled(stream, np.empty(count, dtype=dtype))
    _check_values(flat, what)
    if not dtype.isnative:
        flat = flat.astype(dtype.newbyteorder("="))
    return flat.reshape(shape, order="F" if fortran else "C")


def _header(stream: IO[bytes], what: str) -> tuple[np.dtype[Any], bool, tuple[int, ...], int]:
    begin = stream.read(8)
    if begin[:6] != MAGIC or begin[6:] not in (b"\1\0", b"\2\0", b"\3\0"):
        raise InputError(f"{what} is not an array that numpy wrote")
    width = 2 if begin[6:] == b"\1\0" else 4
    length = int.from_bytes(stream.read(width), "little")
    if length > LONGEST_HEADER:
        raise InputError(f"{what}: its header has {length} bytes, an array's has some hundred")
    text = stream.read(length).decode("latin1")
    found = HEADER.fullmatch(text)
    entries = found.groups() if found is not None else ()
    keyed = {k: v for k, v in zip(entries[::2], entries[1::2], strict=True) if k is not None}
    if re.search(r"['\"]\|?O\d*['\"]", text):
        raise InputError(
            f"{what} holds Python objects, which are never loaded; store numbers or texts"
        )
    if len(keyed) != 3:
        raise InputError(f"{what} must be numbers or texts; its header is of something else")
    dtype = np.dtype(keyed["descr"])
    if dtype.kind not in "biufcUS" or (dtype.kind in "US" and dtype.itemsize == 0):
        raise InputError(f"{what} must be numbers or texts, got an array of {dtype}")
    lengths = [part.strip().rstrip("L") for part in keyed["shape"].split(",")]
    shape = tuple(int(part) for part in lengths if part)
    return dtype, keyed["fortran_order"] == "True", shape, 8 + width + length


def _filled(stream: IO[bytes], found: NDArray[Any]) -> NDArray[Any]:
    """The array with its bytes; a stream that has fewer, or more, is refused."""
    room = found.reshape(-1).view(np.uint8)
    done = 0
    while done < len(room):
        piece = stream.read(min(len(room) - done, 1 << 20))
        if not piece:
            raise EOFError(f"{len(room) - done} bytes are missing")
        room[done : done + len(piece)] = np.frombuffer(piece, dtype=np.uint8)
        done += len(piece)
    if stream.read(1):  # reading to the end also compares the checksum
        raise ValueError("more bytes than announced")
    return found


def _check_values(flat: NDArray[Any], what: str) -> None:
    """Bits that numpy takes for what they are not: truths above 1, texts beyond Unicode."""
    if flat.dtype.kind == "b" and flat.size and flat.view(np.uint8).max() > 1:
        raise InputError(f"{what} holds what is neither true nor false")
    if flat.dtype.kind == "U" and flat.size:
        codes = flat.view(np.dtype(np.uint32).newbyteorder(flat.dtype.byteorder))
        if codes.max() > 0x10FFFF:
            raise InputError(f"{what} holds what is not text")


def read(
    path: Path, what: str, schemas: Collection[int] = (SCHEMA,)
) -> tuple[Members, dict[str, Any]]:
    """All arrays and the ``meta.json`` of such a file; ``what`` it should be, for the messages."""
    if not path.is_file():
        raise InputError(f"there is no {what} {path}")
    try:
        arrays = members(path, (META,), f"a {what}", optional=None)
        meta = json.loads(bytes(arrays.pop(META)))
        schema = meta.get("schema")
    except InputError as reason:
        raise InputError(f"{path} is not a {what}, or is damaged: {reason}") from None
    except (TypeError, ValueError, AttributeError, RecursionError, MemoryError):
        raise InputError(f"{path} is not a {what}, or is damaged: no JSON in {META}") from None
    if schema not in schemas or isinstance(schema, bool):
        known = " or ".join(map(str, schemas))
        raise InputError(f"{path}: schema {schema!r} is not {known}, which is read here")
    return arrays, meta


def digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Of the names, types, shapes and bits of arrays: a file that swaps members has another one."""
    found = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        values = np.asarray(arrays[name])
        found.update(repr((name, values.dtype.str, values.shape)).encode())
        found.update(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data)
    return found.hexdigest()


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
    """The same without care for what was there: for a file that does not count yet.

    What would be packed so well that the door takes it for a trap is not packed.
    """
    plain = _numbers(path, arrays)
    with open(path, "w+b") as file:
        _fill(file, plain, meta, packed)


def packed(arrays: Mapping[str, Any], meta: Mapping[str, Any], what: Path) -> bytes:
    """The bytes of such a file, the same for the same content; ``what`` is for the messages."""
    file = io.BytesIO()
    _fill(file, _numbers(what, arrays), meta, True)
    return file.getvalue()


def _fill(file: IO[bytes], plain: Members, meta: Mapping[str, Any] | None, packed: bool) -> None:
    room = sum(values.nbytes for values in plain.values())
    for save in (np.savez_compressed, np.savez) if packed else (np.savez,):
        file.seek(0)
        file.truncate()
        save(file, **plain)  # type: ignore[arg-type]
        if room < usual_limit(file.seek(0, os.SEEK_END)):
            break
    if meta is not None:
        with zipfile.ZipFile(file, "a") as archive:  # without the time of day
            text = json.dumps(meta, indent=1, sort_keys=True)
            archive.writestr(zipfile.ZipInfo(META), text, zipfile.ZIP_DEFLATED)


def _numbers(path: Path, arrays: Mapping[str, Any]) -> Members:
    plain = {name: np.asarray(values) for name, values in arrays.items()}
    for name, values in plain.items():
        if values.dtype.hasobject:
            raise UsageError(f"{path}: {name} holds Python objects; store numbers or texts")
    return plain
