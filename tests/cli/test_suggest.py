"""``graphol suggest``, and ``simulate --strategy``."""

from __future__ import annotations

import csv
import json

import pytest

LP = ["--learner", "label-propagation"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.csv").write_text("source,target\na,b\nb,c\nc,d\nd,e\ne,f\nf,g\nx,y\n")
    (tmp_path / "l.csv").write_text("node,label\na,tea\ng,cup\n")
    return ["--graph", "e.csv", "--labels", "l.csv"]


def test_rows_and_json_say_the_same(run, files):
    found = json.loads(run("suggest", *files, *LP, "-n", 3, "--json").out)
    assert (found["strategy"], found["labels"], found["schema"]) == ("uncertainty", 2, 1)
    rows = found["suggestions"]
    assert [row["rank"] for row in rows] == [1, 2, 3]
    nodes = [row["node"] for row in rows]
    assert len({*nodes}) == 3 and {*nodes} <= {*"bcdefxy"}
    for row in rows:
        wanted = "no label reaches it" if row["node"] in "xy" else "unsure between"
        assert row["reason"].startswith(wanted)
    lines = run("suggest", *files, *LP, "-n", 3).out.splitlines()
    assert lines[0].split()[:4] == ["rank", "node", "worth", "guess"]
    assert [line.split()[1] for line in lines[1:]] == [row["node"] for row in rows]


def test_without_labels_and_without_a_second_class(run, files):
    for more in ([], ["--labels", "one.csv"]):
        with open("one.csv", "w") as file:
            file.write("node,label\na,tea\n")
        found = json.loads(run("suggest", "--graph", "e.csv", *more, "-n", 2, "--json").out)
        assert found["learner"] is None and found["labels"] == len(more) // 2
        assert {row["guess"] for row in found["suggestions"]} == {None}


def test_out_is_the_table(run, files):
    assert run("suggest", *files, *LP, "-n", 2, "--out", "next.csv").code == 0
    with open("next.csv") as file:
        rows = [*csv.DictReader(file)]
    found = json.loads(run("suggest", *files, *LP, "-n", 2, "--json").out)["suggestions"]
    assert [row["rank"] for row in rows] == ["1", "2"]
    for key in ("node", "guess", "reason"):
        assert [row[key] for row in rows] == [row[key] for row in found]


def test_a_strategy_of_a_plugin(run, files, tmp_path):
    (tmp_path / "last.py").write_text(
        "import attrs, numpy as np\nfrom graphol import hookimpl\n\n\n@attrs.frozen\nclass Last:\n"
        '    """The last node first."""\n\n    name = "last"\n    spreads = False\n\n'
        "    def values(self, situation, rng):\n        return np.arange(situation.graph.n) * 1.0\n"
        "\n\n@hookimpl\ndef graphol_strategies():\n    return [Last]\n"
    )
    more = ["--strategy", "last", "--plugin", "last.py"]
    found = json.loads(run("suggest", *files, *LP, *more, "-n", 2, "--json").out)
    assert [row["node"] for row in found["suggestions"]] == ["y", "x"]
    assert "no label reaches it" in found["suggestions"][0]["reason"]


def test_every_node_has_a_label(run, files, tmp_path):
    letters = "abcdefgxy"
    (tmp_path / "all.csv").write_text(
        "node,label\n" + "".join(f"{x},{'tc'[x < 'd']}\n" for x in letters)
    )
    done = run("suggest", "--graph", "e.csv", "--labels", "all.csv", *LP)
    assert (done.code, done.out) == (0, "") and "every node has a label" in done.err


def test_seeds_of_a_data_set(run):
    found = json.loads(
        run("suggest", "--dataset", "sbm:nodes=60,classes=2", "--feedback", "seeds:per_class=3",
            *LP, "-n", 4, "--json").out
    )  # fmt: skip
    assert found["labels"] in (5, 6) and len(found["suggestions"]) == 4


def test_refused(refused, files):
    assert "did you mean 'uncertainty'" in refused("suggest", *files, "--strategy", "uncertainly")
    assert "count must be a whole number >= 1, got 0" in refused("suggest", *files, "-n", 0)
    assert "a table ends in .csv" in refused("suggest", *files, "--out", "x.txt")


GAME = ["simulate", "--learner", "label-propagation", "--dataset", "sbm:nodes=60,classes=2"]


def test_a_game_is_kept_drawn_and_read_back(run, tmp_path):
    out, plot = tmp_path / "out", tmp_path / "rest.svg"
    done = run(*GAME, "--strategy", "variance", "--rounds", 30, "--repeats", 2,
               "--out", out, "--plot", plot, "--json")  # fmt: skip
    row = json.loads(done.out)
    assert row["recipe"]["engine"]["strategy"].startswith("variance:of=survey")
    assert 0 <= row["rest_mean"] <= row["rest_20_mean"] <= 1
    assert "of all other nodes" in plot.read_text()
    table = run("report", out).out.splitlines()
    assert table[0].split()[-2:] == ["rest_20", "rest"] and len(table) == 2


@pytest.mark.parametrize(("more", "said"), [
    (["--first", 3], "give one: --strategy"),
    (["--strategy", "random", "--regret"], "leave --regret out"),
    (["--strategy", "random", "--feedback", "seeds"], "leave --feedback seeds out"),
    (["--strategy", "random", "--noise", 0.1], "there is no --noise"),
    (["--strategy", "random", "--every", 0], "every must be a whole number >= 1, got 0"),
])  # fmt: skip
def test_a_game_that_cannot_be_played(refused, more, said):
    assert said in refused(*GAME, *more)
