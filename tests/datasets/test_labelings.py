"""Random labelings: nearest centres against all shortest paths, signs against their definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

from graphol.datasets.grid import pixel_grid
from graphol.datasets.labelings import by_centres, by_classes, nearest_centre, signs_of
from graphol.datasets.sbm import StochasticBlockModel
from graphol.errors import InputError, UsageError
from graphol.graph import Graph


def graphs():
    sparse = StochasticBlockModel(nodes=120, classes=3, degree_in=2, degree_out=1)
    weighted = Graph.from_edges([0, 1, 2, 3, 0], [1, 2, 3, 4, 4], [9.0, 0.1, 5.0, 2.0, 0.5])
    return {
        "grid": pixel_grid(7, 9, "grid"),
        "sbm": sparse.load(np.random.default_rng(0)).graph.largest_component(),
        "weighted ring": weighted,
        "path": Graph.from_edges(range(40), range(1, 41)),
    }


@pytest.mark.parametrize("name", graphs())
@pytest.mark.parametrize("seed", range(5))
def test_the_nearest_centre_is_the_first_of_those_with_the_fewest_edges(name, seed):
    graph, rng = graphs()[name], np.random.default_rng(seed)
    centres = rng.choice(graph.n, rng.integers(1, min(9, graph.n)), replace=False)
    hops = shortest_path(graph.adjacency, unweighted=True, indices=centres)  # (centres, n)
    assert nearest_centre(graph, centres).tolist() == np.argmin(hops, axis=0).tolist()


def test_every_class_has_one_sign_and_not_all_the_same():
    labels = np.array([0, 3, 3, 5, 0, 5, 3])  # 1, 2 and 4 do not occur
    graph = Graph.from_edges(range(6), range(1, 7)).labelled(labels)
    for seed in range(20):
        signs, notes = by_classes(graph, 4, np.random.default_rng(seed))
        assert signs.shape == (4, 7) and notes == ()
        for labeling in signs:
            of_class = [set(labeling[labels == k].tolist()) for k in (0, 3, 5)]
            assert all(len(each) == 1 for each in of_class) and set.union(*of_class) == {-1, 1}
        assert len({tuple(labeling) for labeling in signs.tolist()}) == 4


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_all_labelings_by_classes_are_found_and_no_more(classes):
    graph = Graph.from_edges(range(classes - 1), range(1, classes)).labelled(np.arange(classes))
    possible = {s for s in itertools.product((-1, 1), repeat=classes) if len(set(s)) == 2}
    signs, notes = by_classes(graph, len(possible), np.random.default_rng(0))
    assert {tuple(s) for s in signs.tolist()} == possible and notes == ()
    signs, notes = by_classes(graph, len(possible) + 3, np.random.default_rng(0))
    assert {tuple(s) for s in signs.tolist()} == possible
    assert notes == (f"only {len(possible)} of {len(possible) + 3} labelings are different",)


def test_labelings_by_centres_are_different_and_have_both_signs():
    signs, notes = by_centres(pixel_grid(6, 6, "grid"), 20, 5, np.random.default_rng(0))
    assert len({tuple(s) for s in signs.tolist()}) == 20 and notes == ()
    assert (np.abs(signs.sum(axis=1)) < 36).all()
    edge = Graph.from_edges(["a"], ["b"])
    signs, notes = by_centres(edge, 3, 2, np.random.default_rng(0))
    assert {tuple(s) for s in signs.tolist()} == {(-1, 1), (1, -1)}
    assert notes == ("only 2 of 3 labelings are different",)


def test_all_patterns_of_signs_are_equally_likely():
    rng = np.random.default_rng(0)
    drawn = [tuple(signs_of(3, rng).tolist()) for _ in range(6000)]
    counts = [drawn.count(pattern) for pattern in set(drawn)]
    assert len(counts) == 6 and max(abs(count - 1000) for count in counts) < 5 * 1000**0.5


def test_what_has_no_classes_is_refused_with_the_way_out():
    path = Graph.from_edges(range(3), range(1, 4), name="path")
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="path has no labels; labelings=centres needs none"):
        by_classes(path, 2, rng)
    with pytest.raises(InputError, match=r"path: 1 of 4 node.s. have no label"):
        by_classes(path.labelled([0, 1, -1, 0]), 2, rng)
    with pytest.raises(InputError, match="path has 1 class"):
        by_classes(path.labelled([2, 2, 2, 2], "abc"), 2, rng)
    with pytest.raises(UsageError, match="path: centres must be <= 4, the number of nodes, got 5"):
        by_centres(path, 2, 5, rng)
