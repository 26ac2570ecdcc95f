"""A user's file as text, or one line on why it cannot be read."""

from __future__ import annotations

from graphol.door import FilePath, content
from graphol.errors import InputError


def read_text(path: FilePath) -> str:
    """The content of a UTF-8 file, with or without a byte order mark."""
    found = content(path)
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        line = found.count(b"\n", 0, reason.start) + 1
        raise InputError(
            f"{path} line {line}: not UTF-8 text (byte 0x{found[reason.start]:02x}); "
            "save the file as UTF-8"
        ) from None
