"""Keep the s largest entries."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Vector
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.params import param
from graphol.projections.vectors import checked
from graphol.standins import compiled_as


@compiled_as("graphol.compiled.selection:keep_largest")
def keep_largest(v: Vector, s: int) -> bool:
    """Set all but the s largest entries of v to 0, in place; ties go to the lowest index.

    False, and v as it was, if v is not finite.

    >>> v = np.array([1.0, -3.0, 1.0, 0.5])
    >>> keep_largest(v, 2), v
    (True, array([ 1., -3.,  0.,  0.]))
    """
    size = np.abs(v)
    if not np.isfinite(size).all():
        return False
    least = np.partition(size, len(v) - s)[len(v) - s]  # the s-th largest
    equal = np.flatnonzero(size == least)[s - np.count_nonzero(size > least) :]
    v[size < least] = 0.0
    v[equal] = 0.0
    return True


def _compiled(v, s, memory, out):  # type: ignore[no-untyped-def]
    """As :class:`graphol.api.CompiledProjection` has it."""
    out[:] = v
    return s if keep_largest(out, s) else -1


@attrs.frozen
class BoundTopS:
    """Hard thresholding of vectors of length ``dim``."""

    s: int
    dim: int

    def __call__(self, v: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """v with all but its s largest entries set to 0, and where the result is not zero."""
        v = checked(TopS.name, v, self.dim)
        sparse = v.copy()
        keep_largest(sparse, self.s)
        return sparse, np.flatnonzero(sparse)

    def compiled(self) -> tuple[Any, int]:
        """For compiled streams."""
        return _compiled, self.s


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
