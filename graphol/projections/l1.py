"""The l1 ball, and the soft threshold that goes with it."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Vector
from graphol.projections.vectors import OntoBall
from graphol.standins import compiled_as


@compiled_as("graphol.compiled.selection:soft_threshold")
def soft_threshold(v: Any, by: float) -> Any:
    r"""A number, or every entry of a vector, moved towards 0 by as much as ``by``, and not beyond.

    It minimises :math:`\tfrac12 \|u - v\|_2^2 + \mathrm{by} \cdot \|u\|_1`.

    >>> soft_threshold(np.array([3.0, -0.5, -2.0]), 1.0)
    array([ 2.,  0., -1.])
    """
    return v - np.minimum(np.maximum(v, -by), by)


@attrs.frozen
class L1(OntoBall):
    r"""Nearest point of the l1 ball of a given radius around 0.

    .. math:: \operatorname{P}(v) = \arg\min_{\|u\|_1 \le r} \|v - u\|_2

    It is a soft threshold (:func:`soft_threshold`) whose height makes the absolute values add up
    to r. O(p log p), by sorting. In floating point the ball's radius is r to 12 digits.

    Examples
    --------
    >>> L1(radius=2).bind(None, dim=3)(np.array([3.0, -0.5, -2.0]))
    (array([ 1.5,  0. , -0.5]), array([0, 2]))

    References
    ----------
    Duchi, Shalev-Shwartz, Singer, Chandra. Efficient projections onto the l1-ball for learning in
    high dimensions. ICML 2008.
    """

    name: ClassVar[str] = "l1"

    def nearest(self, v: Vector) -> Vector:
        """v itself, or its soft threshold."""
        largest = float(np.max(np.abs(v), initial=0.0))
        if largest == 0 or np.sum(np.abs(v) / largest) <= self.radius / largest * (1 + 1e-12):
            return v.copy()
        # divided by the largest entry, so that no sum overflows and none is lost
        size, radius = np.sort(np.abs(v) / largest)[::-1], self.radius / largest
        over = (np.cumsum(size) - radius) / np.arange(1, len(v) + 1)
        last = np.flatnonzero(size > over)[-1:]
        w: Vector = soft_threshold(v, float(over[last].sum()) * largest)
        if len(last) == 0 or not w.any():  # the radius is lost beside such entries
            top = np.abs(v) == largest
            w = np.where(top, np.sign(v) * (self.radius / np.count_nonzero(top)), 0.0)
        w *= min(1.0, self.radius / np.abs(w).sum())  # the differences above lose digits
        return w
