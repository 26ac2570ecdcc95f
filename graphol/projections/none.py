"""No structure asked for."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.graph import Graph
from graphol.projections.vectors import checked


@attrs.frozen
class BoundNothing:
    """The identity on vectors of length ``dim``."""

    dim: int

    def __call__(self, v: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """A copy of v, and where it is not zero."""
        v = checked(NoProjection.name, v, self.dim).copy()
        return v, np.flatnonzero(v)


@attrs.frozen
class NoProjection:
    """The identity: every point is allowed, P(v) = v.

    Turns a projected learner into the plain one. O(p).

    Examples
    --------
    >>> NoProjection().bind(None, dim=3)(np.array([0.0, 2.0, -1.0]))
    (array([ 0.,  2., -1.]), array([1, 2]))
    """

    name: ClassVar[str] = "none"

    def bind(self, graph: Graph | None, dim: int) -> BoundNothing:
        """Prepare for vectors of length ``dim``; the graph is not used."""
        return BoundNothing(dim)
