"""Where graphol keeps files of its own on this machine."""

from __future__ import annotations

import os
from pathlib import Path


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
