"""A planted pathway: it is connected, it is shifted by mu, and nothing else is."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import graphol
from graphol import testing
from graphol.datasets.synthetic_pathway import grown, neighbourhood
from graphol.errors import InputError, UsageError
from graphol.formats import from_networkx, write_npz


def as_networkx(graph):
    return nx.from_scipy_sparse_array(graph.adjacency)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A data folder whose condmat2005 is a small random graph with a second component."""
    graph = nx.barabasi_albert_graph(150, 2, seed=1)
    nx.add_path(graph, range(150, 160))
    write_npz(from_networkx(graph), tmp_path / "condmat2005.npz")
    monkeypatch.setenv("GRAPHOL_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def load(spec="", seed=0):
    made = graphol.make("dataset", f"synthetic-pathway:nodes=100,size=12{spec}")
    return made.load(np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(5))
def test_a_neighbourhood_is_connected_and_nearest_first(seed):
    """No node that is left out is nearer to the start than one that is kept."""
    whole = nx.disjoint_union(nx.barabasi_albert_graph(80, 2, seed=seed), nx.path_graph(30))
    graph = from_networkx(whole)
    found = neighbourhood(graph, 25, np.random.default_rng(seed))
    assert found.n == 25 and nx.is_connected(as_networkx(found))
    start = np.random.default_rng(seed).integers(80)
    far = nx.single_source_shortest_path_length(whole, start)
    left = [far[node] for node in range(80) if node not in found.ids]
    assert max(far[node] for node in found.ids) <= min(left)
    inside = whole.subgraph(found.ids)
    assert found.n_edges == inside.number_of_edges()
    with pytest.raises(UsageError, match="nodes must be <= 80, got 81"):
        neighbourhood(graph, 81, np.random.default_rng(0))


def test_a_grown_set_is_any_connected_set():
    """On a small graph all connected sets of four nodes come up, and no other."""
    small = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 5)])
    graph = from_networkx(small)
    rng = np.random.default_rng(0)
    found = Counter(tuple(grown(graph, 4, rng).tolist()) for _ in range(500))
    assert set(found) == {
        nodes for nodes in combinations(range(6), 4) if nx.is_connected(small.subgraph(nodes))
    }
    assert grown(graph, 6, rng).tolist() == list(range(6))


def test_growth_takes_the_nodes_around_evenly():
    """From a leaf of a star with 3 leaves (3 in 4 starts) the hub is next, then any leaf."""
    star = from_networkx(nx.star_graph(3))
    rng = np.random.default_rng(0)
    pairs = Counter(tuple(grown(star, 2, rng).tolist()) for _ in range(3000))
    assert set(pairs) == {(0, 1), (0, 2), (0, 3)}
    assert all(abs(count - 1000) < 5 * np.sqrt(3000 * 2 / 9) for count in pairs.values())


def test_the_network_is_the_same_for_every_seed_and_the_pathway_is_not(folder):
    one, two = load(seed=0), load(seed=1)
    assert one.graph.hash == two.graph.hash and one.graph.n == 100
    assert not np.array_equal(one.support, two.support)
    assert [len(part.truth) for part in (one, one.validation, one.test)] == [200, 200, 200]
    for task in (one, two):
        inside = as_networkx(task.graph).subgraph(task.support.tolist())
        assert len(task.support) == len(inside) == 12 and nx.is_connected(inside)
    assert one.graph.labels is None and one.name == "synthetic-pathway: condmat2005 s1"


@pytest.mark.parametrize("strategy", ["s1", "s2"])
def test_the_shift_is_mu(folder, strategy):
    """Between the classes a column differs by mu in units of its deviation, or not at all."""
    mu, N = 0.5, 9000
    task = load(f",mu={mu},strategy={strategy},train=3000,validation=3000,test=3000")
    parts = [(task.samples, task.truth), task.validation, task.test]
    X = np.vstack([X for X, _ in parts])
    y = np.concatenate([y for _, y in parts])
    assert (y > 0).sum() == N // 2
    assert np.allclose(X.mean(axis=0), 0) and np.allclose(X.std(axis=0), 1)
    gap = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    error = 5 * np.sqrt(4 / N)  # five deviations of a difference of two means
    wanted = mu / np.sqrt(1 + mu**2 / 4)  # half of the samples are shifted, which adds mu²/4
    inside = gap[task.support]
    assert np.all(np.abs(np.abs(inside) - wanted) < error)
    outside = np.delete(gap, task.support)
    assert np.all(np.abs(outside) < error)
    assert (set(np.sign(inside)) == {1.0}) == (strategy == "s1")


def test_it_can_be_tuned_on(folder):
    """Validation chooses, the support is scored."""
    from graphol.plan import Plan
    from graphol.reproduce.desk import Desk
    from graphol.reproduce.signals import trial

    players = {"graphda": [graphol.make("learner", f"graphda:s={s}") for s in (6, 12)]}
    desk, dataset = Desk(Plan(fresh_data=True)), "synthetic-pathway:nodes=100,size=12,mu=1"
    scores = trial(desk, dataset, 0, players)["graphda"][""].scores[0]
    assert scores["f1"] > 0.5 and scores["accuracy"] > 0.8


def test_conforms(folder):
    for spec in ("", ",strategy=s2"):
        made = graphol.make("dataset", f"synthetic-pathway:nodes=50,size=5{spec}")
        assert [o.name for o in testing.run("dataset", made) if o.failure] == []


def test_refusals(folder):
    with pytest.raises(UsageError, match="size must be <= nodes = 40, got 50"):
        graphol.make("dataset", "synthetic-pathway:nodes=40")
    with pytest.raises(UsageError, match="nodes must be <= 150, got 3000"):
        graphol.make("dataset", "synthetic-pathway").load(np.random.default_rng(0))
    with pytest.raises(UsageError, match=r"graph must be one of condmat2005, wordnet30.*did you"):
        graphol.make("dataset", "synthetic-pathway:graph=wordnet3")
    with pytest.raises(InputError, match="wordnet30 is not on this machine; run `graphol datasets"):
        load(",graph=wordnet30")
    (folder / "condmat2005.npz").write_bytes(b"not a zip")
    with pytest.raises(InputError, match="truncated, or not an npz file"):
        load()
    (folder / "condmat2005.npz").unlink()
    says = r"condmat2005 is not on this machine; .* set GRAPHOL_DATA to a folder that holds condmat"
    with pytest.raises(InputError, match=says):
        load()


@pytest.mark.data
@pytest.mark.parametrize("name", ["condmat2005", "wordnet30"])
def test_the_real_graphs(data_dir, name):
    made = graphol.make("dataset", f"synthetic-pathway:graph={name}")
    task = made.load(np.random.default_rng(0))
    network = as_networkx(task.graph)
    assert len(network) == 3000 and nx.is_connected(network)
    assert len(task.support) == 50 and nx.is_connected(network.subgraph(task.support.tolist()))
