"""Plain arrays from an npz file in $GRAPHOL_DATA or in the user's cache."""

from __future__ import annotations

import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol.datasets.cache import find
from graphol.errors import InputError


def read_arrays(
    name: str, filename: str, keys: tuple[str, ...], origin: str
) -> dict[str, NDArray[Any]]:
    """The members ``keys``, or one line on how to come by them."""
    path = find(filename)
    if path is None:
        raise InputError(
            f"{name} is not on this machine: set GRAPHOL_DATA to a folder that holds {filename} "
            f"({', '.join(keys)}; made from {origin})"
        )
    try:
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as stored:
            return {key: np.asarray(stored[key]) for key in keys}
    except KeyError as missing:
        raise InputError(f"{path} has no member {missing}") from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as reason:
        text = " ".join(str(reason).split())
        raise InputError(f"{path}: truncated or damaged ({text})") from None
