"""Ridge regression per class from one bit, of which a right answer tells all."""

from __future__ import annotations

from typing import ClassVar

import attrs

from graphol.bases import PerClassBandit
from graphol.learners.nodes.oslg_bandit import OslgBandit
from graphol.params import param


@attrs.frozen
class RidgeBandit(PerClassBandit):
    r"""Ridge regression per class from one bit; a right answer teaches all classes.

    As ``oslg-bandit``: every class k has its own :math:`A_k`, at first :math:`bI`, and
    :math:`\arg\max_k w_k^\top x + \alpha \sqrt{x^\top A_k^{-1} x}` is played (ties: the lowest k),
    which learns :math:`\tau = \pm 1`. But who is right knows the label, and so that all others are
    wrong: after a right answer they learn :math:`\tau = -1` in the same way,

    .. math:: A_k \leftarrow A_k + x x^\top, \qquad
              w_k \leftarrow w_k + \frac{\tau - w_k^\top x}{1 + r}\, u, \qquad
              u = A_k^{-1} x, \; r = x^\top u .

    Scores are what the classes are worth, about between -1 and 1, and no probabilities; shares
    proportional to exp(3 score) serve as such. One round costs O(Kd²); the state is K(d² + d)
    floats. A right answer counts as K class models, a wrong one as 1.

    Parameters
    ----------
    b
        Ridge.
    alpha
        Width of the confidence bounds.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate("ridge-bandit", dataset="sbm", repeats=2).error_rate_mean < 0.2
    True

    References
    ----------
    Gu, Han. Online spectral learning on a graph with bandit feedback. ICDM 2014.

    Deviation: there only the class that was played learns.
    """

    name: ClassVar[str] = "ridge-bandit"
    tells_all: ClassVar[bool] = True
    b: float = param(1.0, above=0)
    alpha: float = param(0.05, least=0)
    value = staticmethod(OslgBandit.value)
    reach = staticmethod(OslgBandit.reach)
    weigh = staticmethod(OslgBandit.weigh)

    @property
    def width(self) -> float:
        """Of the confidence bounds, in units of sqrt(r)."""
        return self.alpha
