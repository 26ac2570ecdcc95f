"""The line: a context is near to the one before and the one after."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import UsageError


def _at_least_two(line: Line, field: attrs.Attribute[int], vertices: int) -> None:
    if not 2 <= vertices <= 2**25:  # squares of it are summed exactly
        raise UsageError(f"a line of contexts has 2 to {2**25} of them, got {vertices}")


@attrs.frozen
class Line:
    r"""Contexts in a row, each joined to the next.

    For any tree :math:`L^+ = -\tfrac12 J D J` with D the path lengths, :math:`J = I - 11^\top/p`.
    Here, with :math:`q_i = i(i + 1)/2 + (p - 1 - i)(p - i)/2` the sum of row i of D,

    .. math:: L^+_{ij} = -\frac{|i - j|}{2} + \frac{q_i + q_j}{2p} - \frac{p^2 - 1}{6p} .

    The ends have the largest diagonal entry, :math:`R = (p - 1)(2p - 1)/(6p)`, which grows with
    the number of contexts: over rounds a :class:`graphol.latent.tree.SupportTree` is better.

    Parameters
    ----------
    vertices
        The number of contexts p, >= 2.

    Examples
    --------
    >>> line = Line(vertices=3)
    >>> line.gram(0, np.arange(3)).round(4)
    array([1.1111, 0.4444, 0.1111])
    """

    vertices: int = attrs.field(validator=_at_least_two)
    rows: None = attrs.field(default=None, init=False)

    @property
    def resistance(self) -> float:
        """R, the largest diagonal entry of the pseudo-inverse."""
        p = self.vertices
        return (p - 1) * (2 * p - 1) / (6 * p)

    @property
    def rho(self) -> float:
        """The largest kernel entry, 2R."""
        return 2 * self.resistance

    def gram(self, i: int, js: NDArray[np.int64]) -> NDArray[np.float64]:
        """Kernel entries between context i and the contexts js."""
        p, js = self.vertices, np.asarray(js)
        sums = (self._sum(i) + self._sum(js)) / (2 * p)
        return np.asarray(sums - np.abs(js - i) / 2 - (p**2 - 1) / (6 * p) + self.resistance)

    def least_cut(self, labels: NDArray[np.int64], n_labels: int) -> int:
        """How often the label changes; who may have any (-1) takes that of the one before.

        >>> Line(vertices=4).least_cut(np.array([0, -1, 1, 1]), 2)
        1
        """
        return int(np.count_nonzero(np.diff(labels[labels >= 0])))

    def _sum(self, i: NDArray[np.int64] | int) -> NDArray[np.float64] | float:
        return (i * (i + 1) + (self.vertices - 1 - i) * (self.vertices - i)) / 2
