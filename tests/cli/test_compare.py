"""``graphol compare``, from the outside."""

from __future__ import annotations

import csv
import json

import pytest

from graphol.cli.options import names

pytestmark = pytest.mark.long  # what is played is the same on every Python

SMALL = ("--dataset", "sbm:nodes=60,classes=2", "--repeats", 2)
KEYS = [
    "learner", "dataset", "feedback", "embedding", "params", "rounds", "repeats",
    "error_rate_mean", "error_rate_std", "updates_mean", "queries_mean", "us_per_round", "label",
    "against", "difference", "difference_low", "difference_high", "confidence", "interval",
    "differs", "error_rate_ci_low", "error_rate_ci_high", "target", "known_mean",
    "known_error_rate_mean", "seed", "graph_hash", "versions", "command", "recipe", "schema",
]  # fmt: skip


def test_one_row_per_learner(run):
    result = run("compare", "--learners", "gpa,molg-f:b=20,phi=5", "--learner", "oslg", *SMALL)
    head, *lines = result.out.splitlines()
    assert (result.code, result.err) == (0, "")
    assert [line.split()[0] for line in lines] == ["gpa", "molg-f:b=20,phi=5", "oslg"]
    assert head.split()[:2] == ["learner", "feedback"] and head.endswith("95 % paired t")


def test_learners_of_kernels_and_of_graphs_take_part(run):
    names = ["gpa", "kernel-perceptron", "label-propagation"]
    call = ("compare", "--learners", ",".join(names), *SMALL, "--feedback", "seeds:count=20")
    rows = json.loads(run(*call, "--json").out)
    assert [row["learner"] for row in rows] == names
    assert all(row["queries_mean"] == 20 and row["error_rate_mean"] < 0.4 for row in rows)


def test_json_has_fixed_keys(run):
    call = ("compare", "--learners", "gpa,oslg", *SMALL, "--json", "--against", "oslg")
    rows = json.loads(run(*call, "--confidence", 0.9, "--seed", 3, "--rounds", 40).out)
    assert [list(row) for row in rows] == [KEYS, KEYS]
    assert [row["label"] for row in rows] == ["gpa", "oslg"]
    assert rows[1]["difference"] == 0 and rows[1]["differs"] is None
    assert (rows[0]["rounds"], rows[0]["seed"], rows[0]["confidence"]) == (40, 3, 0.9)
    one = json.loads(run(*call, "--repeats", 1).out)
    assert one[0]["difference_low"] is None


def test_unlike_feedback_is_a_note(run):
    call = ("compare", "--learners", "gpa,molg-b", *SMALL)
    assert "not all are told the same" in run(*call).err
    assert run(*call, "--quiet").err == ""


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_plot_and_out(run, tmp_path, ending):
    path, out = tmp_path / f"curves.{ending}", tmp_path / "out"
    call = ("compare", "--learners", "gpa,oslg", *SMALL, "--plot", path, "--out", out)
    assert run(*call).code == 0
    assert path.stat().st_size > 1000
    if ending == "svg":
        assert "gpa" in path.read_text() and "sbm (mean ± std of 2)" in path.read_text()
    assert {file.name for file in out.iterdir()} == {"1-gpa", "2-oslg", "compare.json"}
    again = run(*call)
    assert (again.code, again.out) == (2, "") and "--force" in again.err
    assert run(*call, "--force").code == 0
    assert sorted(file.name for file in tmp_path.glob("*curves*")) == [path.name]


def test_fewer_learners_leave_nothing_of_the_larger_comparison(run, tmp_path):
    out = tmp_path / "out"
    assert run("compare", "--learners", "gpa,oslg,ollgc", *SMALL, "--out", out).code == 0
    (out / "2-oslg" / "mine.txt").touch()
    assert run("compare", "--learners", "gpa,molg-f", *SMALL, "--out", out, "--force").code == 0
    found = {str(file.relative_to(out)) for file in out.glob("*/meta.json")}
    assert found == {"1-gpa/meta.json", "2-molg-f/meta.json"}
    assert {f.name for f in out.iterdir()} == {"1-gpa", "2-molg-f", "2-oslg", "compare.json"}
    assert [f.name for f in (out / "2-oslg").iterdir()] == ["mine.txt"]  # not ours to remove


def test_own_graph_plugin_jobs_noise_and_delay(run, tmp_path, plugin_file):
    edges = "".join(f"{i},{(i + k) % 12}\n" for i in range(12) for k in (1, 2))
    (tmp_path / "e.csv").write_text("source,target\n" + edges)
    labels = "".join(f"{i},{'ab'[i // 6]}\n" for i in range(12))
    (tmp_path / "l.csv").write_text("node,label\n" + labels)
    call = (
        "compare", "--learners", "gpa,majority", "--plugin", plugin_file(), "--jobs", 2,
        "--graph", tmp_path / "e.csv", "--labels", tmp_path / "l.csv", "--component", "largest",
        "--embedding", "spectral:dim=4", "--noise", 0.1, "--delay", 1, "--repeats", 2, "--json",
    )  # fmt: skip
    rows = json.loads(run(*call).out)
    assert [row["embedding"] for row in rows] == ["spectral", "spectral"]
    assert rows[0]["recipe"]["engine"]["noise"] == 0.1


def test_specs_keep_their_commas():
    assert names("a,b:x=1,y=2,c:z=3,d") == ["a", "b:x=1,y=2", "c:z=3", "d"]
    assert names("a, b") == ["a", "b"]
    assert names("") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "a comparison needs at least 2 learners, got 0"),
        (("--learners", "gpa"), "at least 2 learners, got 1"),
        (("--learners", "gpa,"), "unknown learner ''"),
        (("--learners", "gpa,molgf"), "did you mean 'molg-f'?"),
        (("--learners", "gpa,gpa"), "gpa is given twice"),
        (("--learners", "gpa,oslg", "--against", "ogsl"), "did you mean 'oslg'?"),
        (("--learners", "gpa,oslg", "--confidence", 2), "confidence must be > 0 and < 1, got 2"),
        (("--learners", "gpa,oslg", "--repeats", 0), "repeats must be >= 1, got 0"),
        (("--learners", "gpa,oslg", "--feedback", "bandit"), "try --feedback full"),
        (("--learners", "gpa,molg-b:b=0.1", *SMALL), "b must be > max ||x||²"),
        (("--learners", "gpa,oslg", "--plot", "a.jpg"), "a plot ends in .pdf, .png or"),
        (("--learners", "gpa,oslg", "--labels", "x.csv"), "--labels needs --graph"),
    ],
)
def test_wrong_calls_are_one_line(refused, arguments, message):
    assert message in refused("compare", *arguments)


TWO = ("--dataset", "sbm:nodes=60,classes=2,sbm:nodes=90,classes=3", "--repeats", 3)


def test_several_data_sets_in_one_table(run, tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "out"
    call = ("compare", "--learners", "gpa,oslg", *TWO, "--against", "oslg")
    result = run(*call, "--csv", path, "--out", out, "--regret")
    table, tally = result.out.split("\n\n")
    head, *lines = table.splitlines()
    assert head.startswith("dataset") and len(lines) == 4 and "best linear" in head
    assert tally.startswith("against oslg on 2 data sets, by p Holm < 0.05 of 2 comparisons")
    rows = json.loads(run(*call, "--json").out)
    assert [list(row)[: len(KEYS) - 1] for row in rows] == [KEYS[:-1]] * 4
    with path.open(newline="", encoding="utf-8") as file:
        kept = list(csv.DictReader(file))
    for row, line in zip(rows, kept, strict=True):
        assert (line["dataset"], line["learner"]) == (row["dataset_label"], row["label"])
        assert line["error %"] == f"{100 * row['error_rate_mean']:.2f}"
        assert line["p Holm"] == ("" if row["p_holm"] is None else f"{row['p_holm']:.2g}")
    again = run("report", out)
    assert again.out.split("\n\n")[1] == tally
    assert json.loads(run("report", out, "--json").out)[0]["against"] == "oslg"
    parts = sorted(map(str, out.iterdir()))
    assert run("report", *parts).out == again.out


def test_the_reference_alone_on_one_data_set_is_holm(run):
    call = ("compare", "--learners", "gpa,oslg,molg-f", *SMALL)
    plain, corrected = run(*call).out, run(*call, "--holm").out
    assert "p Holm" not in plain and "p Holm" in corrected
    assert "on 1 data set," in corrected


def test_repeatable_and_in_a_list_is_the_same(run):
    call = ("compare", "--learners", "gpa,oslg", "--repeats", 2, "--json")
    one = run(*call, "--dataset", "sbm:nodes=60,classes=2", "--dataset", "sbm:nodes=90").out
    two = run(*call, "--dataset", "sbm:nodes=60,classes=2,sbm:nodes=90").out
    shown = [
        [(r["dataset_label"], r["error_rate_mean"]) for r in json.loads(x)] for x in (one, two)
    ]
    assert shown[0] == shown[1] and len(shown[0]) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--dataset", "sbm,sbm"), "sbm is given twice"),
        (("--dataset", "sbm", "--dataset", "smb"), "did you mean 'sbm'?"),
        (("--dataset", "sbm,digits", "--graph", "e.csv"), "give --dataset sbm or --graph e.csv"),
        (("--draw", "queries"), "add --plot FILE"),
        (("--regret", "--one-vs-rest"), "leave --one-vs-rest or --fuse out"),
        (("--tex", "t.csv"), "this table ends in .tex"),
    ],
)
def test_wrong_calls_on_several_are_one_line(refused, arguments, message):
    assert message in refused("compare", "--learners", "gpa,oslg", *arguments)


def test_tables_are_refused_before_anything_is_played(refused, tmp_path, monkeypatch):
    def no(*args, **kwargs):
        raise AssertionError("a game was played")

    monkeypatch.setattr("graphol.runner.each_turn", no)
    mine = tmp_path / "t.md"
    mine.write_text("mine")
    assert "--force" in refused("compare", "--learners", "gpa,oslg", *SMALL, "--markdown", mine)
    assert mine.read_text() == "mine"
