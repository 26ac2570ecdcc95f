"""Downloads: a public archive becomes an npz in the user's cache, or nothing does."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from pathlib import Path

from graphol.atomic import replacing, scratch
from graphol.downloads.catalogue import NamedGraph, Published, named_graph
from graphol.errors import GrapholError, InputError, UsageError, in_one_line
from graphol.folders import cache_folder
from graphol.formats.graph_npz import read_npz, write_npz
from graphol.graph import Graph

ByteCounter = Callable[[int, int], None]
"""Called with the bytes that have come and the bytes to come (0 if the server does not say)."""

SECONDS = 30


def fetch(name: str, url: str | None = None, progress: ByteCounter | None = None) -> Path:
    """Put a named data set into the user's cache and say where it is.

    The archive is downloaded from its public address, compared with its checksum, converted
    without unpacking it or loading any pickle, and its nodes, edges and classes are counted. A
    file that is already in the cache and readable is not downloaded again. Whatever goes wrong,
    the cache is left as it was; what a killed process left is removed by the next download.

    Parameters
    ----------
    name
        ``cora``, ``pubmed``, ...
    url
        Address of a ready npz file (a mirror) to use instead; the graph in it must have the
        content hash that is on record for the data set.
    progress
        Called now and then with the bytes so far and in all.
    """
    row = named_graph(name)
    kept = cache_folder() / row.filename
    if url is None:
        if _readable(kept):
            return kept
        if row.published is None:
            raise InputError(
                f"{name} has no public address with a known checksum; it comes from "
                f"{row.origin}: give a mirror with --url, or set GRAPHOL_DATA to a "
                f"folder that holds {kept.name}"
            )
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise InputError(f"{kept.parent} cannot be made ({reason.strerror})") from None
    with scratch(kept.parent) as folder:
        if url is None:
            assert row.published is not None
            there = row.published
            archive = _download(name, there.url, there.known_hash, folder, progress)
            write_npz(_converted(archive, row, there), kept)
        else:
            mirrored = _download(name, url, None, folder, progress)
            _check_mirror(mirrored, url, row.hash)
            with replacing(kept) as temporary:
                shutil.copyfile(mirrored, temporary)
    return kept


def _readable(path: Path) -> bool:
    try:
        read_npz(path)
    except InputError:
        return False
    return True


def _converted(archive: Path, row: NamedGraph, there: Published) -> Graph:
    try:
        graph = there.convert(archive)
    except GrapholError:
        raise
    except Exception as reason:  # whatever comes of bytes that are not ours
        raise InputError(
            f"{there.url} is not laid out as expected ({in_one_line(reason)}); nothing was kept"
        ) from None
    row.check(graph, there)
    return graph


def _check_mirror(file: Path, url: str, wanted: str) -> None:
    try:
        found = read_npz(file).hash
    except InputError as reason:
        raise InputError(str(reason).replace(str(file), url)) from None
    if found != wanted:
        raise InputError(
            f"{url} holds another graph: its content hash is {found}, not {wanted}; "
            "nothing was kept"
        )


def _download(
    name: str, url: str, known_hash: str | None, folder: Path, progress: ByteCounter | None
) -> Path:
    import pooch

    def stream(url: str, output_file: str, _: object) -> None:
        _stream(url, output_file, progress)

    if not url.startswith(("http://", "https://")):
        raise UsageError(f"{url!r} is not an address; it must begin with http:// or https://")
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)  # a library does not print
    try:
        return Path(pooch.retrieve(url, known_hash, f"{name}.part", folder, downloader=stream))
    except (OSError, ValueError) as reason:
        raise InputError(f"{name}: {url} {_why(reason)}; nothing was kept") from None
    finally:
        logger.setLevel(level)


def _stream(url: str, output_file: str, progress: ByteCounter | None) -> None:
    import requests

    with requests.get(url, stream=True, timeout=SECONDS) as response, open(output_file, "wb") as to:
        response.raise_for_status()
        total, done = int(response.headers.get("content-length", 0)), 0
        for chunk in response.iter_content(1 << 16):
            to.write(chunk)
            done += len(chunk)
            if progress is not None:
                progress(done, total)


def _why(reason: Exception) -> str:
    import requests

    if isinstance(reason, requests.HTTPError) and reason.response is not None:
        return f"answered {reason.response.status_code} {reason.response.reason}"
    if isinstance(reason, requests.exceptions.ChunkedEncodingError):
        return "broke off in the middle of the download"
    if isinstance(reason, requests.Timeout):
        return f"did not answer within {SECONDS} s"
    if isinstance(reason, requests.ConnectionError):
        return "cannot be reached"
    if "does not match the known hash" in str(reason):
        return "sent something whose checksum is not the one on record"
    return f"cannot be downloaded ({' '.join(str(reason).split())})"
