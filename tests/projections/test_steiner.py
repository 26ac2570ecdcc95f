"""The compiled Steiner forest against its slow twin, the optimum, and itself relabelled."""

import numpy as np
import pytest

from graphol.errors import GrapholError, InputError, UsageError
from graphol.projections import Steiner, steiner_forest
from graphol.projections.steiner import PRUNINGS
from graphol.testing import steiner as slow


def wild(n, k, *, ties=False):
    """The k-th strange instance on n nodes: prizes, edges, costs."""
    rng = np.random.default_rng([n, k])
    m = int(rng.integers(0, 3 * n))
    edges = rng.integers(0, n, size=(m, 2))
    edges = edges[edges[:, 0] != edges[:, 1]]
    costs = rng.random(len(edges)) + 0.01
    if ties:
        costs = np.round(4 * costs) / 4
    prizes = rng.exponential(size=n) * rng.choice([0.1, 0.5, 2.0])
    prizes[rng.random(n) < 0.3] = 0.0
    return prizes, edges, costs


def grid(side, k):
    """A grid whose edges all cost the same."""
    node = np.arange(side * side).reshape(side, side)
    across = np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()], axis=1)
    down = np.stack([node[:-1].ravel(), node[1:].ravel()], axis=1)
    edges = np.concatenate([across, down])
    prizes = np.random.default_rng(k).normal(size=side * side) ** 2
    return prizes, edges, np.ones(len(edges))


def objective(prizes, costs, forest, weight=1.0):
    outside = np.setdiff1d(np.arange(len(prizes)), forest.nodes)
    return costs[forest.edges].sum() + weight * prizes[outside].sum()


def assert_is_a_forest(n, edges, forest, g, root):
    """Edges join chosen nodes, there is no cycle, and there are at most g trees."""
    assert np.array_equal(forest.nodes, np.unique(forest.nodes))
    assert np.isin(edges[forest.edges], forest.nodes).all()
    label = list(range(n))
    for u, v in edges[forest.edges]:
        assert label[u] != label[v], "a cycle"
        label = [label[v] if name == label[u] else name for name in label]
    trees = len({label[v] for v in forest.nodes})
    assert trees == len(forest.nodes) - len(forest.edges)
    assert trees <= (1 if root is not None else g)
    assert root is None or root in forest.nodes


@pytest.mark.parametrize("pruning", ["none", "simple", "gw"])
@pytest.mark.parametrize("k", range(60))
def test_equals_the_slow_twin(k, pruning):
    n = 2 + k % 14
    prizes, edges, costs = wild(n, k)
    g, root = 1 + k % min(3, n), (k % n if k % 4 == 0 else None)
    found = steiner_forest(prizes, edges, costs, g=g, root=root, pruning=pruning)
    nodes, chosen = slow.steiner_forest(prizes, edges, costs, g, root, pruning)
    assert found.nodes.tolist() == nodes
    assert found.edges.tolist() == chosen


@pytest.mark.parametrize("pruning", ["gw", "strong"])
@pytest.mark.parametrize("k", range(40))
def test_keeps_the_guarantee(k, pruning):
    """c(F) + r pi(outside F) <= r times the optimum; r = 2 - 1/(n - 1) with a root, 2 without.

    Strong pruning may give up more prizes than it saves r times, so r is 1 on the left.
    """
    n = 10 if k == 39 else 3 + k % 6
    prizes, edges, costs = wild(n, k, ties=k % 2 == 1)
    for g, root in ((1, None), (2, None), (1, k % n)):
        found = steiner_forest(prizes, edges, costs, g=g, root=root, pruning=pruning)
        assert_is_a_forest(n, edges, found, g, root)
        best = slow.best_forest(prizes, edges, costs, g if root is None else 1, root)
        ratio = 2 - 1 / (n - 1) if root is not None else 2.0
        weight = ratio if pruning == "gw" else 1.0
        assert objective(prizes, costs, found, weight) <= ratio * best + 1e-9


@pytest.mark.parametrize("k", range(30))
def test_strong_pruning_takes_the_best_subtree(k):
    n = 3 + k % 6
    prizes, edges, costs = wild(n, k)
    tree = steiner_forest(prizes, edges, costs, pruning="simple")
    found = steiner_forest(prizes, edges, costs, pruning="strong")
    assert set(found.edges) <= set(tree.edges)
    inside = (edges[tree.edges], costs[tree.edges])
    subtrees = slow.spanning_forests(n, *inside, 1)
    gains = (
        prizes[list(nodes)].sum() - cost
        for nodes, cost in subtrees
        if nodes and nodes <= set(tree.nodes)
    )
    best = max(gains, default=0.0)
    assert prizes[found.nodes].sum() - costs[found.edges].sum() == pytest.approx(best)


@pytest.mark.parametrize("pruning", PRUNINGS)
@pytest.mark.parametrize("k", range(12))
def test_lazy_equals_eager(k, pruning):
    """Ties included: a grid whose edges cost the same has nothing else."""
    prizes, edges, costs = grid(9, k) if k % 2 else wild(40, k, ties=k % 4 == 0)
    solver = Steiner(len(prizes), edges, costs)
    root = k if k % 3 == 0 else None
    for scale in (0.01, 0.3, 1.0, 2.0, 5.0, 100.0):
        lazy = solver.solve(prizes, scale=scale, g=1 + k % 3, root=root, pruning=pruning)
        eager = solver.solve(
            prizes, scale=scale, g=1 + k % 3, root=root, pruning=pruning, lazy=False
        )
        assert np.array_equal(lazy.nodes, eager.nodes)
        assert np.array_equal(lazy.edges, eager.edges)


@pytest.mark.parametrize("pruning", PRUNINGS)
@pytest.mark.parametrize("k", range(12))
def test_relabelling_nodes_and_edges_relabels_the_answer(k, pruning):
    prizes, edges, costs = wild(30, k)
    rng = np.random.default_rng(k)
    to, order = rng.permutation(30), rng.permutation(len(edges))
    one = steiner_forest(prizes, edges, costs, g=2, pruning=pruning)
    moved = np.empty(30)
    moved[to] = prizes
    two = steiner_forest(moved, to[edges[order]][:, ::-1], costs[order], g=2, pruning=pruning)
    assert np.array_equal(np.sort(to[one.nodes]), two.nodes)
    assert np.array_equal(one.edges, np.sort(order[two.edges]))


def test_a_workspace_forgets():
    """A hundred calls with one workspace give what fresh ones give."""
    prizes, edges, costs = grid(8, 0)
    solver = Steiner(64, edges, costs)
    rng = np.random.default_rng(0)
    for _ in range(100):
        prizes = rng.exponential(size=64) * (rng.random(64) < 0.6)
        scale = float(rng.exponential())
        kept = solver.solve(prizes, scale=scale)
        fresh = Steiner(64, edges, costs).solve(prizes, scale=scale)
        assert np.array_equal(kept.nodes, fresh.nodes) and np.array_equal(kept.edges, fresh.edges)


@pytest.mark.parametrize("k", range(8))
def test_a_heap_that_is_swept_at_every_event_changes_nothing(k):
    prizes, edges, costs = grid(9, k) if k % 2 else wild(40, k, ties=k % 4 == 0)
    roomy, full = (Steiner(len(prizes), edges, costs) for _ in range(2))
    full.work = full.work._replace(events=full.work.events[: len(prizes) + len(edges)].copy())
    for scale in (0.3, 1.0, 2.0, 5.0):
        one, two = (solver.solve(prizes, scale=scale, g=1 + k % 3) for solver in (roomy, full))
        assert np.array_equal(one.nodes, two.nodes) and np.array_equal(one.edges, two.edges)


def test_a_workspace_outlives_its_epochs():
    prizes, edges, costs = grid(8, 0)
    solver = Steiner(64, edges, costs)
    usual = solver.solve(prizes)
    solver.work.counts[0] = 2**31 - 3
    for _ in range(6):
        assert np.array_equal(solver.solve(prizes).nodes, usual.nodes)


@pytest.mark.parametrize(
    ("prizes", "options", "says"),
    [
        ([1.0], {}, "3 prizes are needed, one per node, got 1"),
        ([1.0, np.nan, 1.0], {}, "prize 1 is not finite"),
        ([1.0, -1.0, 1.0], {}, "prize 1 is negative"),
        (["1", "2", "3"], {}, "prizes must be numbers"),
        ([1, 2, 10**400], {}, "prizes must be numbers"),
        ([1, 2, 3], {"scale": np.nan}, "scale must be > 0"),
        ([1, 2, 3], {"scale": -1.0}, "scale must be > 0"),
        ([1, 2, 3], {"pruning": None}, "unknown pruning None"),
    ],
)
def test_a_kept_solver_checks_what_it_is_given(prizes, options, says):
    solver = Steiner(3, [(0, 1), (1, 2)], [1.0, 1.0])
    with pytest.raises(GrapholError, match=says) as caught:
        solver.solve(prizes, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("unit", [1e-310, 1e-200, 1e140])
def test_extreme_units_end(unit):
    """Numbers so small that halves of them are 0 used to keep other programs busy for ever."""
    prizes, edges, costs = wild(20, 3)
    found = steiner_forest(prizes * unit, edges, costs * unit)
    usual = steiner_forest(prizes, edges, costs)
    assert unit < 1e-300 or np.array_equal(found.nodes, usual.nodes)
    steiner_forest(prizes, edges, costs * unit)
    steiner_forest(prizes * unit, edges, costs)


def test_nothing_to_win_is_nothing_chosen():
    assert steiner_forest([0, 0], [(0, 1)], [1]).nodes.tolist() == []
    assert steiner_forest([0, 0], [(0, 1)], [1], root=1).nodes.tolist() == [1]
    assert steiner_forest([0, 3, 2], [], []).nodes.tolist() == [1]
    assert steiner_forest([1, 3, 2], [], [], g=2).nodes.tolist() == [1, 2]
    assert steiner_forest([1.0], [], []).nodes.tolist() == [0]


PATH = [(0, 1), (1, 2)]


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        (([1, np.nan, 1], PATH, [1, 1]), {}, "prize 1 is not finite: nan"),
        (([1, np.inf, 1], PATH, [1, 1]), {}, "prize 1 is not finite: inf"),
        (([1, -2, 1], PATH, [1, 1]), {}, "prize 1 is negative: -2"),
        (([1, 1, 1e200], PATH, [1, 1]), {}, "prize 2 is above 1e+150"),
        (([1, 1, 1], PATH, [1, -1]), {}, "cost 1 is negative: -1"),
        (([1, 1, 1], PATH, [np.nan, 1]), {}, "cost 0 is not finite: nan"),
        (([1, 1, 1], PATH, [1]), {}, "costs must be 2 numbers, one per edge"),
        (([1, 1, 1], [(0, 1), (1, 3)], [1, 1]), {}, "edge 1 joins 1 and 3, but the nodes are 0..2"),
        (([1, 1, 1], [(0, -1)], [1]), {}, "edge 0 joins 0 and -1"),
        (([1, 1, 1], [(1, 1)], [1]), {}, "edge 0 joins node 1 to itself"),
        (([1, 1, 1], [(0.5, 1)], [1]), {}, "pairs of whole numbers"),
        (([1, 1, 1], [0, 1], [1]), {}, "pairs of nodes"),
        ((["a"], [], []), {}, "prizes must be numbers"),
        (([], [], []), {}, "the graph is empty"),
        (([1, 1, 1], PATH, [1, 1]), {"g": 0}, "g must be >= 1 and <= 3"),
        (([1, 1, 1], PATH, [1, 1]), {"g": 4}, "g must be >= 1 and <= 3"),
        (([1, 1, 1], PATH, [1, 1]), {"g": 1.5}, "whole numbers"),
        (([1, 1, 1], PATH, [1, 1]), {"root": 3}, "root must be one of 0..2, got 3"),
        (([1, 1, 1], PATH, [1, 1]), {"pruning": "storng"}, "did you mean 'strong'?"),
    ],
)  # fmt: skip
def test_bad_input_is_one_helpful_line(arguments, options, says):
    with pytest.raises(GrapholError) as caught:
        steiner_forest(*arguments, **options)
    assert says in str(caught.value) and "\n" not in str(caught.value)
    assert isinstance(caught.value, UsageError if options else InputError)
