"""The Euclidean ball."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.graph import Graph
from graphol.params import param
from graphol.projections.vectors import checked


@attrs.frozen
class BoundBall:
    """Projection of vectors of length ``dim`` onto the ball."""

    radius: float
    dim: int

    def __call__(self, v: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The nearest point of the ball, and where it is not zero."""
        v = checked(Ball.name, v, self.dim).copy()
        if self._is_outside(v):
            largest = np.max(np.abs(v))  # divided out first, so that no square overflows
            v = v / largest * (self.radius / np.linalg.norm(v / largest))
            while self._is_outside(v):
                v = np.nextafter(v, 0.0)  # rounded outwards: one bit back
        return v, np.flatnonzero(v)

    def _is_outside(self, v: NDArray[np.float64]) -> bool:
        largest = np.max(np.abs(v), initial=0.0)
        return bool(largest > 0 and largest > self.radius / np.linalg.norm(v / largest))


@attrs.frozen
class Ball:
    r"""Nearest point of the Euclidean ball of a given radius around 0.

    .. math:: \operatorname{P}(v) = v \min\left(1, \frac{r}{\|v\|_2}\right)

    O(p). The result is inside the ball in floating point too, so projecting again changes nothing.

    Parameters
    ----------
    radius
        Radius r > 0.

    Examples
    --------
    >>> Ball(radius=1).bind(None, dim=3)(np.array([3.0, 0.0, -4.0]))
    (array([ 0.6,  0. , -0.8]), array([0, 2]))
    """

    name: ClassVar[str] = "ball"
    radius: float = param(1.0, above=0)

    def bind(self, graph: Graph | None, dim: int) -> BoundBall:
        """Prepare for vectors of length ``dim``; the graph is not used."""
        return BoundBall(self.radius, dim)
