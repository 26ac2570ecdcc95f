"""Stochastic iterative hard thresholding on a graph."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.bases import HeadAndTail
from graphol.bases.steps import GradientSteps
from graphol.standins import entries


@attrs.frozen
class GraphStoIht(GradientSteps, HeadAndTail):
    r"""Stochastic gradient steps whose weights live on a connected part of the graph.

    With H a head and T a tail projection onto the weighted graph model,

    .. math:: w_{t+1} = \operatorname{T}\Big(w_t - \frac{\eta}{\sqrt t} \operatorname{H}(g_t)\Big) .

    A round costs O(p) and two projections.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> numbers = signal_game("real", rounds=600)  # it looks at one gradient, so it needs many
    >>> graphol.simulate("graph-stoiht:s=3", numbers, repeats=1).row()["f1_mean"]
    1.0

    References
    ----------
    Zhou, Chen, Ying. Stochastic iterative hard thresholding for graph-structured sparsity
    optimization. ICML 2019.

    Deviation: one sample per step and the step size :math:`\eta / \sqrt t`; the intercept stays 0,
    since the head projection drops it. All three are as in the program of the same authors' KDD
    2019 paper.
    """

    name: ClassVar[str] = "graph-stoiht"

    @staticmethod
    def aim(model, x, by, t):
        """The gradient itself."""
        for j in entries(len(x)):
            model.dual[j] = x[j] * by

    @staticmethod
    def move(model, part, t, eta):
        """A step along its head; nothing is left of the gradient."""
        length = eta / np.sqrt(t + 1.0)
        for j in entries(len(part)):
            part[j] = model.w[j] - length * part[j]
        model.dual[:] = 0.0
