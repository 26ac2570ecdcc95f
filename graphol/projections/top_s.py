"""Keep the s largest entries."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.params import param
from graphol.projections.vectors import checked


@attrs.frozen
class BoundTopS:
    """Hard thresholding of vectors of length ``dim``."""

    s: int
    dim: int

    def __call__(self, v: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """v with all but its s largest entries set to 0, and where the result is not zero."""
        v = checked(TopS.name, v, self.dim)
        size = np.abs(v)
        least = np.partition(size, self.dim - self.s)[self.dim - self.s]  # the s-th largest
        above = np.flatnonzero(size > least)
        equal = np.flatnonzero(size == least)[: self.s - len(above)]
        sparse = np.zeros_like(v)
        sparse[above], sparse[equal] = v[above], v[equal]
        return sparse, np.flatnonzero(sparse)


@attrs.frozen
class TopS:
    r"""Nearest vector with at most s non-zeros: the s largest entries in absolute value.

    .. math:: \operatorname{P}(v) = \arg\min_{\|u\|_0 \le s} \|v - u\|_2

    Ties go to the lowest index. O(p) by selection, nothing is sorted.

    Parameters
    ----------
    s
        Number of entries kept, >= 1 and at most the length of the vectors.

    Examples
    --------
    >>> TopS(s=2).bind(None, dim=4)(np.array([1.0, -3.0, 1.0, 0.5]))
    (array([ 1., -3.,  0.,  0.]), array([0, 1]))

    References
    ----------
    Blumensath, Davies. Iterative hard thresholding for compressed sensing. Appl. Comput. Harmon.
    Anal., 2009.
    """

    name: ClassVar[str] = "top-s"
    s: int = param(10, least=1)

    def bind(self, graph: Graph | None, dim: int) -> BoundTopS:
        """Prepare for vectors of length ``dim``; the graph is not used."""
        if self.s > dim:
            raise UsageError(f"top-s: s must be <= {dim}, the length of the vectors, got {self.s}")
        return BoundTopS(self.s, dim)
