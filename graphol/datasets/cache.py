"""Where data files are looked for: $GRAPHOL_DATA, then the user's cache."""

from __future__ import annotations

import os
from pathlib import Path

from graphol.errors import InputError
from graphol.folders import cache_folder


def find(filename: str) -> Path | None:
    """The data file, if this machine has it."""
    folders = [cache_folder()]
    given = os.environ.get("GRAPHOL_DATA")
    if given:
        if not Path(given).is_dir():
            raise InputError(f"GRAPHOL_DATA is {given!r}, which is not a folder")
        folders.insert(0, Path(given))
    return next((folder / filename for folder in folders if (folder / filename).is_file()), None)
