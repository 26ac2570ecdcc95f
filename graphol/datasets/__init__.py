"""Data sets: generated ones, graphs with names, and the user's own files as games.

Readers and writers of files are in :mod:`graphol.formats`, downloads in :mod:`graphol.downloads`.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """A reader that used to be here, with a word on where it is now."""
    import warnings

    from graphol import formats

    if name not in formats.__all__:
        raise AttributeError(f"module 'graphol.datasets' has no attribute {name!r}")
    warnings.warn(f"{name} is now in graphol.formats", DeprecationWarning, stacklevel=2)
    return getattr(formats, name)
