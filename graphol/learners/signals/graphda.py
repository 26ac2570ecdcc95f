"""Dual averaging with graph-structured sparsity."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.bases import HeadAndTail
from graphol.bases.steps import DualAveraging, dual_average
from graphol.standins import entries


@attrs.frozen
class GraphDA(DualAveraging, HeadAndTail):
    r"""Dual averaging whose weights live on a connected part of the graph.

    With :math:`\bar g_t` the mean gradient of the first t rounds, H a head and T a tail projection
    onto the weighted graph model,

    .. math::

        w_{t+1} = \operatorname{T}\Big({-\frac{\sqrt t}{\gamma}} \operatorname{H}(\bar g_t)\Big) .

    Signs have the logistic loss, numbers the squared one. The intercept is one more weight that is
    never projected. A round costs O(p) and two projections; the state is about 3p floats and the
    graph.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> path = signal_game()  # of 12 nodes, of which the first three matter
    >>> weights = graphol.simulate("graphda:s=3", path, repeats=1).weights[0]["last"]
    >>> weights[:-1].nonzero()[0].tolist()
    [0, 1, 2]

    References
    ----------
    Zhou, Chen, Ying. Dual averaging method for online graph-structured sparsity. KDD 2019.

    Deviation: the paper keeps the sum of gradients and has no intercept; the mean, the step
    :math:`\sqrt t / \gamma` and the intercept are its program's. The paper's forest has g trees,
    its program's one, and ours as many as ``projection`` is told.
    """

    name: ClassVar[str] = "graphda"

    @staticmethod
    def aim(model, x, by, t):
        """The mean gradient."""
        dual_average(model.dual, x, by, t)

    @staticmethod
    def move(model, part, t, gamma):
        """A step along its head; the intercept is not projected."""
        length = -np.sqrt(t + 1.0) / gamma
        for j in entries(len(part)):
            part[j] *= length
        model.w[-1] = length * model.dual[-1]
