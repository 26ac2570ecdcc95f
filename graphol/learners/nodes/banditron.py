"""Banditron: the perceptron that is told only right or wrong."""

from __future__ import annotations

from typing import ClassVar

import attrs

from graphol.api import Finished, MistakeBound
from graphol.bases import FirstOrder
from graphol.bases.draws import Exploring, chance, explore
from graphol.bounds import banditron
from graphol.standins import entries


@attrs.frozen
class Banditron(Exploring, FirstOrder):
    r"""First-order bandit: plays the best class, or now and then any, and learns from the bit.

    With :math:`\hat y = \arg\max_k w_k^\top x` (ties: the lowest k) it plays :math:`\tilde y`
    drawn from :math:`p_k = (1 - \gamma) 1[k = \hat y] + \gamma / K`, and in every round

    .. math:: w_k \leftarrow w_k + x \left( \frac{1[\tilde y = y]\, 1[k = \tilde y]}{p_k}
              - 1[k = \hat y] \right),

    whose mean over the draw is the perceptron's update. One round costs O(Kd); the state is Kd
    floats. It counts the class models that change: one, or two when exploring was right.

    Examples
    --------
    >>> import graphol
    >>> shy, bold = (
    ...     graphol.simulate(f"banditron:gamma={gamma}", dataset="sbm", repeats=2).error_rate_mean
    ...     for gamma in (0.01, 0.05)
    ... )
    >>> bold < shy < 0.75  # 0.75 is guessing
    True

    References
    ----------
    Kakade, Shalev-Shwartz, Tewari. Efficient bandit algorithms for online multiclass prediction.
    ICML 2008.

    Deviation: draws are a hash of a seed and the round, see graphol.bases.draws.
    """

    name: ClassVar[str] = "banditron"

    @staticmethod
    def choose(best, K, draw, gamma):
        """The best class, or now and then any."""
        return explore(best, K, draw, gamma)

    @staticmethod
    def move(W, x, f, best, said, heard, gamma):
        """The best class away from x, and the played one towards it if it was right."""
        for i in entries(len(x)):
            W[best, i] -= x[i]
        if not heard:
            return 1
        p = chance(said, best, len(W), gamma)
        for i in entries(len(x)):
            W[said, i] += x[i] / p
        return 1 if said == best else 2

    def mistake_bound(self, game: Finished) -> MistakeBound:
        """In the mean over its draws."""
        return MistakeBound("banditron, in the mean", banditron(game, self.gamma), mean_only=True)
