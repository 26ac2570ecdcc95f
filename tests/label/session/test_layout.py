"""Places of a small graph's nodes, against what they are to minimise."""

import networkx as nx
import numpy as np
import pytest

from graphol import Graph
from graphol.label.session.around import ALL, NEAR, around
from graphol.label.session.layout import distances, layout, stress


def adjacency(graph: nx.Graph) -> np.ndarray:
    return nx.to_numpy_array(graph).astype(bool)


@pytest.mark.parametrize("seed", range(5))
def test_distances_are_those_of_the_graph(seed):
    graph = nx.connected_watts_strogatz_graph(18, 4, 0.3, seed=seed)
    found = distances(adjacency(graph))
    wanted = dict(nx.all_pairs_shortest_path_length(graph))
    assert all(found[i, j] == wanted[i][j] for i in graph for j in graph)


@pytest.mark.parametrize("seed", range(5))
def test_more_steps_are_less_stress(seed):
    """Up to the scale of the picture, of which the best one is taken."""
    joined = adjacency(nx.connected_watts_strogatz_graph(20, 4, 0.2, seed=seed))
    d = distances(joined)
    off = ~np.eye(len(d), dtype=bool)
    least = []
    for steps in (0, 2, 10, 40):
        places = layout(joined, steps)
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)[off] / d[off]
        least.append(stress(apart.sum() / (apart**2).sum() * places, d))
    assert least == sorted(least, reverse=True) and least[-1] < 0.5 * least[0]


def test_a_path_is_drawn_as_a_line():
    places = layout(adjacency(nx.path_graph(4)), 300)
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    np.testing.assert_allclose(steps, steps.mean(), rtol=0.02)


def test_a_picture_fills_its_room_and_is_the_same_every_time():
    joined = adjacency(nx.karate_club_graph())
    places = layout(joined)
    assert np.abs(places).max() == pytest.approx(1.0)
    np.testing.assert_array_equal(places, layout(joined))
    assert layout(np.zeros((1, 1), dtype=bool)).tolist() == [[0.0, 0.0]]


def test_what_lies_around_a_node():
    rng = np.random.default_rng(0)
    star = Graph.from_edges(["hub"] * 40, [f"leaf{i}" for i in range(40)], rng.uniform(0.1, 1, 40))
    found = around(star, star.index("hub"))
    weights = star.adjacency[[star.index("hub")]].toarray().ravel()
    strongest = np.argsort(-weights)[:NEAR]
    assert set(found.nodes[1:]) == set(strongest) and found.near == NEAR
    assert found.more == 40 - NEAR and len(found.nodes) == NEAR + 1
    leaf = around(star, int(strongest[0]))
    assert leaf.nodes[1] == star.index("hub") and leaf.near == 1
    assert len(leaf.nodes) <= ALL and leaf.more == 0
    joined = {frozenset(leaf.nodes[[a, b]].tolist()) for a, b in leaf.edges}
    pairs = {frozenset((a, b)) for a in leaf.nodes.tolist() for b in leaf.nodes.tolist() if a != b}
    assert joined == {p for p in pairs if star.adjacency[tuple(p)] > 0}


def test_an_isolated_node_is_alone():
    graph = Graph.from_edges("ab", "bc", ids=tuple("abcd"))
    assert around(graph, 3).nodes.tolist() == [3] and around(graph, 3).edges == ()
