"""Projections of vectors as such, whatever the graph, and what may be projected at all."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Integers, Vector
from graphol.errors import InputError
from graphol.graph import Graph
from graphol.params import param


def checked(name: str, v: Vector, dim: int) -> Vector:
    """The vector as float64, or one line on why it cannot be projected."""
    v = np.asarray(v, dtype=np.float64)
    if v.shape != (dim,):
        raise InputError(f"{name}: expected a vector of length {dim}, got shape {v.shape}")
    if not np.isfinite(v).all():
        raise InputError(f"{name}: the vector holds NaN or infinity; the step before it overflowed")
    return v


class VectorProjection:
    """Base of projections that do not look at the graph."""

    name: ClassVar[str]

    def nearest(self, v: Vector) -> Vector:
        """The nearest structured point to v, which is finite and left alone."""
        raise NotImplementedError

    def bind(self, graph: Graph | None, dim: int) -> BoundVector:
        """Prepare for vectors of length ``dim``; the graph is not used."""
        return BoundVector(self, dim)


@attrs.frozen
class OntoBall(VectorProjection):
    """Base of projections onto a ball around 0.

    Parameters
    ----------
    radius
        Radius r > 0.
    """

    radius: float = param(1.0, above=0)


@attrs.frozen
class BoundVector:
    """A projection of vectors of length ``dim``."""

    projection: VectorProjection
    dim: int

    def __call__(self, v: Vector) -> tuple[Vector, Integers]:
        """The nearest structured point, and where it is not zero."""
        found = self.projection.nearest(checked(self.projection.name, v, self.dim))
        return found, np.flatnonzero(found)
