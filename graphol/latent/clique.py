"""The clique: every two contexts are equally near."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import UsageError


def _at_least_two(clique: Clique, field: attrs.Attribute[int], vertices: int) -> None:
    if not 2 <= vertices <= 10**15:
        raise UsageError(f"a clique of contexts has at least 2 of them, got {vertices}")


@attrs.frozen
class Clique:
    r"""All contexts joined: tasks of which none is nearer to another.

    :math:`L^+_{ii} = (p - 1)/p^2` and :math:`L^+_{ij} = -1/p^2`.

    Parameters
    ----------
    vertices
        The number of contexts p, >= 2.

    Examples
    --------
    >>> tasks = Clique(vertices=3)
    >>> tasks.gram(1, np.array([0, 1])) / tasks.rho
    array([0.25, 1.  ])
    """

    vertices: int = attrs.field(validator=_at_least_two)
    rows: None = attrs.field(default=None, init=False)

    @property
    def resistance(self) -> float:
        """R, the largest diagonal entry of the pseudo-inverse."""
        return (self.vertices - 1) / self.vertices**2

    @property
    def rho(self) -> float:
        """The largest kernel entry, 2R."""
        return 2 * self.resistance

    def gram(self, i: int, js: NDArray[np.int64]) -> NDArray[np.float64]:
        """Kernel entries between context i and the contexts js."""
        return np.where(np.asarray(js) == i, self.rho, self.rho - 1 / self.vertices)

    def least_cut(self, labels: NDArray[np.int64], n_labels: int) -> int:
        """The fewest pairs with different labels; who may have any (-1) takes the commonest.

        >>> Clique(vertices=4).least_cut(np.array([0, 1, 1, -1]), 2)
        3
        """
        counts = np.bincount(labels[labels >= 0], minlength=n_labels)
        counts[np.argmax(counts)] += self.vertices - counts.sum()
        return int(self.vertices**2 - np.sum(counts**2)) // 2
