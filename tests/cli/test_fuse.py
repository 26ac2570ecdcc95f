"""``graphol fuse`` and what is played on its file."""

from __future__ import annotations

import json

import numpy as np
import pytest

from graphol import npz
from graphol.formats import read_npz
from graphol.formats.graph_npz import read_split

pytestmark = pytest.mark.long  # what is played is the same on every Python


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Two graphs over 60 nodes, of which the second knows the classes."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    label = rng.permutation(np.arange(60) % 3)
    for name, p_in, p_out in (("noise.csv", 0.1, 0.1), ("good.csv", 0.3, 0.02)):
        same = label[:, None] == label
        i, j = np.nonzero(np.triu(rng.random((60, 60)) < np.where(same, p_in, p_out), 1))
        lines = [f"n{a},n{b}" for a, b in zip(i, j, strict=True)]
        (tmp_path / name).write_text("\n".join(["source,target", *lines]))
    rows = [f"n{i},{'xyz'[k]}" for i, k in enumerate(label)]
    (tmp_path / "l.csv").write_text("\n".join(["node,label", *rows]))
    words = [f"n{i},{w}" for i, k in enumerate(label) for w in (f"w{k}", f"v{i % 7}") if i % 2]
    (tmp_path / "f.csv").write_text("\n".join(["node,feature", *words]))
    return ["--graph", "noise.csv", "--graph", "good.csv", "--labels", "l.csv"]


SOME = ["--feedback", "seeds:per_class=6"]


def test_the_table_says_who_is_worth_something(run, files):
    result = run("fuse", *files, *SOME)
    assert result.code == 0, result.err
    head, first, second = result.out.splitlines()
    assert head.split() == ["layer", "kind", "edges", "weight", "share", "%"]
    assert first.startswith("good.csv") and second.startswith("noise.csv")
    found = json.loads(run("fuse", *files, *SOME, "--json").out)
    assert [row["layer"] for row in found["layers"]] == ["good.csv", "noise.csv"]
    assert found["labels"] == 18 and found["validation_labels"] == 0
    assert found["layers"][0]["weight"] > 3 * found["layers"][1]["weight"]


def test_the_file_states_how_it_came_about_and_is_played(run, files, tmp_path):
    out = tmp_path / "fused.npz"
    told = run("fuse", *files, "--features", "f.csv", *SOME, "--seed", 3, "--out", out, "--json")
    assert told.code == 0, told.err
    graph, split = read_npz(out), read_split(out)
    assert graph.hash == json.loads(told.out)["graph_hash"]
    assert [len(part) for part in split] == [18, 0, 42]
    _, meta = npz.read(out, "graph")
    assert meta["made_by"] == "graphol fuse" and meta["labels_spent"] == 18
    assert meta["learner"]["name"] == "multi-mrf" and meta["seed"] == 3
    assert {"graphol", "numpy", "scipy"} <= meta["versions"].keys()
    assert {row["layer"] for row in meta["layers"]} > {"good.csv", "noise.csv"}
    stars = [i for i in graph.ids if isinstance(i, tuple)]
    assert stars and (graph.labels[60:] == -1).all() and graph.n == 60 + len(stars)
    again = tmp_path / "again.npz"
    words = npz_words(meta["command"])
    assert run(*words, "--out", again).code == 0
    assert read_npz(again).hash == graph.hash
    played = run("simulate", "--learner", "molg-f", "--graph", out, "--repeats", 2, "--json")
    assert json.loads(played.out)["rounds"] == 60
    assert any("18 label(s) were spent" in note for note in json.loads(played.out)["notes"])
    asked = run("simulate", "--learner", "label-propagation", "--graph", out, "--repeats", 1,
                "--feedback", "seeds:split=fixed", "--json")  # fmt: skip
    assert json.loads(asked.out)["rounds"] == 60
    assert run("fuse", *files, "--out", out).code == 2  # not without --force


def npz_words(command):
    import shlex

    return shlex.split(command)[1:]


def test_eliminated(run, files, tmp_path):
    out = tmp_path / "fused.npz"
    given = [*files, "--features", "f.csv", *SOME, "--out", out]
    assert run("fuse", *given, "--eliminate").code == 0
    graph = read_npz(out)
    assert graph.n == 60 and all(isinstance(i, str) for i in graph.ids)


def test_all_labels_of_your_files_unless_you_say_less(run, files, tmp_path):
    out = tmp_path / "fused.npz"
    found = json.loads(run("fuse", *files, "--out", out, "--json").out)
    assert found["labels"] == 60 and read_split(out) is None
    assert "all 60 labels were spent on its weights; none is left to score by" in found["notes"]


def test_a_strangers_learner_may_weigh(run, files, plugin_file):
    more = """
    def fit(self, state, given):
        return 1

    def layer_weights(self, state):
        return {"noise.csv": 1.0, "good.csv": 3.0}


@graphol.hookimpl"""
    plugin = plugin_file("votes", ("\n\n@graphol.hookimpl", more))
    result = run("fuse", *files, "--plugin", plugin, "--learner", "votes", "--json")
    assert result.code == 0, result.err
    found = {row["layer"]: row["weight"] for row in json.loads(result.out)["layers"]}
    assert found == {"noise.csv": 1.0, "good.csv": 3.0}


def test_the_picture(run, files, tmp_path):
    pytest.importorskip("matplotlib")
    assert run("fuse", *files, *SOME, "--plot", tmp_path / "w.png").code == 0
    assert (tmp_path / "w.png").read_bytes()[:4] == b"\x89PNG"


def test_refused(refused, files, tmp_path):
    assert refused("fuse", *files, "--learner", "gpa") == (
        "gpa gives layers no weights of their own; take one that does, multi-mrf"
    )
    assert "full feedback gives no labels away" in refused("fuse", *files, "--feedback", "full")
    assert "has no split" in refused("fuse", *files, "--feedback", "seeds:split=fixed")
    assert "--features needs --graph" in refused("fuse", "--features", "f.csv")
    said = refused("fuse", *files, "--feedback", "seeds:per_class=500")
    assert "labelled node(s), per_class=500 wants more" in said
    said = refused("fuse", *files, "--feedback", "seeds:count=1", code=3)
    assert "1 label(s) of 1 class(es) are given" in said
    (tmp_path / "none.csv").write_text("source,target\nn1,n1\n")
    said = refused("fuse", *files, "--graph", "none.csv", code=3)
    assert "none.csv: no edges are left" in said
    (tmp_path / "other.csv").write_text("source,target\nu,v\n")
    assert "other.csv has no node in common with" in refused(
        "fuse", *files, "--graph", "other.csv", code=3
    )
    (tmp_path / "bad.csv").write_text("node,w\nn1,nan\n")
    said = refused("fuse", *files, "--features", "bad.csv", code=3)
    assert said.startswith("bad.csv line 2: 'nan' is not allowed")
    assert "is no graph with classes" in refused("fuse", "--dataset", "switching-sbm")
    assert "--cap must be > 0, got 0" in refused("fuse", *files, "--cap", 0)
    assert "must be >= 0" in refused("fuse", *files, "--seed", "-1")
