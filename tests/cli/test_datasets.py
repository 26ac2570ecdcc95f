"""``graphol datasets``: what there is, where it is, and fetching it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from graphol.formats import read_graph, write_npz
from graphol.registry import registry

pytestmark = pytest.mark.long  # what is played is the same on every Python


@pytest.fixture
def fake_cora(tmp_path, monkeypatch):
    """A small graph that says it is cora."""
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\nd,e\n")
    (tmp_path / "labels.csv").write_text("node,label\na,x\nb,y\nc,x\nd,y\ne,x\n")
    folder = tmp_path / "data"
    folder.mkdir()
    graph = read_graph(tmp_path / "edges.csv", tmp_path / "labels.csv")
    write_npz(graph, folder / "cora.npz")
    monkeypatch.setenv("GRAPHOL_DATA", str(folder))
    return folder / "cora.npz"


def test_list_says_where_everything_is(run, fake_cora):
    rows = {row["name"]: row for row in json.loads(run("datasets", "list", "--json").out)}
    assert list(rows) == list(registry().offers("dataset"))
    assert rows["cora"]["where"] == f"here: {fake_cora}"
    assert rows["pubmed"]["where"] == "not here: `graphol datasets fetch pubmed`"
    assert rows["movies4-wikidata"]["where"].startswith("not here: from ")
    assert rows["digits"]["where"] == "here: made when it is needed"
    assert rows["files"]["where"] == "your own: --graph FILE --labels FILE"
    assert run("datasets").out == run("datasets", "list").out


def test_list_takes_a_plugin_file(run, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "import attrs, graphol\nfrom typing import ClassVar\n"
        "@attrs.frozen\nclass Mine:\n    'My own graph.'\n    name: ClassVar[str] = 'mine'\n"
        "    def load(self, rng):\n"
        "        graph = graphol.Graph([[0, 1], [1, 0]], labels=[0, 1])\n"
        "        return graphol.NodeTask((graph,), 'mine')\n"
        "@graphol.hookimpl\ndef graphol_datasets():\n    return [Mine]\n"
    )
    assert "My own graph." in run("datasets", "list", "--plugin", path).out
    info = json.loads(run("datasets", "info", "mine", "--plugin", path, "--json").out)
    assert (info["nodes"], info["edges"], info["classes"]) == (2, 1, 2)


def test_a_data_set_from_a_file_says_where_it_is(run, tmp_path):
    path = tmp_path / "far.py"
    path.write_text(
        "import attrs, graphol\n"
        "@attrs.frozen\nclass Far:\n    name = 'far'\n"
        "    @classmethod\n    def where(cls):\n        return 'not here: ask me'\n"
        "    def load(self, rng):\n        raise AssertionError('it is not here')\n"
        "@graphol.hookimpl\ndef graphol_datasets():\n    return [Far]\n"
    )
    info = json.loads(run("datasets", "info", "far", "--plugin", path, "--json").out)
    assert info["where"] == "not here: ask me" and "nodes" not in info


def test_info_of_what_is_here(run, fake_cora):
    info = json.loads(run("datasets", "info", "cora", "--json").out)
    assert (info["nodes"], info["edges"], info["classes"], info["components"]) == (5, 3, 2, 2)
    assert info["file"] == str(fake_cora)
    lines = run("datasets", "info", "cora").out.splitlines()
    assert ["nodes", "5"] in [line.split() for line in lines]


def test_info_of_what_is_not_here(run):
    info = json.loads(run("datasets", "info", "cora", "--json").out)
    assert (info["nodes"], info["edges"], info["file"]) == (2708, 5278, None)
    assert "AI Magazine" in info["citation"]


@pytest.mark.parametrize("name", registry().offers("dataset"))
def test_info_without_any_file_at_hand(run, name):
    result = run("datasets", "info", name, "--json")
    assert result.code == 0
    info = json.loads(result.out)
    assert info["name"] == name
    assert ("components" in info) == info["where"].startswith("here"), "it was read, so it is here"


def test_a_wrong_data_folder_is_told(refused, monkeypatch):
    monkeypatch.setenv("GRAPHOL_DATA", "/no/such/folder")
    assert "GRAPHOL_DATA is '/no/such/folder'" in refused("datasets", "list", code=3)


def test_fetch_prints_where_it_is(run, monkeypatch):
    def fetched(name, url=None, progress=None):
        progress(10, 0)
        progress(20, 30)
        return Path(os.sep, "cache", f"{name}.npz")

    monkeypatch.setattr("graphol.downloads.fetch.fetch", fetched)
    result = run("datasets", "fetch", "cora")
    assert result == (0, f"{Path(os.sep, 'cache', 'cora.npz')}\n", "")
    assert json.loads(run("datasets", "fetch", "cora", "--json").out)["name"] == "cora"
