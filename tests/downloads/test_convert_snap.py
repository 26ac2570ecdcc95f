"""Social networks from archives as SNAP has them."""

from __future__ import annotations

from graphol.downloads.fetch import fetch
from graphol.formats import read_npz


def test_github_developers(web, monkeypatch):
    archive = web.zipped(**{
        "git_web_ml/musae_git_edges.csv": "id_1,id_2\n0,1\n2,1\n",
        "git_web_ml/musae_git_target.csv": 'id,name,ml_target\n1,"a,b",1\n0,Eiryyy,0\n2,x,0\n',
    })  # fmt: skip
    web.offer(monkeypatch, "github-developers", archive, nodes=3, edges=2, classes=2)
    fetch("github-developers")
    graph = read_npz(web.cache / "github_developers.npz")
    assert graph.ids == (0, 1, 2)
    assert graph.labels.tolist() == [0, 1, 0]
    assert graph.label_names == ("web", "machine learning")
    assert graph.adjacency.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_lastfm_asia(web, monkeypatch):
    archive = web.zipped(**{
        "lasftm_asia/lastfm_asia_edges.csv": "node_1,node_2\r\n0,2\r\n1,2\r\n",
        "lasftm_asia/lastfm_asia_target.csv": "id,target\r\n0,1\r\n1,0\r\n2,2\r\n",
    })  # fmt: skip
    web.offer(monkeypatch, "lastfm-asia", archive, nodes=3, edges=2, classes=3)
    fetch("lastfm-asia")
    graph = read_npz(web.cache / "lastfm_asia.npz")
    assert graph.labels.tolist() == [1, 0, 2]
    assert graph.label_names == ("country_0", "country_1", "country_2")
