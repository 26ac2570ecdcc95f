"""States as checks look at them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.api import Appendable, Derived


def values(state: Any) -> list[Any]:
    """A state's arrays and scalars; of what grows, what there is."""
    kept = [value for value in state if not isinstance(value, Derived)]
    return [value.values if isinstance(value, Appendable) else value for value in kept]


def arrays(state: Any) -> list[Any]:
    """Its arrays alone."""
    return [value for value in values(state) if isinstance(value, np.ndarray)]


def same(one: Any, two: Any) -> bool:
    """Two states, bit for bit."""
    return all(
        np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else a == b
        for a, b in zip(values(one), values(two), strict=True)
    )
