"""The graph perceptron, with one weight vector per class."""

from __future__ import annotations

from typing import ClassVar

import attrs

from graphol.api import Finished, MistakeBound, Target
from graphol.bases import FirstOrder
from graphol.bases.inverse import rival
from graphol.bounds import perceptron
from graphol.params import param
from graphol.standins import entries


@attrs.frozen
class GPA(FirstOrder):
    r"""Graph perceptron: move the true class towards the node, the best wrong one away.

    Every class k has a vector :math:`w_k`, zero at first. It predicts
    :math:`\hat y_t = \arg\max_k w_k^\top x_t` (ties: the lowest k) and, with j the best-scored
    wrong class,

    .. math:: w_{y_t} \leftarrow w_{y_t} + x_t, \qquad w_j \leftarrow w_j - x_t ,

    on mistakes only, or in every round. Signs need one vector: :math:`w \leftarrow w + y_t x_t`,
    and the sign of 0 is +1. On the rows :math:`x_i = \Lambda^{-1/2} v_i` of a spectral
    embedding the inner products are entries of a Laplacian's pseudo-inverse, which makes it the
    perceptron on the graph's kernel. One round costs O(Kd); the state is Kd floats.

    Parameters
    ----------
    when
        ``mistakes`` updates on mistakes only, ``always`` in every round that is answered.

    Examples
    --------
    >>> import graphol
    >>> always, mistakes = (
    ...     graphol.simulate(f"gpa:when={when}", dataset="sbm", repeats=2)
    ...     for when in ("always", "mistakes")
    ... )
    >>> always.error_rate_mean < mistakes.error_rate_mean < 0.2
    True

    References
    ----------
    Herbster, Pontil. Prediction on a graph with a perceptron. NIPS 2006.
    Baseline of Gu, Aggarwal, Liu, Han (KDD 2013) and of Yang, Zhao, Gao (IJCAI 2018).

    Deviation: the first paper is binary; for classes this is its usual multi-class form, whose
    updates the last paper counts (two class models per updated round).
    """

    name: ClassVar[str] = "gpa"
    targets: ClassVar[tuple[Target, ...]] = ("classes", "signs")
    when: str = param("mistakes", choices=("mistakes", "always"))

    @property
    def always(self) -> bool:
        """Does it learn from right answers too?"""
        return self.when == "always"

    @staticmethod
    def move(W, x, f, best, said, heard, always):
        """The true class towards x, the best wrong one away; for signs the only vector."""
        if said == heard and not always:
            return 0
        if len(W) == 1:
            for i in entries(len(x)):
                W[0, i] += heard * x[i]
            return 1
        j = rival(f, heard)
        for i in entries(len(x)):
            W[heard, i] += x[i]
            W[j, i] -= x[i]
        return 2

    def mistake_bound(self, game: Finished) -> MistakeBound | None:
        """The perceptron's, unless it learns from right answers too."""
        return None if self.always else MistakeBound("perceptron", perceptron(game))
