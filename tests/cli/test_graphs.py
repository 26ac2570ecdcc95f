"""Several graphs and features, as a user types them."""

from __future__ import annotations

import json
import shlex

import pytest

pytestmark = pytest.mark.long  # what is played is the same on every Python


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("source,target\na,b\nb,c\nc,d\nd,e\ne,f\n")
    (tmp_path / "b.csv").write_text("source,target,weight\na,c,2\nc,e,1\nb,d,3\nd,z,1\n")
    (tmp_path / "l.csv").write_text("node,label\na,x\nb,y\nc,x\nd,y\ne,x\nz,y\n")
    (tmp_path / "f.csv").write_text("node,tea\na,1\nc,1\nq,1\n")
    (tmp_path / "s.csv").write_text("node,sign\na,+1\nb,-1\n")
    return ["--graph", "a.csv", "--graph", "b.csv", "--labels", "l.csv"]


def test_the_row_names_them_and_its_command_plays_them_again(run, files):
    call = ["simulate", "--learner", "molg-f", *files, "--features", "f.csv", "--repeats", 2]
    result = run(*call, "--json")
    assert result.code == 0, result.err
    row = json.loads(result.out)
    assert row["dataset"] == "a.csv + b.csv" and row["rounds"] == 6
    assert row["recipe"]["dataset"]["more"] == ["b.csv"]
    for note in (
        "a.csv: 1 of 7 node(s) are not in it",
        "b.csv: 1 of 7 node(s) are not in it",
        "a.csv: 1 node(s) of f.csv are not in the graph, their features left out",
        "molg-f knows one graph: the 2 layers are added up, each with weight 1",
    ):
        assert note in row["notes"]
    again = json.loads(run(*shlex.split(row["command"])[1:], "--json").out)
    for key in ("error_rate_mean", "graph_hash", "layers_hash", "command"):
        assert again[key] == row[key]


def test_compared_saved_and_reported(run, files, tmp_path):
    call = ["compare", "--learners", "molg-f,label-propagation", *files, "--repeats", 2]
    result = run(*call, "--out", tmp_path / "out", "--json")
    assert result.code == 0, result.err
    assert len({row["layers_hash"] for row in json.loads(result.out)}) == 1
    assert run("report", tmp_path / "out").code == 0
    meta = json.loads((tmp_path / "out" / "1-molg-f" / "meta.json").read_text())
    assert [(each["name"], each["edges"], each["isolated"]) for each in meta["layers"]] == [
        ("a.csv", 5, 1), ("b.csv", 4, 1),
    ]  # fmt: skip
    told = run("report", tmp_path / "out" / "1-molg-f", "--regret")
    assert told.code in (0, 1) and "error" in told.out, told.err


def test_features_embed_a_graph(run, files):
    call = ["simulate", "--learner", "molg-f", *files, "--features", "f.csv"]
    assert run(*call, "--embedding", "features", "--repeats", 1).code == 0


def test_refused(refused, files, tmp_path):
    two = files[:4]
    said = "one graph, got 2; leave --graph b.csv out"
    assert refused("solve", *two) == f"this command takes {said}"
    assert refused("embed", *two) == f"this command takes {said}"
    play = ("simulate", "--learner", "gpa")
    assert refused(*play, *two, "--stream", "s.csv") == f"--stream plays on {said}"
    assert "give --features or --stream" in refused(
        *play, "--graph", "a.csv", "--stream", "s.csv", "--features", "f.csv"
    )
    assert refused(*play, "--features", "f.csv").startswith("--features needs --graph")
    assert "give --dataset sbm or --graph a.csv" in refused(*play, *two, "--dataset", "sbm")
    assert "--fuse 100" in refused(*play, *files, "--fuser", "multi-mrf")
    assert "leave --fuse out" in refused(*play, *files, "--fuse", 2, "--regret")
    assert "c.csv: there is no such file" in refused(*play, *files, "--graph", "c.csv", code=3)
    (tmp_path / "n.mtx").write_text(
        "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1\n"
    )
    (tmp_path / "t.csv").write_text("source,target\n1,2\n")
    said = refused(*play, "--graph", "t.csv", "--graph", "n.mtx", code=3)
    assert said.startswith("t.csv has a node '1', another graph has 1: the same id as a number")
