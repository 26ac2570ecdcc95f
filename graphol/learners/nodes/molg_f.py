"""MOLG-F: adaptive second-order learning from full information."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Finished, MistakeBound
from graphol.bases import SharedInverse
from graphol.bases.inverse import precision_param, rival
from graphol.bases.ridge import LeverageBelowOne
from graphol.bounds import adaptive_perceptron
from graphol.params import param


@attrs.frozen
class MolgF(LeverageBelowOne, SharedInverse):
    r"""Second-order learner that updates on mistakes and on unsure rounds; sees every label.

    All classes share :math:`A`, at first :math:`bI`. With :math:`r = x^\top A^{-1} x` and scores
    :math:`f_k = w_k^\top x` it predicts :math:`\hat y = \arg\max_k f_k` (ties: the lowest k). When
    the label y comes, let j be the best-scored wrong class. It updates if it was wrong, or if its
    margin is small against its uncertainty,

    .. math:: (f_y - f_j)(1 - r) < \varphi \, \frac{r}{2 (1 - r)} ,

    with the adaptive weight :math:`a = 1/(1 - r)` on this round:
    :math:`A \leftarrow A + a\, x x^\top` and, with targets :math:`\tau_y = 1`, :math:`\tau_j = -1`
    and 0 for all others,

    .. math:: A^{-1} \leftarrow A^{-1} - u u^\top, \qquad
              w_k \leftarrow w_k + (\tau_k - f_k)\, u, \qquad u = A^{-1} x .

    (The Sherman-Morrison factor a / (1 + a r) is exactly 1.) One round costs O(d² + Kd); the state
    is d² + Kd floats. An updated round counts as two class models.

    Parameters
    ----------
    b
        Ridge; must be > max ||x||², which keeps r < 1.
    phi
        How unsure is unsure: 0 updates on mistakes only.
    precision
        ``single`` halves memory and time of the matrix products; good for one pass over the data.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("molg-f", dataset="sbm", repeats=2).error_rate_mean < 0.1
    True

    References
    ----------
    Yang, Zhao, Gao. Bandit online learning on graphs via adaptive optimization. IJCAI 2018.

    Deviation: the paper keeps A and solves; we keep its inverse and the products with it.
    """

    name: ClassVar[str] = "molg-f"
    b: float = param(10.0, above=0)
    phi: float = param(10.0, least=0)
    precision: str = precision_param()

    @staticmethod
    def decide(f, r, best, y, tau, phi):
        """Wrong, or margin below phi times the uncertainty: a = 1/(1-r), whose gain is 1."""
        if not r < 1:
            return np.nan, 0
        j = rival(f, y)
        if best == y and (f[y] - f[j]) * (1 - r) >= phi * r / (2 * (1 - r)):
            return 0.0, 0
        tau[:] = 0.0
        tau[y] = 1.0
        tau[j] = -1.0
        return 1.0, 2

    def mistake_bound(self, game: Finished) -> MistakeBound:
        """The second-order perceptron's, with weights."""
        value = adaptive_perceptron(game, self.b, self.phi)
        return MistakeBound("adaptive second-order perceptron", value)
