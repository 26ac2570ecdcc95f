r"""A labeling of a graph as a Gaussian process, learnt and unlearnt one label at a time.

The prior is :math:`f \sim N(0, K)` over the nodes, a label is :math:`y = f(i) + N(0, \sigma^2)`.
With c_s labels at node s of mean :math:`\bar y_s`, over the m nodes that have some,

.. math:: B = (K_{SS} + \sigma^2 \operatorname{diag}(1/c))^{-1}, \quad E f(i) = k_i^\top B \bar y,
          \quad \operatorname{Var} f(i) = K_{ii} - k_i^\top B k_i .

B is kept, packed, and changes by rank one: O(m²) for a label more or less, and for a prediction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphol.api import Appendable, Derived, Features, Integers, Problem, Vector
from graphol.bases.pairs import rho_of
from graphol.errors import UsageError

LEAST_VARIANCE = 1e-12
LEAST_NOISE = 1e-4
"""Beside the scale: with less, K + noise is so near to singular that B drifts in a long game."""


def check_noise(name: str, scale: float, noise: float) -> None:
    """Refuse a noise that rounding would drown."""
    if noise < LEAST_NOISE * scale:
        raise UsageError(
            f"{name}: noise must be at least scale / {1 / LEAST_NOISE:g} = "
            f"{LEAST_NOISE * scale:g}, got {noise:g}; raise it, or lower scale"
        )


class Labeling(NamedTuple):
    """What is known about one labeling; a node whose labels were all taken back stays, unused."""

    nodes: Appendable  # (m,)
    seen: Appendable  # (m,) labels there
    total: Appendable  # (m,) their sum
    B: Appendable  # (m (m + 1) / 2,) lower triangle, row by row
    alpha: Appendable  # (m,) B times the mean labels

    @classmethod
    def unknown(cls) -> Labeling:
        """No label seen."""
        empty = [Appendable(np.zeros(0)) for _ in range(4)]
        return cls(Appendable(np.zeros(0, dtype=np.int64)), *empty)

    @property
    def is_unknown(self) -> bool:
        """Was no label seen, or all taken back?"""
        return not bool(self.seen.values.any())

    def moments(self, k: Vector, own: float, noise: float) -> tuple[float, float]:
        """Mean of f at a node and variance of a label there; k are its entries with ``nodes``."""
        if not len(k):
            return 0.0, own + noise
        variance = own - float(k @ self._times(k))
        return float(k @ self.alpha.values), max(variance, LEAST_VARIANCE) + noise

    def learn(self, node: int, y: int, k: Vector, own: float, noise: float) -> None:
        """One label more."""
        j = self._place(node)
        if j < 0:
            j, k = len(k), np.append(k, own)
            self.nodes.append(node)
            for column in (self.seen, self.total, self.alpha):
                column.append(0.0)
            self.B.extend(np.zeros(j + 1))
        c = self.seen.values[j]
        if c == 0:  # its row of B is 0
            u = self._times(k)
            gap = own + noise - float(k @ u)
            u[j] = -1.0
            self._add(u, 1 / max(gap, LEAST_VARIANCE))
        else:
            self._soften(j, noise / (c + 1) - noise / c)
        self._count(j, 1, y)

    def unlearn(self, node: int, y: int, noise: float) -> None:
        """One label less, of those it was taught."""
        j = self._place(node)
        c = self.seen.values[j]
        if c > 1:
            self._soften(j, noise / (c - 1) - noise / c)
        else:
            b = self._row(j)
            self._add(b, -1 / b[j])
            self._clear(j)
        self._count(j, -1, -y)

    def check(self, nodes: int, noise: float) -> None:
        """Raise ValueError if this cannot be a labeling of so many nodes."""
        at, m = self.nodes.values, len(self.nodes.values)
        if not ((at >= 0) & (at < nodes)).all() or len(np.unique(at)) < m:
            raise ValueError("a labeling's nodes are not distinct nodes")
        lengths = [len(part.values) for part in self]
        if lengths != [m, m, m, m * (m + 1) // 2, m]:
            raise ValueError("the parts of a labeling are not of one size")
        if (self.seen.values < np.abs(self.total.values)).any():
            raise ValueError("a labeling has fewer labels than they add up to")
        i, j = np.tril_indices(m)
        B, largest = self.B.values, self.seen.values / noise  # B is at most diag(c) / noise
        own = B[i == j]
        possible = (own >= 0) & (own <= largest * (1 + 1e-6))
        if not possible.all() or (own[i] * own[j] * (1 + 1e-6) < B**2).any():
            raise ValueError("B of a labeling is not the inverse of one")
        alpha = self._times(self._means)
        if not np.allclose(self.alpha.values, alpha, rtol=1e-6, atol=1e-6 * own.max(initial=0)):
            raise ValueError("alpha of a labeling is not B times its mean labels")

    def copied(self) -> Labeling:
        """One that changes by itself."""
        return Labeling(*(Appendable(part.values) for part in self))

    def _place(self, node: int) -> int:
        known = np.flatnonzero(self.nodes.values == node)
        return int(known[0]) if len(known) else -1

    def _times(self, k: Vector) -> Vector:
        from scipy.linalg.blas import dspmv

        if not len(k):
            return np.zeros(0)
        return np.asarray(dspmv(len(k), 1.0, self.B.values, k, lower=0))

    def _add(self, u: Vector, weight: float) -> None:
        """B += weight u u'."""
        from scipy.linalg.blas import dspr

        self.B.values[:] = dspr(len(u), weight, u, self.B.values, lower=0, overwrite_ap=1)

    def _soften(self, j: int, change: float) -> None:
        """The noise at node j changes by so much."""
        b = self._row(j)
        self._add(b, -change / (1 + change * b[j]))

    def _in_row(self, j: int) -> Integers:
        """Where the entries of row j are, (m,)."""
        i = np.arange(len(self.nodes.values))
        low, high = np.minimum(i, j), np.maximum(i, j)
        return np.asarray(high * (high + 1) // 2 + low)

    def _row(self, j: int) -> Vector:
        return np.asarray(self.B.values[self._in_row(j)])

    def _clear(self, j: int) -> None:
        self.B.values[self._in_row(j)] = 0.0

    def _count(self, j: int, labels: int, y: int) -> None:
        seen, total = self.seen.values, self.total.values
        seen[j] += labels
        total[j] += y
        self.alpha.values[:] = self._times(self._means)

    @property
    def _means(self) -> Vector:
        return np.asarray(self.total.values / np.maximum(self.seen.values, 1.0))


class Prior(Derived):
    """The kernel of a game, scaled so that its largest variance is ``scale``."""

    def __init__(self, problem: Problem, scale: float) -> None:
        assert problem.features is not None
        self.features: Features = problem.features
        self.unit = scale / rho_of(self.features)

    def entries(self, node: int, nodes: Integers) -> Vector:
        """Between a node and others."""
        return np.asarray(self.features.gram(node, nodes) * self.unit)

    def own(self, node: int) -> float:
        """Of a node with itself."""
        return float(self.entries(node, np.array([node]))[0])


def plus(
    prior: Prior, labelings: tuple[Labeling, ...], node: int, noise: float, doubt: float
) -> Vector:
    """How likely +1 is at a node under each of some labelings."""
    from scipy.special import ndtr

    odds = np.zeros(len(labelings))  # mean over deviation: of nothing known, 0
    own = prior.own(node)
    for k, each in enumerate(labelings):
        if each.is_unknown:
            continue
        mean, variance = each.moments(prior.entries(node, each.nodes.values), own, noise)
        odds[k] = mean / np.sqrt(variance)
    return np.asarray(doubt + (1 - 2 * doubt) * ndtr(odds))
