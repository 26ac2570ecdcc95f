"""Adam: adaptive moments."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.bases.steps import ScaledSteps
from graphol.params import param
from graphol.standins import entries


def moments(first, second, g, beta1, beta2):
    """Mean and mean square of the gradient, of one weight or of all, with g taken in."""
    return beta1 * first + (1.0 - beta1) * g, beta2 * second + (1.0 - beta2) * g * g


def step(alpha, first, second, epsilon):
    """How far a weight moves, by its corrected moments."""
    return alpha * first / (np.sqrt(second) + epsilon)


@attrs.frozen
class Adam(ScaledSteps):
    r"""Gradient steps scaled by running moments of the gradient; no sparsity at all.

    .. math:: m \leftarrow \beta_1 m + (1 - \beta_1) g, \quad
        v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \quad
        w \leftarrow w - \frac{\alpha m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon} .

    O(p) a round.

    Parameters
    ----------
    alpha
        Step size > 0.
    beta1, beta2
        How slowly the moments forget; >= 0 and < 1.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> graphol.simulate("adam", signal_game(), repeats=1).row()["nonzero_ratio_mean"]
    1.0

    References
    ----------
    Kingma, Ba. Adam: a method for stochastic optimization. ICLR 2015.
    """

    name: ClassVar[str] = "adam"
    alpha: float = param(0.01, above=0)
    beta1: float = param(0.9, least=0, below=1)
    beta2: float = param(0.999, least=0, below=1)

    @staticmethod
    def move(model, x, by, t, alpha, beta1, beta2, epsilon):
        """Both moments, each corrected for having begun at 0."""
        w, first, second, p = model.w, model.dual, model.second, len(x)
        begun, squared = 1.0 - beta1 ** (t + 1.0), 1.0 - beta2 ** (t + 1.0)
        for j in entries(p):
            first[j], second[j] = moments(first[j], second[j], x[j] * by, beta1, beta2)
            w[j] -= step(alpha, first[j] / begun, second[j] / squared, epsilon)
        first[p], second[p] = moments(first[p], second[p], by, beta1, beta2)
        w[p] -= step(alpha, first[p] / begun, second[p] / squared, epsilon)
        return True
