"""Where graphol looks for data and keeps files of its own on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from graphol.errors import InputError


def cache_folder() -> Path:
    """Where fetched data sets are kept: ``$XDG_CACHE_HOME/graphol``, or what the system uses."""
    import pooch

    return Path(pooch.os_cache("graphol"))


def embeddings_folder() -> Path | None:
    """Where embeddings are kept: $GRAPHOL_CACHE, else a folder in the cache; None if it is off."""
    given = os.environ.get("GRAPHOL_CACHE")
    if given == "off":
        return None
    return Path(given) if given else cache_folder() / "embeddings"


def data_file(filename: str) -> Path | None:
    """The data file in $GRAPHOL_DATA or else in the cache, if this machine has it."""
    folders = [cache_folder()]
    given = os.environ.get("GRAPHOL_DATA")
    if given:
        if not Path(given).is_dir():
            raise InputError(f"GRAPHOL_DATA is {given!r}, which is not a folder")
        folders.insert(0, Path(given))
    return next((folder / filename for folder in folders if (folder / filename).is_file()), None)
