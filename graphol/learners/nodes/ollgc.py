"""OLLGC: online learning with local and global consistency."""

from __future__ import annotations

from typing import ClassVar

import attrs

from graphol.api import Finished, MistakeBound, StatedBound
from graphol.bases import OneAgainstRest
from graphol.bounds import corollary5, cut_size, second_order_perceptron, theorem4
from graphol.params import param


@attrs.frozen
class Ollgc(OneAgainstRest):
    r"""Ridge regression to the labels seen in mistakes, one model per class; sees every label.

    Learning with local and global consistency, online: the model of a class minimises
    :math:`\mu \|w\|^2 + \sum_s (y_s - w^\top x_s)^2` over the rounds s it erred in, on the rows of
    a spectral embedding, where :math:`\|w\|^2` is the smoothness of :math:`f_i = w^\top x_i` on
    the graph. With :math:`A = \mu I` at first, on a mistake of
    :math:`\operatorname{sign}(w^\top x)` (that of 0 is +1):

    .. math:: A \leftarrow A + x x^\top, \qquad
              w \leftarrow w + \frac{y - w^\top x}{1 + r}\, u, \qquad
              u = A^{-1} x, \; r = x^\top u .

    A two-class game (signs) has one model. With K classes there are K models, each playing its
    class against the rest, and the highest score is predicted. One round costs O(Kd²).

    Parameters
    ----------
    mu
        Ridge, the weight of smoothness.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("ollgc", dataset="sbm", repeats=2).error_rate_mean < 0.1
    True

    References
    ----------
    Gu, Aggarwal, Liu, Han. Selective sampling on graphs for classification. KDD 2013.

    Deviation: mistake-driven, which is the reading that gives the paper's error rates.
    """

    name: ClassVar[str] = "ollgc"
    mu: float = param(1.0, above=0)

    @staticmethod
    def decide(f, y):
        """A wrong sign."""
        return (f >= 0) != (y > 0)

    def mistake_bound(self, game: Finished) -> MistakeBound:
        """The second-order perceptron's, summed over the models."""
        return MistakeBound("second-order perceptron", second_order_perceptron(game, self.mu))

    def stated_bounds(self, game: Finished) -> list[StatedBound]:
        """By the cut of the labels: ours, and the paper's as they are printed."""
        m, mu = float(game.wrong.sum()), self.mu
        printed = corollary5(game, mu), corollary5(game, mu, of_learner=True)
        return [
            StatedBound("cut size", "mistakes", m, cut_size(game, mu)),
            StatedBound("KDD 2013, theorem 4", "regret", *theorem4(game, mu)),
            StatedBound("KDD 2013, corollary 5", "mistakes", m, printed[0], False),
            StatedBound("KDD 2013, corollary 5, gamma of w", "mistakes", m, printed[1], False),
        ]
