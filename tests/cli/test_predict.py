"""``graphol predict``."""

from __future__ import annotations

import csv
import io
import itertools
import json

import numpy as np
import pytest

from graphol.testing.games import blocks

ALL = ["--learner", "poisson,label-propagation"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graph = blocks()
    i, j = graph.adjacency.nonzero()
    edges = [f"{graph.ids[a]},{graph.ids[b]}" for a, b in zip(i, j, strict=True) if a < b]
    (tmp_path / "e.csv").write_text("\n".join(["source,target", *edges, "x,y"]) + "\n")
    linked = np.unique(i)
    names = ["tea", "coffee", '=milk,"warm"']
    with open("l.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["node", "label"])
        writer.writerows([graph.ids[n], names[graph.labels[n]]] for n in linked[::2])
    return ["--graph", "e.csv", "--labels", "l.csv", *ALL]


def test_a_row_for_every_node(run, files, tmp_path):
    result = run("predict", *files, "--out", "out.csv")
    assert result.code == 0, result.err
    told = result.out.splitlines()
    assert told[0].startswith("41 nodes: 20 label(s) given") and "2 out of reach" in told[0]
    assert "by 20 label(s) held out" in told[1]
    assert told[2].startswith("probabilities are off by")
    assert "formulas to a spreadsheet" in told[3]
    with open("out.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 41 and {row["given"] for row in rows} == {"yes", "no"}
    assert [row["known"] for row in rows if row["node"] in "xy"] == ["no", "no"]
    for row in rows:
        p = {key: float(value) for key, value in row.items() if key.startswith("p_")}
        assert sum(p.values()) == pytest.approx(1, abs=1e-5)
        assert p["p_" + row["predicted"]] == max(p.values())
    assert run("predict", *files, "--out", "out.csv").code == 2
    assert run("predict", *files, "--out", "out.csv", "--force").code == 0


def test_the_same_everywhere(run, files, tmp_path):
    shown = run("predict", *files, "--out", "-")
    run("predict", *files, "--out", "out.csv", "-q")
    assert shown.out == (tmp_path / "out.csv").read_bytes().decode()
    assert "label(s) held out" in shown.err
    found = json.loads(run("predict", *files, "--json").out)
    with open("out.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["predicted"] for row in found["nodes"]] == [row["predicted"] for row in rows]
    assert found["labels"] == 20 and found["accuracy"]["answers"] == 20
    assert {"learner", "loss", "error", "weight", "seconds"} == {*found["candidates"][0]}
    assert "nodes" not in json.loads(run("predict", *files, "--json", "--out", "o.tsv").out)


def test_odd_ids_come_out_as_they_went_in(run, tmp_path, monkeypatch):
    """Breaks and marks of direction in ids are the user's own: in a file and through a pipe."""
    monkeypatch.chdir(tmp_path)
    ids = ["two\r\nlines", "\u202eturned", "a\x1b[2J", 'b,"c"', "1e3", "007"]
    with open("e.csv", "w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerows([("source", "target"), *itertools.pairwise(ids)])
    with open("l.csv", "w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerows([("node", "label"), (ids[0], "x"), (ids[-1], "y")])
    own = ["predict", "--graph", "e.csv", "--labels", "l.csv", *ALL]
    piped = run(*own, "--out", "-")
    assert run(*own, "--out", "out.csv").code == 0
    assert piped.out == (tmp_path / "out.csv").read_bytes().decode()
    rows = csv.DictReader(io.StringIO(piped.out, newline=""))
    assert [row["node"] for row in rows] == ids
    assert "\x1b" not in piped.err


def test_explained_and_drawn(run, files, tmp_path):
    result = run("predict", *files, "--explain", "--plot", "sure.svg")
    assert result.code == 0, result.err
    assert "and 11 more: --out FILE" in result.out
    assert "learner" in result.out and "label-propagation" in result.out
    assert "sure from" in result.out
    assert "<svg" in (tmp_path / "sure.svg").read_text()


def test_labels_of_a_data_set(run):
    found = json.loads(
        run("predict", "--dataset", "sbm:nodes=60,classes=2", "--feedback", "seeds:per_class=5",
            "--json", "--learner", "poisson").out
    )  # fmt: skip
    assert found["labels"] == 10 and len(found["nodes"]) == 60


def test_refused(refused, run, files, tmp_path):
    (tmp_path / "one.csv").write_text("node,label\nx,tea\n")
    (tmp_path / "none.csv").write_text("node,label\n")
    assert "the only label is 'tea'" in refused(
        "predict", "--graph", "e.csv", "--labels", "one.csv"
    )
    assert "no label is given" in refused("predict", "--graph", "e.csv")
    assert "labels go to .csv" in refused("predict", *files, "--out", "o.xlsx")
    assert "there is no folder" in refused("predict", *files, "--out", "no/o.csv")
    assert "give --json or --out -" in refused("predict", *files, "--out", "-", "--json")
    assert "--seed must be >= 0" in refused("predict", *files, "--seed", "-1")
    assert "did you mean 'poisson'" in refused("predict", *files[:4], "--learner", "poison")
