"""States as checks look at them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.states import parts, plain


def values(state: Any) -> list[Any]:
    """A state's arrays and scalars; of what grows, what there is."""
    return [plain(part) for part in parts(state).values()]


def arrays(state: Any) -> list[Any]:
    """Its arrays alone."""
    return [value for value in values(state) if isinstance(value, np.ndarray)]


def same(one: Any, two: Any) -> bool:
    """Two states, bit for bit."""
    ours, theirs = values(one), values(two)
    return len(ours) == len(theirs) and all(
        np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else a == b
        for a, b in zip(ours, theirs, strict=True)
    )
