"""A user's file as bytes or text, or one line on why it cannot be read."""

from __future__ import annotations

import difflib
import gzip
import zlib
from os import PathLike
from pathlib import Path

from graphol.errors import InputError

FilePath = str | PathLike[str]


def check_file(path: FilePath) -> Path:
    """The path, if there is a file; otherwise an error with the nearest name in its folder."""
    path = Path(path)
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; name a file in it")
        if not path.exists():
            folder = path.parent
            names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
            match = difflib.get_close_matches(path.name, names, n=1)
            hint = f"; did you mean {str(folder / match[0])!r}?" if match else ""
            raise InputError(f"{path}: there is no such file{hint}")
    except (OSError, ValueError) as reason:  # no permission, a name too long, a NUL in the name
        raise InputError(f"{str(path)!r} cannot be read ({reason})") from None
    return path


def read_bytes(path: FilePath) -> bytes:
    """The content of a file, unpacked if its name ends in ``.gz``."""
    path = check_file(path)
    try:
        content = path.read_bytes()
    except OSError as reason:
        raise InputError(f"{path} cannot be read ({reason.strerror})") from None
    if path.suffix.lower() != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{path}: truncated, or not a gzip file") from None


def read_text(path: FilePath) -> str:
    """The content of a UTF-8 file, with or without a byte order mark."""
    content = read_bytes(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        line = content.count(b"\n", 0, reason.start) + 1
        raise InputError(
            f"{path} line {line}: not UTF-8 text (byte 0x{content[reason.start]:02x}); "
            "save the file as UTF-8"
        ) from None
