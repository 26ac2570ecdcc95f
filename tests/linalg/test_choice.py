"""What the choice of an eigensolver knows about a graph."""

import numpy as np
import pytest

from graphol.datasets.grid import pixel_grid
from graphol.linalg.choice import choose
from graphol.testing.games import blocks


@pytest.mark.parametrize("graph", [
    pixel_grid(31, 40, "grid"), pixel_grid(1, 700, "path"),
    blocks(700, isolated=False).largest_component(),
], ids=lambda graph: graph.name)  # fmt: skip
def test_a_graph_is_as_deep_as_its_furthest_node_is_far_away(graph):
    """Against powers of the adjacency matrix: the steps until nothing new is reached."""
    reached, steps = np.arange(graph.n) == 0, 0
    while not reached.all():
        reached, steps = reached | (graph.adjacency @ reached > 0), steps + 1
    why = choose(graph.laplacian("normalized"), 10, 2.0, 1.0).why
    assert f"{graph.n} nodes, {steps} steps deep" in why
