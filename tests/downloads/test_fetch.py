"""Downloads from a server on this machine: archives in the original form, and what can fail."""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import pickle
import tarfile
import threading
import zipfile

import attrs
import numpy as np
import pytest

from graphol.downloads import catalogue, convert_linqs, convert_wordnet
from graphol.downloads.fetch import fetch
from graphol.errors import InputError, UsageError
from graphol.formats import read_npz, write_npz
from graphol.graph import Graph


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; a file called half.* is cut off in the middle."""

    def log_message(self, *args):
        pass

    def do_GET(self):
        if "half" not in self.path:
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.wfile.write(b"x" * 5000)


@pytest.fixture
def web(tmp_path, monkeypatch):
    """A folder that is on the web, and an empty cache: ``web.folder, web.url, web.cache``."""
    folder, cache = tmp_path / "web", tmp_path / "home" / "graphol"
    folder.mkdir()
    monkeypatch.delenv("GRAPHOL_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    handler = functools.partial(Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Web(folder, f"http://127.0.0.1:{server.server_port}", cache)
    server.shutdown()
    server.server_close()
    thread.join()


def record(monkeypatch, name, **published):
    """Change where a graph is published."""
    row = catalogue.CATALOGUE[name]
    row = attrs.evolve(row, published=attrs.evolve(row.published, **published))
    monkeypatch.setitem(catalogue.CATALOGUE, name, row)


@attrs.frozen
class Web:
    folder: object
    url: str
    cache: object

    def offer(self, monkeypatch, name, archive, known_hash="", **counts):
        """Put an archive on the web and into the catalogue."""
        file = f"{name}.archive"
        (self.folder / file).write_bytes(archive)
        published = catalogue.CATALOGUE[name].published
        known = published.counts or catalogue.CATALOGUE[name].counts
        record(
            monkeypatch,
            name,
            url=f"{self.url}/{file}",
            known_hash=known_hash or "sha256:" + hashlib.sha256(archive).hexdigest(),
            counts=known._replace(**counts),
        )

    def left(self):
        return sorted(p.name for p in self.cache.iterdir()) if self.cache.exists() else []


def tar(**files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return buffer.getvalue()


def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def papers(name):
    """Three papers; one cites itself, one pair is cited both ways, one cited paper is missing."""
    content = "31\t0\t1\t1\tTheory\nx-2\t1\t0\t0\tAgents\n7\t0\t0\t0\tTheory\n"
    cites = "31\tx-2\nx-2\t31\n7\t31\n7\t7\nghost\t7\n"
    return tar(**{f"{name}/{name}.content": content, f"{name}/{name}.cites": cites})


@pytest.mark.parametrize("name", ["cora", "citeseer"])
def test_words_and_cites(web, monkeypatch, name):
    web.offer(monkeypatch, name, papers(name), nodes=3, edges=2, classes=2)
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
    archive = tar(**{f"{folder}.NODE.paper.tab": nodes, f"{folder}.DIRECTED.cites.tab": cites})
    web.offer(monkeypatch, "pubmed", archive, nodes=3, edges=2, classes=3)
    fetch("pubmed")
    graph = read_npz(web.cache / "pubmed.npz")
    assert graph.ids == ("12", "34", "56")
    assert graph.adjacency.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert graph.features.toarray().tolist() == [[0, 0.25], [0.5, 0.01], [0, 0]]
    assert graph.label_names == tuple(convert_linqs.DIABETES.values())
    assert graph.labels.tolist() == [0, 2, 1]


def test_github_developers(web, monkeypatch):
    archive = zipped(**{
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
    archive = zipped(**{
        "lasftm_asia/lastfm_asia_edges.csv": "node_1,node_2\r\n0,2\r\n1,2\r\n",
        "lasftm_asia/lastfm_asia_target.csv": "id,target\r\n0,1\r\n1,0\r\n2,2\r\n",
    })  # fmt: skip
    web.offer(monkeypatch, "lastfm-asia", archive, nodes=3, edges=2, classes=3)
    fetch("lastfm-asia")
    graph = read_npz(web.cache / "lastfm_asia.npz")
    assert graph.labels.tolist() == [1, 0, 2]
    assert graph.label_names == ("country_0", "country_1", "country_2")


def wordnet_archive():
    licence = "  1 This software and database is being provided to you ...\n"
    noun = (
        "00001740 03 n 01 entity 0 001 ~ 00001930 n 0000 | that which is | perceived\n"
        "00001930 03 n 0a " + "w 0 " * 10 + "002 @ 00001740 n 0000 + 00002000 v 0101 | physical\n"
        "00009999 05 n 01 island 0 000 | alone\n"
    )
    verb = "00002000 29 v 01 be 0 001 + 00001930 n 0101 01 + 02 00 | exist\n"
    adj = (
        "00003000 00 a 01 able 0 002 & 00003001 a 0000 ! 00001740 n 0101 | can\n"
        "00003001 00 s 01 apt(p) 0 001 & 00003000 s 0000 | ready\n"
    )
    adv = "00004000 02 r 01 ably 0 001 \\ 00003000 a 0101 | well\n"
    words = {"noun": noun, "verb": verb, "adj": adj, "adv": adv}
    return tar(**{f"WordNet-3.0/dict/data.{k}": licence + text for k, text in words.items()})


def test_wordnet(web, monkeypatch):
    web.offer(monkeypatch, "wordnet30", wordnet_archive(), nodes=6, edges=5, classes=45)
    fetch("wordnet30")
    graph = read_npz(web.cache / "wordnet30.npz")
    assert graph.ids == (
        "n00001740", "n00001930", "v00002000", "a00003000", "a00003001", "r00004000",
    )  # fmt: skip
    edges = {
        frozenset((graph.ids[i], graph.ids[j])) for i, j in np.argwhere(graph.adjacency.toarray())
    }
    assert edges == {
        frozenset(pair)
        for pair in [
            ("n00001740", "n00001930"),
            ("n00001930", "v00002000"),
            ("a00003000", "a00003001"),
            ("a00003000", "n00001740"),
            ("r00004000", "a00003000"),
        ]
    }
    assert [graph.label_names[k] for k in graph.labels] == [
        "noun.Tops", "noun.Tops", "verb.body", "adj.all", "adj.all", "adv.all",
    ]  # fmt: skip
    assert graph.notes[-1] == "1 node(s) left out: 6 kept"
    assert len(convert_wordnet.LEXICOGRAPHER_FILES) == 45


def test_a_file_in_the_cache_is_not_downloaded_again(web, monkeypatch):
    web.offer(monkeypatch, "cora", papers("cora"), nodes=3, edges=2, classes=2)
    first = fetch("cora")
    (web.folder / "cora.archive").unlink()
    assert fetch("cora") == first
    first.write_bytes(b"damaged")
    with pytest.raises(InputError, match="answered 404"):
        fetch("cora")
    web.offer(monkeypatch, "cora", papers("cora"), nodes=3, edges=2, classes=2)
    fetch("cora")
    assert read_npz(first).n == 3


def refused(call, *words, error=InputError):
    with pytest.raises(error) as refusal:
        call()
    said = str(refusal.value)
    assert "\n" not in said
    for word in words:
        assert word in said


def test_a_wrong_checksum_is_refused(web, monkeypatch):
    web.offer(monkeypatch, "cora", papers("cora"), known_hash="sha256:" + "0" * 64)
    refused(lambda: fetch("cora"), web.url, "checksum is not the one on record", "nothing was kept")
    assert web.left() == []


def test_wrong_counts_are_refused(web, monkeypatch):
    web.offer(monkeypatch, "cora", papers("cora"), nodes=3, classes=2)
    refused(lambda: fetch("cora"), "gave 2 edges where 5278 were expected")
    assert web.left() == []


@pytest.mark.parametrize(
    ("archive", "words"),
    [
        (b"not an archive", "truncated, or not a tar or zip archive"),
        (papers("cora")[:100], "truncated, or not a tar or zip archive"),
        (tar(**{"cora/cora.cites": "1\t2\n"}), "cora/cora.content"),
        (tar(**{"cora/cora.content": "", "cora/cora.cites": ""}), "not laid out as expected"),
        (
            tar(**{"cora/cora.content": "1\t0\tA\n", "cora/cora.cites": "1 2\n"}),
            "not laid out as expected",
        ),
    ],
    ids=["garbage", "truncated", "member missing", "empty members", "no tabs"],
)
def test_strange_archives_are_refused(web, monkeypatch, archive, words):
    web.offer(monkeypatch, "cora", archive)
    refused(lambda: fetch("cora"), words)
    assert web.left() == []


def test_a_server_that_is_gone(web, monkeypatch):
    web.offer(monkeypatch, "cora", b"")
    record(monkeypatch, "cora", url="http://127.0.0.1:9/cora.tgz")
    refused(lambda: fetch("cora"), "cora: http://127.0.0.1:9/cora.tgz cannot be reached")
    assert web.left() == []


def test_a_download_that_breaks_off(web):
    refused(lambda: fetch("cora", url=f"{web.url}/half.npz"), "broke off")
    assert web.left() == []


def test_a_download_that_the_user_breaks_off(web, monkeypatch):
    web.offer(monkeypatch, "cora", papers("cora"), nodes=3, edges=2, classes=2)

    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("cora", progress=interrupt)
    assert web.left() == []


def test_progress_is_told(web, monkeypatch):
    archive = papers("cora")
    web.offer(monkeypatch, "cora", archive, nodes=3, edges=2, classes=2)
    told = []
    fetch("cora", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (len(archive), len(archive))


def test_a_mirror_of_a_ready_file(web, monkeypatch):
    """Also for a set that has no public address of its own."""
    graph = Graph.from_edges("ab", "bc", labels=[0, 1, 0])
    write_npz(graph, web.folder / "ready.npz")
    refused(lambda: fetch("facebook-pages", url=f"{web.url}/ready.npz"), "holds another graph")
    assert web.left() == []
    row = attrs.evolve(catalogue.CATALOGUE["facebook-pages"], hash=graph.hash)
    monkeypatch.setitem(catalogue.CATALOGUE, "facebook-pages", row)
    path = fetch("facebook-pages", url=f"{web.url}/ready.npz")
    assert path.read_bytes() == (web.folder / "ready.npz").read_bytes()
    assert web.left() == ["facebook_pages.npz"]


def test_a_mirror_cannot_slip_in_a_pickle(web):
    with open(web.folder / "evil.npz", "wb") as file:
        np.savez(file, indptr=np.array([print], dtype=object), indices=[0], data=[1], n=1)
    refused(lambda: fetch("cora", url=f"{web.url}/evil.npz"), f"{web.url}/evil.npz", "never loaded")
    (web.folder / "bare.npz").write_bytes(pickle.dumps({"a": 1}))
    refused(lambda: fetch("cora", url=f"{web.url}/bare.npz"), "not an npz file")
    assert web.left() == []


def test_names_and_addresses_that_do_not_exist(web):
    refused(lambda: fetch("corra"), "did you mean 'cora'", error=UsageError)
    refused(lambda: fetch("facebook-pages"), "MUSAE", "--url", "facebook_pages.npz")
    refused(lambda: fetch("movies4-wikidata"), "bokeh_sampledata", "GRAPHOL_DATA")
    refused(lambda: fetch("cora", url="ftp://x/y"), "must begin with http", error=UsageError)
    refused(lambda: fetch("cora", url=f"{web.url}/no.npz"), "answered 404")
    assert web.left() == []
