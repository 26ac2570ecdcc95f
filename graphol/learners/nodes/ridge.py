"""Ridge regression to the indicators of the classes, in every round."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.bases import SharedInverse
from graphol.params import param


@attrs.frozen
class Ridge(SharedInverse):
    r"""Least squares with a ridge, in every round: one model per class, one inverse; every label.

    All classes share :math:`A = bI + \sum x x^\top`, at first :math:`bI`. With
    :math:`u = A^{-1} x` and :math:`r = x^\top u` every label y moves every class k to
    :math:`\tau_k = 1` for k = y and 0 otherwise,

    .. math:: A \leftarrow A + x x^\top, \qquad
              w_k \leftarrow w_k + \frac{\tau_k - w_k^\top x}{1 + r}\, u ,

    and :math:`\arg\max_k w_k^\top x` is predicted (ties: the lowest k). The order of the labels
    does not matter. Scores are probabilities: :math:`w_k^\top x` estimates that of class k; what is
    negative counts as 0, and all are divided by their sum. One round costs O(d² + Kd); the state is
    d² + Kd floats. Every round counts as K class models.

    Parameters
    ----------
    b
        Ridge.

    Examples
    --------
    >>> import graphol
    >>> ridge, oslg = (graphol.simulate(x, dataset="sbm", repeats=2) for x in ("ridge", "oslg"))
    >>> ridge.error_rate_mean < oslg.error_rate_mean  # which learns on mistakes only
    True

    References
    ----------
    Azoury, Warmuth. Relative loss bounds for on-line density estimation with the exponential
    family of distributions. Machine Learning, 2001.
    """

    name: ClassVar[str] = "ridge"
    b: float = param(1.0, above=0)

    @staticmethod
    def decide(f, r, best, y, tau):
        """Always, with a = 1."""
        tau[y] = 1.0
        return 1.0 / (1.0 + max(r, 0.0)), len(f)

    @staticmethod
    def show(f):
        """Probabilities."""
        p = np.maximum(f, 0.0)
        total = p.sum()
        return p / total if total > 0.0 else p
