"""The named data sets: their counts, and what is said when they are not there."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from graphol import datasets
from graphol.datasets.named import NAMED, Citeseer, Cora, FacebookPages, info
from graphol.downloads.catalogue import CATALOGUE
from graphol.errors import InputError
from graphol.formats import read_npz, write_npz
from graphol.graph import Graph

COMPONENTS = {  # how many, and nodes and edges of the largest
    "cora": (78, 2485, 5069),
    "citeseer": (438, 2120, 3679),
}


@pytest.mark.data
@pytest.mark.parametrize("cls", NAMED, ids=lambda cls: cls.name)
def test_the_real_graphs_have_the_known_counts(data_dir, cls):
    counts = cls.record.counts
    whole = cls(component="all").load(np.random.default_rng(0)).graph
    assert (whole.n, whole.n_edges, whole.n_classes) == counts
    assert whole.hash == cls.record.hash
    count, nodes, edges = COMPONENTS.get(cls.name, (1, counts.nodes, counts.edges))
    assert whole.n_components == count
    task = cls().load(np.random.default_rng(0))
    assert (task.graph.n, task.graph.n_edges, task.name) == (nodes, edges, cls.name)
    if count > 1:
        assert task.graph.notes == (f"{counts.nodes - nodes} node(s) left out: {nodes} kept",)


@pytest.mark.data
def test_citeseer_papers_without_a_record_have_no_label(data_dir):
    labels = Citeseer.read().labels
    with np.load(data_dir / "citeseer.npz") as file:
        hidden = file["unlabelled_idx"]
    assert len(hidden) == 15
    np.testing.assert_array_equal(np.flatnonzero(labels == -1), np.sort(hidden))


@pytest.mark.data
def test_unlabelled_and_multilabel_graphs_can_be_read(data_dir):
    graph = read_npz(data_dir / "condmat2005.npz")
    assert (graph.n, graph.n_edges, graph.labels) == (36458, 171736, None)
    assert graph.n_components == 1
    assert read_npz(data_dir / "blogcatalog.npz").labels is None
    with pytest.raises(InputError, match="has no indptr, indices, data, n"):
        read_npz(data_dir / "mnist_small.npz")


@pytest.mark.data
def test_every_real_graph_survives_being_written(data_dir, tmp_path):
    for cls in NAMED:
        graph = cls(component="largest").load(np.random.default_rng(0)).graph
        write_npz(graph, tmp_path / "again.npz")
        assert read_npz(tmp_path / "again.npz").hash == graph.hash


@pytest.fixture
def nothing_here(tmp_path, monkeypatch):
    """An empty cache and no GRAPHOL_DATA."""
    monkeypatch.delenv("GRAPHOL_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def test_a_missing_set_says_how_to_get_it(nothing_here):
    with pytest.raises(InputError) as refusal:
        Cora().load(np.random.default_rng(0))
    assert str(refusal.value) == (
        "cora is not on this machine; run `graphol datasets fetch cora`, or set GRAPHOL_DATA to a "
        "folder that holds cora.npz"
    )
    with pytest.raises(InputError, match=r"facebook-pages is not on.*benedekrozemberczki/MUSAE"):
        FacebookPages.read()


def test_graphol_data_comes_before_the_cache(nothing_here, monkeypatch):
    toy = Graph.from_edges("ab", "bc", labels=[0, 1, 0])
    other = Graph.from_edges("abc", "bca", labels=[0, 1, 0])
    (nothing_here / "cache" / "graphol").mkdir(parents=True)
    write_npz(toy, nothing_here / "cache" / "graphol" / "cora.npz")
    assert Cora.read().hash == toy.hash
    (nothing_here / "data").mkdir()
    monkeypatch.setenv("GRAPHOL_DATA", str(nothing_here / "data"))
    assert Cora.read().hash == toy.hash
    write_npz(other, nothing_here / "data" / "cora.npz")
    assert Cora.read().hash == other.hash
    assert Cora.read().name == "cora"
    monkeypatch.setenv("GRAPHOL_DATA", str(nothing_here / "wrong"))
    with pytest.raises(InputError, match=r"GRAPHOL_DATA is '.*wrong', which is not a folder"):
        Cora.read()


def test_info_with_and_without_the_file(nothing_here):
    row = info("cora")
    assert (row["nodes"], row["edges"], row["classes"]) == (2708, 5278, 7)
    assert row["file"] is None
    assert row["address"] == CATALOGUE["cora"].published.url
    assert info("movies4-wikidata")["address"] is None
    (nothing_here / "cache" / "graphol").mkdir(parents=True)
    file = nothing_here / "cache" / "graphol" / "cora.npz"
    write_npz(Graph.from_edges("ab", "bc", labels=[0, 1, 0]), file)
    row = info("cora")
    assert (row["nodes"], row["edges"], row["classes"], row["components"]) == (3, 2, 2, 1)
    assert row["file"] == str(file)


def test_every_set_can_be_sent_to_another_process():
    for cls in NAMED:
        assert pickle.loads(pickle.dumps(cls(component="all"))) == cls(component="all")
        assert getattr(datasets.named, cls.__name__) is cls


def test_counts_stand_in_the_first_line():
    assert Cora.__doc__ == "Cora: 2708 machine learning papers that cite each other, 7 topics."
    first, _, more = Citeseer.__doc__.partition("\n\n")
    assert first.startswith("CiteSeer: 3327 computer science papers")
    assert "3312 nodes, 4536 edges" in more
