"""No structure asked for."""

from __future__ import annotations

from typing import ClassVar

import attrs

from graphol.api import Vector
from graphol.projections.vectors import VectorProjection


@attrs.frozen
class NoProjection(VectorProjection):
    """The identity: every point is allowed, P(v) = v.

    Turns a projected learner into the plain one. O(p).

    Examples
    --------
    >>> import numpy as np
    >>> NoProjection().bind(None, dim=3)(np.array([0.0, 2.0, -1.0]))
    (array([ 0.,  2., -1.]), array([1, 2]))
    """

    name: ClassVar[str] = "none"

    def nearest(self, v: Vector) -> Vector:
        """v itself."""
        return v.copy()
