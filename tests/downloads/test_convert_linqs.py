"""Citation graphs from archives as LINQS has them."""

from __future__ import annotations

import pytest

from graphol.downloads import convert_linqs
from graphol.downloads.fetch import fetch
from graphol.formats import read_npz


@pytest.mark.parametrize("name", ["cora", "citeseer"])
def test_words_and_cites(web, monkeypatch, name):
    web.offer(monkeypatch, name, web.papers(name), nodes=3, edges=2, classes=2)
    path = fetch(name)
    assert path == web.cache / f"{name}.npz"
    graph = read_npz(web.cache / f"{name}.npz")
    assert graph.ids == ("31", "x-2", "7")
    assert graph.adjacency.toarray().tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert [graph.label_names[k] for k in graph.labels] == ["Theory", "Agents", "Theory"]
    assert graph.features.toarray().tolist() == [[0, 1, 1], [1, 0, 0], [0, 0, 0]]
    assert graph.notes == (
        "1 citation(s) of papers without a record dropped",
        "1 repeated edge(s) merged",
        "1 self loop(s) dropped",
    )
    assert web.left() == [f"{name}.npz"]


def test_pubmed(web, monkeypatch):
    folder = "Pubmed-Diabetes/data/Pubmed-Diabetes"
    nodes = (
        "NODE\tpaper\n"
        "cat=1,2,3:label\tnumeric:w-rat:0.0\tnumeric:w-insulin:0.0\tstring:summary\n"
        "12\tlabel=1\tw-insulin=0.25\tsummary=w-insulin\n"
        "34\tlabel=3\tw-rat=0.5\tw-insulin=1.0E-2\tsummary=w-rat,w-insulin\n"
        "56\tlabel=2\tsummary=\n"
    )
    cites = (
        "DIRECTED\tcites\nNO_FEATURES\n"
        "33824\tpaper:12\t|\tpaper:34\n33825\tpaper:34\t|\tpaper:56\n33826\tpaper:56\t|\tpaper:56\n"
    )
    archive = web.tar(**{f"{folder}.NODE.paper.tab": nodes, f"{folder}.DIRECTED.cites.tab": cites})
    web.offer(monkeypatch, "pubmed", archive, nodes=3, edges=2, classes=3)
    fetch("pubmed")
    graph = read_npz(web.cache / "pubmed.npz")
    assert graph.ids == ("12", "34", "56")
    assert graph.adjacency.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert graph.features.toarray().tolist() == [[0, 0.25], [0.5, 0.01], [0, 0]]
    assert graph.label_names == tuple(convert_linqs.DIABETES.values())
    assert graph.labels.tolist() == [0, 2, 1]
