"""OSLG-Bandit: online spectral learning from one bit."""

from __future__ import annotations

import math
from typing import ClassVar

import attrs

from graphol.api import Finished, MistakeBound
from graphol.bases import PerClassBandit
from graphol.bounds import played_ridge
from graphol.params import param


@attrs.frozen
class OslgBandit(PerClassBandit):
    r"""Ridge regression per class with upper confidence bounds; told only right or wrong.

    Every class k has its own :math:`A_k`, at first :math:`bI`, and :math:`w_k`. It plays

    .. math:: \hat y = \arg\max_k w_k^\top x + \alpha \sqrt{x^\top A_k^{-1} x}

    (ties: the lowest k) and in every round the played class learns :math:`\tau = \pm 1`:

    .. math:: A_k \leftarrow A_k + x x^\top, \qquad
              w_k \leftarrow w_k + \frac{\tau - w_k^\top x}{1 + r}\, u, \qquad
              u = A_k^{-1} x, \; r = x^\top u, \; k = \hat y .

    One round costs O(Kd²); the state is K(d² + d) floats. Every round counts as one class model.

    Parameters
    ----------
    b
        Ridge.
    alpha
        Width of the confidence bounds.

    Examples
    --------
    >>> import graphol
    >>> row = graphol.simulate("oslg-bandit", dataset="sbm", repeats=2).row()
    >>> row["error_rate_mean"] < 0.2, row["updates_mean"] == row["rounds"]
    (True, True)

    References
    ----------
    Gu, Han. Online spectral learning on a graph with bandit feedback. ICDM 2014.

    Deviation: its full text was not at hand; this is the reading that gives the error rates which
    Yang, Zhao, Gao (IJCAI 2018) print for OSLG-Bandit, on their data.
    """

    name: ClassVar[str] = "oslg-bandit"
    b: float = param(1.0, above=0)
    alpha: float = param(0.05, least=0)

    @property
    def width(self) -> float:
        """Of the confidence bounds, in units of sqrt(r)."""
        return self.alpha

    @staticmethod
    def value(f, r, width):
        """The score and the width of its confidence interval."""
        return f + width * math.sqrt(max(r, 0.0))

    @staticmethod
    def reach(f, most, width):
        """The score, without and with the widest interval."""
        return f, f + width * math.sqrt(most)

    @staticmethod
    def weigh(f, r, right):
        """Ridge regression in every round, a = 1."""
        return 1.0 / (1.0 + max(r, 0.0))

    def mistake_bound(self, game: Finished) -> MistakeBound:
        """Of ridge regression on what was played."""
        return MistakeBound("ridge", played_ridge(game, self.b))
