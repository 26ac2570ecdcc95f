"""Ask where the learner is least sure."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Matrix, Situation, Vector
from graphol.params import param


def entropy(p: Matrix) -> Vector:
    """Of every row, as a share of the largest that there is: 1 where all classes are alike."""
    bits = np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0).sum(axis=1)
    return np.asarray(-bits / np.log(max(p.shape[1], 2)))


def margin(p: Matrix) -> Vector:
    """1 minus the distance of the two largest entries of every row."""
    if p.shape[1] < 2:
        return np.zeros(len(p))
    two = np.partition(p, -2, axis=1)
    return np.asarray(1.0 - (two[:, -1] - two[:, -2]))


def doubt(p: Matrix) -> Vector:
    """1 minus the largest entry of every row."""
    return np.asarray(1.0 - p.max(axis=1))


MEASURES = {"margin": margin, "entropy": entropy, "doubt": doubt}


@attrs.frozen
class Uncertainty:
    r"""The node of which the learner is least sure.

    Of the probabilities p of the classes at a node, the largest first, it is worth
    :math:`1 - (p_1 - p_2)` by ``margin``, :math:`-\sum_k p_k \ln p_k / \ln K` by ``entropy`` and
    :math:`1 - p_1` by ``doubt``. Nodes on which nothing known bears have all classes alike, and so
    are worth 1 or nearly so. O(n K).

    Parameters
    ----------
    by
        ``margin``, ``entropy`` or ``doubt``.

    Examples
    --------
    >>> import attrs
    >>> from graphol import Graph, Situation
    >>> nobody = Situation.unasked(Graph.from_edges("ab", "bc"), classes=2)
    >>> sure = np.array([[1.0, 0.0], [0.6, 0.4], [0.9, 0.1]])
    >>> halfway = attrs.evolve(nobody, probabilities=sure)
    >>> Uncertainty().values(halfway, np.random.default_rng(0)).round(6)
    array([0. , 0.8, 0.2])

    References
    ----------
    Lewis, Gale. A sequential algorithm for training text classifiers. SIGIR, 1994; Scheffer,
    Decomain, Wrobel. Active hidden Markov models for information extraction. IDA, 2001: margins.
    """

    name: ClassVar[str] = "uncertainty"
    spreads: ClassVar[bool] = True
    by: str = param("margin", choices=tuple(MEASURES))

    def values(self, situation: Situation, rng: np.random.Generator) -> Vector:
        """How unsure the learner is of every node."""
        return MEASURES[self.by](situation.probabilities)
