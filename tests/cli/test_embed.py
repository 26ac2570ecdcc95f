"""``graphol embed``: what it prints, what it writes, what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest

import graphol
from graphol.arena import Arena
from graphol.cli import output
from graphol.embeddings import store
from graphol.formats import read_graph
from graphol.linalg import memory
from graphol.npz import read as read_npz

pytestmark = pytest.mark.long  # what is played is the same on every Python

EDGES = "source,target\nann,bob\nbob,eve\neve,ann\neve,dan\nx,y\n"


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHOL_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text(EDGES)
    return path


def test_a_graph_without_labels_becomes_rows(run, edges, tmp_path):
    out = tmp_path / "rows.npz"
    result = run(
        "embed", "--graph", edges, "--embedding", "spectral:dim=4,trivial=keep", "--out", out
    )
    head, line = result.out.splitlines()
    assert result.code == 0
    assert head.split() == [
        "graph", "nodes", "edges", "components", "embedding", "dim", "method", "residual",
        "seconds", "cpu_seconds",
    ]  # fmt: skip
    assert line.split()[:7] == ["edges.csv", "6", "5", "2", "spectral", "4", "dense"]
    with np.load(out, allow_pickle=False) as file:
        assert file["ids"].tolist() == ["ann", "bob", "eve", "dan", "x", "y"]
        rows, values = file["rows"], file["eigenvalues"]
        assert file["residuals"].max() < 1e-12
        meta = json.loads(file["meta.json"])
    graph = read_graph(edges)
    dense = np.linalg.eigvalsh(graph.laplacian("normalized").toarray())
    np.testing.assert_allclose(values, dense[:4], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1)
    assert meta["graph_hash"] == graph.hash
    assert meta["embedding"] == {
        "name": "spectral", "dim": 4, "laplacian": "normalized", "trivial": "keep", "eps": 0.01,
        "rows": "unit", "solver": {"name": "splu", "max_fill": 1e8},
    }  # fmt: skip
    assert {"seed", "versions", "method", "why", "source", "seconds"} <= meta.keys()
    assert read_npz(out, "embedding")[0].keys() == {"ids", "rows", "eigenvalues", "residuals"}


def test_the_rows_are_those_that_simulate_plays_on(run, tmp_path):
    out = tmp_path / "rows.npz"
    spec = "sbm:nodes=120,classes=3"
    run("embed", "--dataset", spec, "--seed", 3, "--out", out, "--embedding", "spectral:dim=9")
    task = Arena(spec, 3).task(graphol.make("learner", "gpa"), "spectral:dim=9")[1]
    with np.load(out) as file:
        assert file["ids"].tolist() == list(range(120))
        assert np.array_equal(file["rows"], task.features.rows)


def test_json_has_the_tables_keys_and_more(run, edges):
    table = run("embed", "--graph", edges).out.splitlines()[0].split()
    found = json.loads(run("embed", "--graph", edges, "--json").out)
    assert list(found)[: len(table)] == table
    assert found["embedding"] == "spectral"
    assert found["recipe"]["embedding"]["name"] == "spectral"
    assert found["eigenvalues"][:2] == [0, 0]
    assert len(found["eigenvalues"]) == len(found["residuals"]) == found["dim"] == 6
    assert found["out"] is None


def test_component_and_auto(run, edges):
    found = json.loads(run("embed", "--graph", edges, "--component", "largest", "--json").out)
    assert (found["nodes"], found["components"]) == (4, 1)
    blocks = ("--dataset", "sbm:nodes=400,classes=4", "--component", "largest")
    found = json.loads(run("embed", *blocks, "--embedding", "spectral:dim=auto", "--json").out)
    assert found["dim"] == 8


def test_why_is_a_note_and_quiet_is_quiet(run, edges):
    assert "graphol: note: edges.csv: 4 nodes, 3 vectors" in run("embed", "--graph", edges).err
    assert run("embed", "--graph", edges, "--quiet").err == ""


def test_the_cache_is_used_shown_and_cleared(run, monkeypatch, kept):
    monkeypatch.setattr(store, "LONG", 0.0)
    one, two = (json.loads(run("embed", "--json").out) for _ in range(2))
    assert "read from the cache" not in one["why"]
    assert "read from the cache" in two["why"]
    assert one["eigenvalues"] == two["eigenvalues"]
    report = {row["what"]: row for row in json.loads(run("doctor", "--json").out)}
    assert report["embeddings kept"]["detail"].startswith(f"{kept}, 1 file(s), ")
    assert run("embed", "--clear-cache").out.startswith("1 file(s), ")
    cleared = json.loads(run("embed", "--clear-cache", "--json").out)
    assert cleared == {"files": 0, "bytes": 0, "schema": 1}
    monkeypatch.setenv("GRAPHOL_CACHE", "off")
    report = {row["what"]: row for row in json.loads(run("doctor", "--json").out)}
    assert report["embeddings kept"]["state"] == "absent"


def test_refusals(refused, edges, tmp_path, monkeypatch):
    assert "not both" in refused("embed", "--graph", edges, "--dataset", "sbm")
    assert "must be >= 1 or auto, got 0" in refused("embed", "--embedding", "spectral:dim=0")
    assert "did you mean 'spectral'" in refused("embed", "--embedding", "spectal")
    assert "must end in .npz" in refused("embed", "--out", tmp_path / "rows.csv")
    assert "there is no folder" in refused("embed", "--out", tmp_path / "no" / "rows.npz")
    assert "seed must be >= 0" in refused("embed", "--seed", "-1")
    assert "kernel has no rows to save" in refused("embed", "--embedding", "kernel")
    there = tmp_path / "there.npz"
    there.write_text("precious")
    assert "add --force" in refused("embed", "--graph", edges, "--out", there)
    assert there.read_text() == "precious"
    assert "no such file" in refused("embed", "--graph", tmp_path / "no.csv", code=3).lower()
    assert "has no node features" in refused("embed", "--graph", edges, "--embedding", "features")
    monkeypatch.setattr(memory, "available_memory", lambda: 1000.0)
    line = refused("embed", "--graph", edges, code=3)
    assert "edges.csv: 4 eigenvectors needs about 1.92e-06 GB of memory" in line


def test_how_far_it_is_is_shown_on_a_terminal(monkeypatch, capsys):
    """What the eigensolvers log goes to the progress line, and no further."""
    import logging

    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with output.ProgressLine():
        logging.getLogger("graphol.linalg.chebyshev").info("eigenvectors: %d products", 11)
    assert "eigenvectors: 11 products" in capsys.readouterr().err
    logging.getLogger("graphol.linalg.chebyshev").info("later")
    assert "later" not in capsys.readouterr().err
