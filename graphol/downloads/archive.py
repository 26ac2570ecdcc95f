"""Texts inside a tar or zip archive, read by name and never unpacked to disk."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from pathlib import Path

from graphol.errors import InputError


def texts(archive: Path, *names: str) -> list[list[str]]:
    """The lines of each member, without line ends and without empty lines."""
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as zipped:
                contents = [zipped.read(name) for name in names]
        else:
            with tarfile.open(archive) as tar:
                contents = [_member(tar, name) for name in names]
    except KeyError as missing:
        raise InputError(f"{archive.name}: {missing.args[0]}") from None
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError):
        raise InputError(f"{archive.name}: truncated, or not a tar or zip archive") from None
    return [_lines(content) for content in contents]


def _member(tar: tarfile.TarFile, name: str) -> bytes:
    file = tar.extractfile(name)
    if file is None:
        raise KeyError(f"{name!r} is not a file")
    return file.read()


def _lines(content: bytes) -> list[str]:
    lines = content.decode("utf-8", errors="replace").split("\n")
    return [line.rstrip("\r") for line in lines if line.strip()]
