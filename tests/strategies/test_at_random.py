"""The baseline draws evenly."""

import numpy as np

from graphol import Graph, Situation
from graphol.strategies.at_random import Random


def test_every_node_comes_first_as_often():
    """Chi-square over 3000 draws among 5 nodes: 99.9 % of honest lotteries stay below 18.5."""
    situation = Situation.unasked(Graph.from_edges("abcd", "bcde"), classes=2)
    rng = np.random.default_rng(0)
    first = [int(Random().values(situation, rng).argmax()) for _ in range(3000)]
    counts = np.bincount(first, minlength=5)
    assert ((counts - 600) ** 2 / 600).sum() < 18.5
