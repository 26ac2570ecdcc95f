"""What may be projected."""

from __future__ import annotations

import numpy as np

from graphol.api import Vector
from graphol.errors import InputError


def checked(name: str, v: Vector, dim: int) -> Vector:
    """The vector as float64, or one line on why it cannot be projected."""
    v = np.asarray(v, dtype=np.float64)
    if v.shape != (dim,):
        raise InputError(f"{name}: expected a vector of length {dim}, got shape {v.shape}")
    if not np.isfinite(v).all():
        raise InputError(f"{name}: the vector holds NaN or infinity; the step before it overflowed")
    return v
