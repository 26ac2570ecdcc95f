"""MOLG-B: adaptive second-order learning from one bit."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Finished, MistakeBound
from graphol.bases import PerClassBandit
from graphol.bases.adaptive import Adaptive
from graphol.bounds import adaptive_played_ridge
from graphol.params import param


@attrs.frozen
class MolgB(Adaptive, PerClassBandit):
    r"""Second-order bandit: plays the most promising class and is told only right or wrong.

    Every class k has its own :math:`A_k`, at first :math:`bI`, and :math:`w_k`. With
    :math:`r_k = x^\top A_k^{-1} x` and :math:`f_k = w_k^\top x`, let

    .. math:: h_k = f_k (1 - r_k), \qquad s_k = \frac{r_k}{2 (1 - r_k)} .

    It plays :math:`\hat y = \arg\max_k h_k + \varepsilon \sqrt{s_k}` (ties: the lowest k): the
    score, plus a bonus for what it does not know. Told whether that was right, it changes the
    played class alone, if it was wrong or unsure (:math:`h_{\hat y} < \varphi s_{\hat y}`):

    .. math:: A_k^{-1} \leftarrow A_k^{-1} - u u^\top, \qquad
              w_k \leftarrow w_k + (\pm 1 - f_k)\, u, \qquad u = A_k^{-1} x, \; k = \hat y .

    One round costs O(Kd²); the state is K(d² + d) floats. An updated round counts as one class
    model.

    Parameters
    ----------
    exploration
        Weight of the bonus for uncertainty, the ε above.

    Examples
    --------
    >>> import graphol
    >>> bit = graphol.simulate("molg-b", dataset="sbm", repeats=2)
    >>> label = graphol.simulate("molg-f", dataset="sbm", repeats=2)
    >>> label.error_rate_mean < bit.error_rate_mean < 0.1  # what a bit costs, of four classes
    True

    References
    ----------
    Yang, Zhao, Gao. Bandit online learning on graphs via adaptive optimization. IJCAI 2018.

    Deviation: the paper keeps A_k and solves; we keep the inverses and the products with them.
    """

    name: ClassVar[str] = "molg-b"
    exploration: float = param(0.05, least=0)

    @staticmethod
    def value(f, r, exploration):
        """The shrunk score and a bonus for what is not known."""
        if not r < 1:
            return np.nan
        return f * (1 - r) + exploration * np.sqrt(r / (2 * (1 - r)))

    @staticmethod
    def reach(f, most, exploration):
        """The shrunk score without bonus, and with the largest."""
        if most >= 1:
            return -np.inf, np.inf
        bonus = exploration * np.sqrt(most / (2 * (1 - most)))
        return min(f, f * (1 - most)), max(f, f * (1 - most)) + bonus

    @staticmethod
    def weigh(f, r, right, phi):
        """Wrong, or score below phi times the uncertainty: a = 1/(1-r), whose gain is 1."""
        if not r < 1:
            return np.nan
        if right and f * (1 - r) >= phi * r / (2 * (1 - r)):
            return 0.0
        return 1.0

    def mistake_bound(self, game: Finished) -> MistakeBound:
        """Of weighted ridge regression on what was played."""
        return MistakeBound("adaptive ridge", adaptive_played_ridge(game, self.b))
