"""MSG: multi-class selective sampling on graphs."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.bases import SharedInverse
from graphol.bases.inverse import rival
from graphol.params import param


@attrs.frozen
class Msg(SharedInverse):
    r"""Second-order learner that asks at random, less often the surer it is.

    All classes share :math:`A`, at first :math:`bI`. With scores :math:`f_k = w_k^\top x`,
    :math:`r = x^\top A^{-1} x` and j the runner-up of :math:`\hat y = \arg\max_k f_k`, it is sure
    by :math:`s = \max(0, f_{\hat y} - f_j - c \sqrt r)`, margin less uncertainty, and asks with
    probability :math:`\delta / (\delta + s)`. Told y, with j now the best wrong class, it updates
    on mistakes and, being aggressive, whenever :math:`f_y - f_j < c \sqrt r`:

    .. math:: A \leftarrow A + x x^\top, \qquad
              w_k \leftarrow w_k + \frac{\tau_k - f_k}{1 + r}\, u, \qquad u = A^{-1} x ,

    with :math:`\tau_y = 1`, :math:`\tau_j = -1` and 0 for the others. One round costs O(d² + Kd).
    An updated round counts as two class models. Under full feedback only what it asked is used.

    Parameters
    ----------
    b
        Ridge.
    delta
        How willingly it asks; large values ask always.
    c
        Weight of the uncertainty.

    Examples
    --------
    >>> import graphol
    >>> result = graphol.simulate("msg", dataset="sbm", repeats=2)
    >>> result.row()["queries_mean"] < 0.5 * result.row()["rounds"]
    True

    References
    ----------
    Yang, Zhao, Hai, Liu, Hoi, Li. Efficient multi-class selective sampling on graphs. UAI 2016.

    Deviation: the paper's text was not at hand. Its abstract names a randomised query on margin and
    uncertainty and an aggressive update; the formulas above are our derivation from that, in the
    form of the selective-sampling perceptron (Cesa-Bianchi, Gentile, Zaniboni, JMLR 2006).
    """

    name: ClassVar[str] = "msg"
    feedback: ClassVar[str] = "selective"
    b: float = param(1.0, above=0)
    delta: float = param(0.1, above=0)
    c: float = param(0.1, least=0)

    @staticmethod
    def ask(f, r, best, t, draw, delta, c):
        """With probability delta / (delta + sure), sure = margin less its uncertainty."""
        sure = f[best] - f[rival(f, best)] - c * np.sqrt(max(r, 0.0))
        return draw * (delta + max(sure, 0.0)) < delta

    @staticmethod
    def decide(f, r, best, y, tau, c):
        """Wrong, or margin below its uncertainty: the true class and its rival, with a = 1."""
        j = rival(f, y)
        if best == y and f[y] - f[j] >= c * np.sqrt(max(r, 0.0)):
            return 0.0, 0
        tau[y] = 1.0
        tau[j] = -1.0
        return 1.0 / (1.0 + max(r, 0.0)), 2
