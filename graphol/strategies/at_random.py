"""No strategy: every node is as good as any other."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Situation, Vector


@attrs.frozen
class Random:
    """Nodes drawn at random: what any other strategy has to beat.

    Examples
    --------
    >>> from graphol import Graph, Situation
    >>> nobody = Situation.unasked(Graph.from_edges("ab", "bc"), classes=2)
    >>> Random().values(nobody, np.random.default_rng(0)).round(2)
    array([0.64, 0.27, 0.04])
    """

    name: ClassVar[str] = "random"
    spreads: ClassVar[bool] = False

    def values(self, situation: Situation, rng: np.random.Generator) -> Vector:
        """Evenly drawn from 0 to 1."""
        return rng.random(situation.graph.n)

    def reason(self, situation: Situation, node: int) -> str:
        """There is none."""
        return "drawn at random"
