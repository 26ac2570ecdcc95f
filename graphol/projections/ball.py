"""The Euclidean ball."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Vector
from graphol.projections.vectors import OntoBall


@attrs.frozen
class Ball(OntoBall):
    r"""Nearest point of the Euclidean ball of a given radius around 0.

    .. math:: \operatorname{P}(v) = v \min\left(1, \frac{r}{\|v\|_2}\right)

    O(p). The result is inside the ball in floating point too, so projecting again changes nothing.

    Examples
    --------
    >>> Ball(radius=1).bind(None, dim=3)(np.array([3.0, 0.0, -4.0]))
    (array([ 0.6,  0. , -0.8]), array([0, 2]))
    """

    name: ClassVar[str] = "ball"

    def nearest(self, v: Vector) -> Vector:
        """v, shortened if it is too long."""
        v = v.copy()
        if self._is_outside(v):
            largest = np.max(np.abs(v))  # divided out first, so that no square overflows
            v = v / largest * (self.radius / np.linalg.norm(v / largest))
            while self._is_outside(v):
                v = np.nextafter(v, 0.0)  # rounded outwards: one bit back
        return v

    def _is_outside(self, v: Vector) -> bool:
        largest = np.max(np.abs(v), initial=0.0)
        return bool(largest > 0 and largest > self.radius / np.linalg.norm(v / largest))
