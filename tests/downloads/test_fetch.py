"""Downloads from a server on this machine: what is kept, and what can fail."""

from __future__ import annotations

import os
import pickle
import signal

import attrs
import numpy as np
import pytest

from graphol.downloads import catalogue
from graphol.downloads.fetch import fetch
from graphol.errors import InputError, UsageError
from graphol.formats import read_npz, write_npz
from graphol.graph import Graph


def test_a_file_in_the_cache_is_not_downloaded_again(web, monkeypatch):
    web.offer(monkeypatch, "cora", web.papers("cora"), nodes=3, edges=2, classes=2)
    first = fetch("cora")
    (web.folder / "cora.archive").unlink()
    assert fetch("cora") == first
    first.write_bytes(b"damaged")
    with pytest.raises(InputError, match="answered 404"):
        fetch("cora")
    web.offer(monkeypatch, "cora", web.papers("cora"), nodes=3, edges=2, classes=2)
    fetch("cora")
    assert read_npz(first).n == 3


def refused(call, *words, error=InputError):
    with pytest.raises(error) as refusal:
        call()
    said = str(refusal.value)
    assert "\n" not in said
    for word in words:
        assert word in said


@pytest.mark.skipif(os.name != "posix", reason="flock, fork")
@pytest.mark.parametrize("mirror", [False, True])
def test_what_a_killed_download_left_is_gone_after_the_next(
    web, monkeypatch, tmp_path, killed_at, mirror
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))  # where nothing is left either
    (tmp_path / "tmp").mkdir()
    web.offer(monkeypatch, "cora", web.papers("cora"), nodes=3, edges=2, classes=2)
    url = f"{web.url}/cora.archive" if mirror else None

    def die(done, total):
        os.kill(os.getpid(), signal.SIGKILL)

    assert killed_at(0, lambda: fetch("cora", url, progress=die))
    (left,) = (name for name in web.left() if name.endswith(".folder"))
    assert os.listdir(web.cache / left)
    assert fetch("cora").name == "cora.npz"
    assert web.left() == ["cora.npz"] and os.listdir(tmp_path / "tmp") == []


def test_a_wrong_checksum_is_refused(web, monkeypatch):
    web.offer(monkeypatch, "cora", web.papers("cora"), known_hash="sha256:" + "0" * 64)
    refused(lambda: fetch("cora"), web.url, "checksum is not the one on record", "nothing was kept")
    assert web.left() == []


def test_wrong_counts_are_refused(web, monkeypatch):
    web.offer(monkeypatch, "cora", web.papers("cora"), nodes=3, classes=2)
    refused(lambda: fetch("cora"), "gave 2 edges where 5278 were expected")
    assert web.left() == []


@pytest.mark.parametrize(
    ("archive", "words"),
    [
        (lambda web: b"not an archive", "truncated, or not a tar or zip archive"),
        (lambda web: web.papers("cora")[:100], "truncated, or not a tar or zip archive"),
        (lambda web: web.tar(**{"cora/cora.cites": "1\t2\n"}), "cora/cora.content"),
        (
            lambda web: web.tar(**{"cora/cora.content": "", "cora/cora.cites": ""}),
            "not laid out as expected",
        ),
        (
            lambda web: web.tar(**{"cora/cora.content": "1\t0\tA\n", "cora/cora.cites": "1 2\n"}),
            "not laid out as expected",
        ),
    ],
    ids=["garbage", "truncated", "member missing", "empty members", "no tabs"],
)
def test_strange_archives_are_refused(web, monkeypatch, archive, words):
    web.offer(monkeypatch, "cora", archive(web))
    refused(lambda: fetch("cora"), words)
    assert web.left() == []


def test_a_server_that_is_gone(web, monkeypatch):
    web.offer(monkeypatch, "cora", b"")
    web.record(monkeypatch, "cora", url="http://127.0.0.1:9/cora.tgz")
    refused(lambda: fetch("cora"), "cora: http://127.0.0.1:9/cora.tgz cannot be reached")
    assert web.left() == []


def test_a_download_that_breaks_off(web):
    refused(lambda: fetch("cora", url=f"{web.url}/half.npz"), "broke off")
    assert web.left() == []


def test_a_download_that_the_user_breaks_off(web, monkeypatch):
    web.offer(monkeypatch, "cora", web.papers("cora"), nodes=3, edges=2, classes=2)

    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("cora", progress=interrupt)
    assert web.left() == []


def test_progress_is_told(web, monkeypatch):
    archive = web.papers("cora")
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
