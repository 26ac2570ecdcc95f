"""The binary support tree: rounds in a row share ancestors."""

from __future__ import annotations

import functools

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import UsageError

MOST_LEAVES = 2**40
"""The numbers of leaves and vertices stay exact."""


def _at_least_one(tree: SupportTree, field: attrs.Attribute[int], leaves: int) -> None:
    if not 1 <= leaves <= MOST_LEAVES:
        raise UsageError(f"a support tree has 1 to {MOST_LEAVES} leaves, got {leaves}")


@attrs.frozen
class SupportTree:
    r"""A complete binary tree of height h whose :math:`2^h` leaves are the contexts.

    Two leaves i and j meet bitlen(i xor j) levels up. With :math:`p = 2^{h+1} - 1` vertices,

    .. math::

        L^+_{ij} = \kappa - \mathrm{bitlen}(i \oplus j), \qquad \kappa = \frac{1}{p^2}
        \sum_{l<h} (p - a_l)^2 + (2^{h-l} - 1) a_l^2, \quad a_l = 2^{l+1} - 1,

    for leaves i, j; :math:`\kappa` is the largest diagonal entry, about h - 1. A labeling of T
    rounds with S switches cuts at most S h of its edges, where a line over the rounds, which is cut
    S times only, has a resistance of T.

    Parameters
    ----------
    leaves
        How many contexts there must be room for, >= 1; the tree has the next power of two.

    Examples
    --------
    >>> tree = SupportTree(leaves=4)
    >>> tree.height, tree.vertices, tree.gram(0, np.array([0, 1, 2])).round(4)
    (2, 7, array([2.6122, 1.6122, 0.6122]))

    References
    ----------
    Herbster, Pasteris, Pontil. Predicting a switching sequence of graph labelings. JMLR, 2015.
    """

    leaves: int = attrs.field(validator=_at_least_one)
    rows: None = attrs.field(default=None, init=False)

    @property
    def height(self) -> int:
        """Levels of edges, h."""
        return int(self.leaves - 1).bit_length()

    @property
    def vertices(self) -> int:
        """All of them, inner ones too."""
        return int(2 ** (self.height + 1) - 1)

    @functools.cached_property
    def resistance(self) -> float:
        """R = κ, the largest diagonal entry of the pseudo-inverse."""
        return kappa(self.height)

    @property
    def rho(self) -> float:
        """The largest kernel entry, 2R; 1 for the tree that is one vertex."""
        return 2 * self.resistance or 1.0

    def gram(self, i: int, js: NDArray[np.int64]) -> NDArray[np.float64]:
        """Kernel entries between leaf i and the leaves js."""
        levels = np.frexp((np.asarray(js) ^ i).astype(np.float64))[1]  # bitlen, exact below 2^53
        return np.asarray(self.rho - levels)

    def least_cut(self, labels: NDArray[np.int64], n_labels: int) -> int:
        """The fewest edges cut by any labeling of all vertices that has these labels at the leaves.

        ``labels[j]`` is that of leaf j, -1 where it may have any. From the leaves up, a vertex
        with label k costs, for each child, the least of the child's cost with k and its least cost
        plus one.

        >>> SupportTree(leaves=4).least_cut(np.array([0, 0, 1, 1]), 2)
        1
        """
        cost = np.zeros((2**self.height, n_labels))
        known = np.flatnonzero(labels >= 0)
        cost[known] = np.inf
        cost[known, labels[known]] = 0
        while len(cost) > 1:
            child = np.minimum(cost, cost.min(axis=1, keepdims=True) + 1)
            cost = child[0::2] + child[1::2]
        return int(cost.min())


@functools.cache
def kappa(height: int) -> float:
    """The largest diagonal entry of the pseudo-inverse for a tree of this height."""
    p = 2 ** (height + 1) - 1
    a = [2 ** (level + 1) - 1 for level in range(height)]
    squares = (
        (p - below) ** 2 + (2 ** (height - level) - 1) * below**2 for level, below in enumerate(a)
    )
    return float(sum(squares) / p**2)  # whole numbers, divided once
