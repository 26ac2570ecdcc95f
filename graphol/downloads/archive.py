"""Texts inside a tar or zip archive, read by name and never unpacked to disk."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

from graphol.door import UNPACKERS, Source, opened
from graphol.errors import InputError


def texts(archive: Path, *names: str) -> list[list[str]]:
    """The lines of each member, without line ends and without empty lines."""
    with opened(archive, "a tar or zip archive") as source:
        try:
            if zipfile.is_zipfile(source.file):
                contents = _from_zip(source, names)
            else:
                contents = _from_tar(source, names)
        except KeyError as missing:
            raise InputError(f"{archive.name}: {missing.args[0]}") from None
    return [_lines(content) for content in contents]


def _from_zip(source: Source, names: tuple[str, ...]) -> list[bytes]:
    with zipfile.ZipFile(source.file) as zipped:
        for name in names:
            source.take(zipped.getinfo(name).file_size, name)
        return [zipped.read(name) for name in names]


def _from_tar(source: Source, names: tuple[str, ...]) -> list[bytes]:
    source.file.seek(0)
    packed = source.file.read(2) in UNPACKERS
    source.file.seek(0)
    plain = io.BytesIO(source.unpacked()) if packed else source.file
    try:
        with tarfile.open(fileobj=plain, mode="r:") as tar:
            return [_member(tar, name) for name in names]
    except tarfile.TarError:
        raise EOFError from None


def _member(tar: tarfile.TarFile, name: str) -> bytes:
    member = tar.getmember(name)
    if (
        not member.isreg() or member.issparse()
    ):  # a sparse file of a few bytes is as long as it says
        raise KeyError(f"{name!r} is not a file")
    file = tar.extractfile(member)
    assert file is not None
    return file.read()


def _lines(content: bytes) -> list[str]:
    lines = content.decode("utf-8", errors="replace").split("\n")
    return [line.rstrip("\r") for line in lines if line.strip()]
