"""The named data sets: their counts, and what is said when they are not there."""

from __future__ import annotations

import numpy as np
import pytest

from graphol.datasets import read_npz, write_npz
from graphol.datasets.named import NAMED, Citeseer, Cora, FacebookPages, info, named
from graphol.datasets.sources import SOURCES
from graphol.errors import InputError, UsageError
from graphol.graph import Graph

COMPONENTS = {  # how many, and nodes and edges of the largest
    "cora": (78, 2485, 5069),
    "citeseer": (438, 2120, 3679),
}


@pytest.mark.data
@pytest.mark.parametrize("cls", NAMED, ids=lambda cls: cls.name)
def test_the_real_graphs_have_the_known_counts(data_dir, cls):
    facts = cls.facts
    whole = cls(component="all").load(np.random.default_rng(0)).graph
    assert (whole.n, whole.n_edges, whole.n_classes) == (facts.nodes, facts.edges, facts.classes)
    assert whole.hash == facts.hash
    count, nodes, edges = COMPONENTS.get(cls.name, (1, facts.nodes, facts.edges))
    assert whole.n_components == count
    task = cls().load(np.random.default_rng(0))
    assert (task.graph.n, task.graph.n_edges, task.name) == (nodes, edges, cls.name)
    if count > 1:
        assert task.graph.notes == (f"{facts.nodes - nodes} node(s) left out: {nodes} kept",)


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
    assert row["address"] == SOURCES["cora"].url
    assert info("movies4-wikidata")["address"] is None
    (nothing_here / "cache" / "graphol").mkdir(parents=True)
    file = nothing_here / "cache" / "graphol" / "cora.npz"
    write_npz(Graph.from_edges("ab", "bc", labels=[0, 1, 0]), file)
    row = info("cora")
    assert (row["nodes"], row["edges"], row["classes"], row["components"]) == (3, 2, 2, 1)
    assert row["file"] == str(file)


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(UsageError, match="unknown data set 'corra': did you mean 'cora'"):
        named("corra")


def test_sources_and_facts_agree():
    for name, source in SOURCES.items():
        facts = named(name).facts
        assert source.classes == facts.classes
        if name != "citeseer":  # the original has 15 papers less
            assert (source.nodes, source.edges) == (facts.nodes, facts.edges)
