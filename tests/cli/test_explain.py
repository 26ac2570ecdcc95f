"""``graphol explain``."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.long  # what is played is the same on every Python


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.csv").write_text("source,target\nann,bob\nbob,eve\neve,dan\nx,y\n")
    (tmp_path / "l.csv").write_text("node,label\nann,red\nbob,blue\ndan,blue\n")
    return ["--graph", "e.csv", "--labels", "l.csv"]


def test_the_nodes_that_decided(run, files):
    result = run("explain", "bob", *files)
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    assert lines[0].startswith("bob: red (scores: red ") and lines[2].split() == [
        "node",
        "label",
        "amount",
        "share",
        "%",
    ]
    assert lines[3].split()[:2] == ["ann", "red"] and lines[4].split()[:2] == ["dan", "blue"]
    found = json.loads(run("explain", "eve", *files, "--json", "--top", 1).out)
    assert found["label"] == "blue" and found["known"] and found["labels"] == 3
    assert len(found["influences"]) == 1
    assert [*found["scores"]] == ["blue", "red"]
    assert found["scores"]["blue"] >= found["scores"]["red"]


def test_a_guess_is_called_one(run, files):
    result = run("explain", "x", *files)
    assert result.code == 0
    assert result.out == "x: blue, a guess: none of the 3 label(s) bears on it\n"
    assert json.loads(run("explain", "x", *files, "--json").out)["known"] is False


def test_seeds_of_a_data_set(run):
    found = json.loads(
        run("explain", "7", "--dataset", "sbm:nodes=60,classes=2", "--feedback",
            "seeds:per_class=4", "--json").out
    )  # fmt: skip
    assert found["node"] == 7 and found["labels"] in (7, 8)
    assert {row["label"] for row in found["influences"]} <= {"0", "1"}


def test_several_graphs_are_added_up(run, files, tmp_path):
    (tmp_path / "more.csv").write_text("source,target\nx,dan\n")
    found = json.loads(run("explain", "y", *files, "--graph", "more.csv", "--json").out)
    assert found["known"] and found["influences"][0]["node"] == "dan"


def test_refused(refused, files):
    assert "e.csv has no node 'anne'; did you mean 'ann'?" in refused("explain", "anne", *files)
    assert "cannot tell which labels decide" in refused(
        "explain", "ann", *files, "--learner", "gpa"
    )
    assert "--top must be >= 1, got 0" in refused("explain", "ann", *files, "--top", 0)
