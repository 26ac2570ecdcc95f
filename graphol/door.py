"""The one door for bytes that somebody else wrote.

What comes through it is a regular file of known size; what it may become in memory is bounded
before anything is allocated, and whatever goes wrong on the way is one line that names the file.
"""

from __future__ import annotations

import bz2
import contextlib
import functools
import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, Concatenate, ParamSpec, TypeVar

import attrs

from graphol.errors import GrapholError, InputError, UsageError, in_one_line, nearest

FilePath = str | PathLike[str]
P = ParamSpec("P")
T = TypeVar("T")

FLOOR, TIMES = 100_000_000, 100
"""Bytes that any file may become, and how many times its own size."""
OBJECTS = 5
"""How many times that may be Python objects, cells and elements, while it is read."""
LONE_NODES, PER_ENTRY = 10_000, 20
"""Rows that a matrix without entries may have, and how many more for each entry."""
CHUNK = 1 << 20
UNPACKERS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(31),
    b"BZ": bz2.BZ2Decompressor,
    b"\xfd7": lzma.LZMADecompressor,
}
"""By the first two bytes of a packed file."""


def usual_limit(size: int) -> int:
    """The most bytes that a file of this size may take in memory, unless the user says more.

    >>> usual_limit(1310), usual_limit(5_000_000)
    (100000000, 500000000)
    """
    return max(FLOOR, TIMES * size)


def limit(size: int) -> int:
    """The same with what the user says, in GRAPHOL_MAX_BYTES."""
    return max(usual_limit(size), _raised())


def _raised() -> int:
    text = os.environ.get("GRAPHOL_MAX_BYTES", "")
    if text and not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise UsageError(f"GRAPHOL_MAX_BYTES is {text!r}; it must be a whole number of bytes")
    return int(text or 0)


@attrs.define(eq=False)
class Source:
    """An open file, and how many bytes of memory its content may still take."""

    path: Path
    file: BinaryIO
    size: int
    left: int

    def take(self, count: int, what: str) -> None:
        """Refuse what is too much, before it is there."""
        self.left -= count
        if self.left < 0:
            raise too_large(self.path, what, limit(self.size))

    def unpacked(self) -> bytes:
        """The whole content of a packed file, counted while it is unpacked."""
        found = bytearray()
        start = self.file.read(2)
        self.file.seek(0)
        if start not in UNPACKERS:
            raise EOFError
        unpacker, data = UNPACKERS[start](), b""
        while True:
            data = data or self.file.read(CHUNK)
            if unpacker.eof:
                if not data.strip(b"\0"):
                    break  # padding
                unpacker = UNPACKERS[start]()  # one more member
            piece = unpacker.decompress(data, CHUNK)
            if not piece and not data:
                raise EOFError
            data = getattr(unpacker, "unconsumed_tail", b"") or unpacker.unused_data
            self.take(len(piece), "what it unpacks to")
            found += piece
        return bytes(found)


def too_large(path: FilePath, what: str, most: int) -> InputError:
    """The refusal of what does not fit."""
    return InputError(
        f"{path}: {what} would take more than {most:,} bytes; if that is right, set "
        "GRAPHOL_MAX_BYTES to the number of bytes it may take"
    )


def check_file(path: FilePath) -> Path:
    """The path, if it is a file; otherwise an error with the nearest name in its folder."""
    path = Path(path)
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file{_nearby(path)}") from None
    except (OSError, ValueError) as reason:  # no permission, a name too long, a NUL in the name
        raise InputError(f"{str(path)!r} cannot be read ({_why(reason)})") from None
    if stat.S_ISDIR(kind):
        raise InputError(f"{path} is a folder; name a file in it")
    if not stat.S_ISREG(kind):
        raise InputError(f"{path} is a pipe or a device; save what comes out of it in a file")
    return path


def _nearby(path: Path) -> str:
    with contextlib.suppress(OSError):
        match = nearest(path.name, os.listdir(path.parent))
        if match is not None:
            return f"; did you mean {str(path.parent / match)!r}?"
    return ""


def _why(reason: Exception) -> str:
    return getattr(reason, "strerror", None) or str(reason)


@contextlib.contextmanager
def opened(path: FilePath, what: str = "a file") -> Iterator[Source]:
    """A regular file, open for reading; ``what`` it should be, for the messages.

    Neither a pipe nor a device is ever read or waited for, whatever a link points to.
    """
    path = check_file(path)
    with reading(path, what):
        try:
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError as reason:
            raise InputError(f"{path} cannot be read ({_why(reason)})") from None
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):  # exchanged in between
                raise InputError(f"{path} is no longer a file")
            yield Source(path, file, found.st_size, limit(found.st_size))


@contextlib.contextmanager
def reading(path: FilePath, what: str = "a file") -> Iterator[None]:
    """The one place where any failure over somebody else's bytes becomes one line."""
    try:
        yield
    except GrapholError:
        raise
    except (EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError) as reason:
        said = f" ({reason})" if str(reason) else ""
        raise InputError(f"{path}: truncated, or not {what}{said}") from reason
    except OSError as reason:
        raise InputError(f"{path} cannot be read ({_why(reason)})") from reason
    except MemoryError as reason:
        raise InputError(f"{path}: there is not enough memory for it") from reason
    except Exception as reason:
        raise InputError(f"{path} is damaged, or not {what} ({in_one_line(reason)})") from reason


def reader(
    read: Callable[Concatenate[FilePath, P], T],
) -> Callable[Concatenate[FilePath, P], T]:
    """Decorate a function that reads the file in its first argument: see :func:`reading`."""

    @functools.wraps(read)
    def guarded(path: FilePath, *rest: P.args, **options: P.kwargs) -> T:
        with reading(path):
            return read(path, *rest, **options)

    return guarded  # type: ignore[return-value]


def content(path: FilePath) -> bytes:
    """All bytes of a file, unpacked if its name ends in ``.gz``."""
    packed = Path(path).suffix.lower() == ".gz"
    with opened(path, "a gzip file" if packed else "a file") as source:
        if packed:
            return source.unpacked()
        return source.file.read(source.size)


def check_objects(path: FilePath, room: int) -> None:
    """Texts become lists of Python objects, many times their size: bounded, too, before they do.

    ``room`` is what they will take. A file that is not packed is never near the bound.
    """
    most = OBJECTS * limit(Path(path).stat().st_size)
    if room > most:
        raise too_large(path, "its lines", most)


def check_rows(rows: int, entries: int, where: str) -> None:
    """A matrix of a few bytes must not announce more nodes than fit into memory."""
    if rows > LONE_NODES + PER_ENTRY * entries:
        raise InputError(
            f"{where}: {rows} rows for {entries} entries cannot be right; leave nodes without an "
            "edge out"
        )
