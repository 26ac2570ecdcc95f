"""Confidit: confidence bounds for bandit multi-class classification."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Finished, MistakeBound
from graphol.bases import PerClassBandit
from graphol.bounds import played_ridge
from graphol.learners.nodes.oslg_bandit import OslgBandit
from graphol.params import param


@attrs.frozen
class Confidit(PerClassBandit):
    r"""Second-order perceptron per class with upper confidence bounds, for any unit vectors.

    Every class k has :math:`A_k`, at first :math:`(1 + \alpha)^2 I`, and :math:`w_k`. It plays

    .. math:: \hat y = \arg\max_k w_k^\top x + \epsilon_k, \qquad
              \epsilon_k^2 = \eta\, x^\top A_k^{-1} x

    (ties: the lowest k), and in every round the played class learns :math:`\pm 1`:
    :math:`A_k \leftarrow A_k + x x^\top`, :math:`w_k \leftarrow A_k^{-1}(A_k^{old} w_k \pm x)`.
    One round costs O(Kd²); the state is K(d² + d) floats. Every round counts as one class model.

    Parameters
    ----------
    alpha
        Parameter of the label noise model; sets where A starts.
    eta
        Squared width of the confidence bounds.

    Examples
    --------
    >>> import graphol
    >>> confidit, oslg = (
    ...     graphol.simulate(learner, dataset="sbm", repeats=2)
    ...     for learner in ("confidit:alpha=0,eta=0.0025", "oslg-bandit:b=1,alpha=0.05")
    ... )
    >>> confidit.error_rates.tolist() == oslg.error_rates.tolist()  # with equal ridge and width
    True

    References
    ----------
    Crammer, Gentile. Multiclass classification with bandit feedback using adaptive
    regularization. Machine Learning, 2013.

    Deviation: this is the form used in practice, as in public implementations: one tuned η in
    place of the paper's width, which grows with log t and holds unknown constants, and no
    projection of the scores onto the noise model's range. So the paper's bound does not apply.
    """

    name: ClassVar[str] = "confidit"
    alpha: float = param(1.0, above=-1, most=1)
    eta: float = param(0.01, least=0)
    value = staticmethod(OslgBandit.value)
    reach = staticmethod(OslgBandit.reach)
    weigh = staticmethod(OslgBandit.weigh)

    @property
    def ridge(self) -> float:
        """Where A_k starts, as a multiple of I."""
        return (1 + self.alpha) ** 2

    @property
    def width(self) -> float:
        """Of the confidence bounds, in units of sqrt(r)."""
        return float(np.sqrt(self.eta))

    def mistake_bound(self, game: Finished) -> MistakeBound:
        """Of ridge regression on what was played; not the paper's."""
        return MistakeBound("ridge", played_ridge(game, self.ridge))
