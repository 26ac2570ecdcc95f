"""Ask those first who have most neighbours still to be labelled."""

from typing import ClassVar

import attrs
import numpy as np

from graphol import Situation


@attrs.frozen
class Hubs:
    """The node with the heaviest edges to nodes without a label.

    Whatever is learnt of it, many hear of it first-hand. O(edges).
    """

    name: ClassVar[str] = "hubs"
    spreads: ClassVar[bool] = True

    def values(self, situation: Situation, rng: np.random.Generator) -> np.ndarray:
        """The weight of every node's edges to nodes without a label."""
        return situation.graph.adjacency @ (situation.labels < 0).astype(float)

    def reason(self, situation: Situation, node: int) -> str:
        """How many they are."""
        row = situation.graph.adjacency[[node]]
        return f"{int((situation.labels[row.indices] < 0).sum())} neighbours wait for a label"
