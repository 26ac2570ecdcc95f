"""The list, the table, the JSON and the picture of ``graphol reproduce``."""

from __future__ import annotations

import html
import json
import re
import shlex

import pytest

from graphol.cli.reproduce import _names
from graphol.errors import UsageError
from graphol.report.columns import _digits
from graphol.reproduce import OWN
from graphol.reproduce import run as reproduce

pytestmark = pytest.mark.long  # what is played is the same on every Python

EXPERIMENTS = {each.name: each for each in OWN}

SMALL = "sbm:nodes=60,classes=2"
KEYS = [
    "table", "dataset", "learner", "metric", "paper", "paper_std", "measured", "std", "verdict",
]  # fmt: skip
QUICK = ("--quick", "--repeats", 2, "--jobs", 1)


def test_bare_and_list_name_everything(run):
    listed = run("reproduce")
    assert [line.split()[0] for line in listed.out.splitlines()] == ["name", *EXPERIMENTS]
    assert (listed.code, listed.err) == (0, "")
    assert run("reproduce", "--list") == listed
    rows = json.loads(run("reproduce", "--json").out)
    assert [row["name"] for row in rows] == list(EXPERIMENTS)


def test_json_rows(run):
    result = run("reproduce", "kdd13-table2", "--datasets", f"cora,{SMALL},imdb", *QUICK, "--json")
    rows = json.loads(result.out)
    assert all(list(row)[:9] == KEYS for row in rows)
    assert list(dict.fromkeys(row["dataset"] for row in rows)) == ["cora", SMALL, "imdb"]
    same = reproduce("kdd13-table2", datasets=["cora", SMALL, "imdb"], quick=True, repeats=2)
    wanted = [row.as_dict() | {"schema": 1} for row in same.rows]
    for row in (*rows, *wanted):
        if row["metric"] == "seconds":  # which no two runs share
            row["measured"] = row["std"] = None
    assert rows == wanted
    notes = result.err.splitlines()
    assert len(notes) == 2
    assert "graphol datasets fetch cora" in notes[0]
    assert "not redistributable" in notes[1]


def test_the_table_has_paper_measured_and_verdict(run):
    told = run("reproduce", "kdd13-table2", "--datasets", f"imdb,{SMALL}", *QUICK, "--quiet")
    title, reference, gap, head, *lines = told.out.splitlines()
    assert title.startswith("KDD 2013, Table 2") and reference.startswith("Gu,") and gap == ""
    assert head.split() == ["dataset", "learner", "metric", "measured", "verdict", "played", "with"]
    assert lines[0].split() == ["imdb", "all", "data", "not", "available"]
    metrics = ["error_rate", "queries", "seconds"]
    assert [line.split()[1:3] for line in lines[1:10]] == [
        [learner, metric] for learner in ("gpa", "ollgc", "sslgc") for metric in metrics
    ]
    assert "kappa=0.4" in lines[9]
    assert lines[10] == "" and lines[11].startswith("- ")
    assert told.err == ""


def test_a_figure_is_drawn(run, tmp_path):
    path = tmp_path / "fig.png"
    call = ("reproduce", "kdd13-fig3", "--datasets", f"imdb,{SMALL}", *QUICK, "--plot", path)
    told = run(*call)
    assert told.code == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert "queries" in told.out.splitlines()[3].split()
    assert run(*call).code == 2
    assert run(*call, "--force").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kdd13-tabel2"], "did you mean 'kdd13-table2'?"),
        (["zzz"], "there are: aistats19-fusing"),
        (["kdd13-table2", "--datasets", "coar"], "did you mean 'cora'?"),
        (["kdd13-table2", "--datasets", "cora,,imdb"], "a name is empty"),
        (["kdd13-table2", "--repeats", "0"], "repeats must be >= 1"),
        (["kdd13-table2", "--jobs", "0"], "jobs must be >= 1"),
        (["kdd13-table2", "--plot", "x.png"], "kdd13-table2 is a table"),
        (["kdd13-fig1", "--plot", "x.bmp"], "a plot ends in"),
        (["kdd13-table2", "--games", "full"], "has no --games; that is an option of the arena"),
        (["arena", "--games", "ful"], "did you mean 'full'?"),
        (["arena", "--learners", "fastnol"], "did you mean 'fastonl'?"),
        (["arena", "--learners", "gpa,"], "--learners 'gpa,': a name is empty"),
        (["arena", "--limit", "0"], "--limit must be > 0 seconds, got 0"),
        (["arena", "--repeats", "20"], "take others, for example --repeats 100-119"),
    ],
)
def test_refusals_are_one_line(refused, arguments, message):
    assert message in refused("reproduce", *arguments)


@pytest.mark.filterwarnings("default")
def test_old_names_work_with_a_note(run):
    call = ("--datasets", SMALL, "--quick", "--repeats", 1, "--jobs", 1, "--json")
    old, new = (run("reproduce", f"{paper}-fig1", *call) for paper in ("ijcai19", "ijcai18"))
    assert old.out == new.out and (old.code, new.err) == (0, "")
    assert old.err == (
        "graphol: note: ijcai19-fig1 is now called ijcai18-fig1: the paper is of 2018\n"
    )
    assert run("reproduce", "ijcai19-fig1", *call, "--quiet").err == ""


def test_some_repeats(run):
    call = ("reproduce", "kdd13-table2", "--datasets", SMALL, "--quick", "--jobs", 1, "--json")
    rows = json.loads(run(*call, "--repeats", "2-4").out)
    assert {row["repeats"] for row in rows} == {3}
    assert all("--one-vs-rest --repeats 2-4 --seed 0" in row["command"] for row in rows)


def test_nothing_to_draw(run, tmp_path):
    path = tmp_path / "fig.png"
    told = run("reproduce", "kdd13-fig1", "--datasets", "imdb", "--plot", path)
    assert (told.code, told.out) == (2, "")
    assert "nothing was measured" in told.err
    assert not path.exists()


def test_names_may_have_parameters():
    assert _names(f"cora, {SMALL},imdb,cora", "--datasets") == ["cora", SMALL, "imdb"]
    with pytest.raises(UsageError, match="a name is empty"):
        _names("cora,", "--datasets")


def test_the_arena(run, tmp_path):
    call = ("reproduce", "arena", "--datasets", f"{SMALL},imdb", "--games", "full", "--learners",
            "gpa,fastonl", "--out", tmp_path / "cells", *QUICK[:1], "--jobs", 1)  # fmt: skip
    told = run(*call)
    title, _, gap, heading, head, *lines = told.out.splitlines()
    assert told.code == 0 and title.startswith("Arena") and gap == ""
    assert heading == f"{SMALL}, full: scored on repeats 100-102, settings chosen on 0-1"
    assert head.split()[:3] == ["learner", "settings", "error"] and head.endswith("verdict")
    assert lines[0].split()[:2] == ["pool", "1"] and lines[0].endswith("champion")
    assert lines[1].startswith("fastonl") and lines[2].startswith("gpa")
    assert lines[4] == "imdb" and lines[6].split() == ["all", "data", "not", "available"]
    assert any(line.startswith("- full: pool ") for line in lines)
    rows = json.loads(run(*call, "--json").out)
    assert [row["learner"] for row in rows] == ["pool", "fastonl", "gpa", "all"]
    assert all(list(row)[:9] == KEYS for row in rows) and len(rows[1]["errors"]) == 3


def test_figures_have_about_four_digits():
    assert [_digits(v) for v in (0.07581, 20.774, 3613.4, 1525, 10, None)] == [
        "0.0758", "20.77", "3613", "1525", "10", "",
    ]  # fmt: skip
    assert _digits(0.5, 3613.0) == "0"


THEIRS = """
import attrs
from graphol import Prediction, hookimpl
from graphol.reproduce import Entry, Metric, PrintedTable

@attrs.frozen
class First:
    name = "always-first"
    feedback = "full"
    learns_from = ("label",)
    targets = ("classes",)
    needs = "nothing"

    def start(self, problem):
        return ()

    def predict(self, state, instance):
        return Prediction(0)

    def update(self, state, instance, prediction, reveal):
        return 0

ERROR = Metric("error_percent", lambda played: 100 * played.error_rates)
TABLE = PrintedTable(
    name="theirs-table1", title="Theirs", reference="nobody", datasets=("DATA",),
    entries=(Entry("always-first", "", (ERROR,)), Entry("gpa", "spectral", (ERROR,))),
    published={"error_percent": {"always-first": {"DATA": 50.0}}},
)

@hookimpl
def graphol_learners():
    return [First]

@hookimpl
def graphol_experiments():
    return [TABLE]
"""


def test_a_stranger_brings_a_learner_and_its_table(run, tmp_path):
    blocks = "sbm:nodes=80,classes=2"
    (tmp_path / "theirs.py").write_text(THEIRS.replace("DATA", blocks))
    call = ("--plugin", tmp_path / "theirs.py", "--repeats", 2, "--jobs", 1, "--json")
    told = run("reproduce", "theirs-table1", *call)
    rows = {row["learner"]: row for row in json.loads(told.out)}
    # classes of equal size, so whoever says the first one errs in half of the rounds
    assert rows["always-first"]["measured"] == 50.0
    assert rows["always-first"]["verdict"] == "reproduced"
    assert rows["gpa"]["verdict"] == "no published figure"
    listed = run("reproduce", *call[:2])
    assert "theirs-table1" in listed.out
    offers = json.loads(run("plugins", *call[:2], "--json").out)
    assert [row["offers"] for row in offers if row["name"] == "theirs"] == [
        {"learner": ["always-first"], "experiment": ["theirs-table1"]}
    ]


@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        ("number", "return [3]", "it gave int, not a value of graphol.reproduce.Experiment"),
        ("raises", "raise ValueError('no')", "ValueError: no"),
        ("text", "return 'kdd13-table2'", "gave str, not a list of values"),
        ("endless", "return __import__('itertools').repeat(1)", "more than 10000 values"),
    ],
)
def test_a_hook_for_experiments_that_breaks_is_listed_and_hurts_nobody(
    run, refused, install, name, body, reason
):
    hook = f"import graphol\n\n@graphol.hookimpl\ndef graphol_experiments():\n    {body}\n"
    install(name, hook)
    rows = {row["name"]: row for row in json.loads(run("plugins", "--json").out)}
    assert rows[name]["state"].startswith("failed: ") and reason in rows[name]["state"]
    assert f"plugin {name} failed: see `graphol plugins`" in refused("reproduce", "no-such-table")
    assert "kdd13-table2" in run("reproduce").out


def test_two_tables_of_one_name_are_refused(refused, tmp_path):
    (tmp_path / "again.py").write_text(
        "import graphol\nfrom graphol.reproduce import OWN\n\n@graphol.hookimpl\n"
        "def graphol_experiments():\n    return OWN[:1]\n"
    )
    line = refused("reproduce", OWN[0].name, "--plugin", tmp_path / "again.py")
    assert f"{OWN[0].name} is offered by both graphol" in line


def test_a_page_that_is_there_is_refused_before_anything_is_played(run, tmp_path, monkeypatch):
    def play(*_, **__):
        raise AssertionError("it was played")

    monkeypatch.setattr("graphol.reproduce.run", play)
    monkeypatch.setattr("graphol.reproduce.run_kept", play)
    page = tmp_path / "page.html"
    page.write_text("mine")
    for name in ("kdd13-table2", "all"):
        told = run("reproduce", name, "--html", page)
        assert (told.code, told.out) == (2, "")
        assert told.err == f"graphol: {page} exists; add --force to replace it\n"
    assert page.read_text() == "mine"
    told = run("reproduce", "all", "--html", tmp_path / "page.pdf")
    assert told.code == 2 and "a page ends in .html" in told.err


def test_the_command_at_the_end_of_a_page_makes_it_again(run, tmp_path):
    page = tmp_path / "page.html"
    asked = ("reproduce", "kdd13-table2", "--datasets", SMALL, "--repeats", "1-2", "--quick")
    assert run(*asked, "--seed", 3, "--out", tmp_path / "parts", "--html", page).code == 0
    first = html.unescape(page.read_text(encoding="utf-8"))
    (command,) = set(re.findall(r"graphol reproduce kdd13-table2 [^<]* --force", first))
    _, *words = shlex.split(command)
    assert run(*words, "--out", tmp_path / "parts").code == 0
    assert html.unescape(page.read_text(encoding="utf-8")) == first


def test_the_arena_has_no_executor(run, tmp_path):
    told = run("reproduce", "arena", "--out", tmp_path / "games", "--executor", "serial")
    assert (told.code, told.out) == (2, "")
    assert told.err == "graphol: arena plays its games itself; leave out --executor\n"


@pytest.mark.parametrize("option", ["--datasets", "--games", "--learners", "--plot"])
def test_what_narrows_one_table_is_refused_for_all_of_them(refused, option):
    assert refused("reproduce", "all", option, "cora.png").startswith(f"{option} is for one table")


def test_ctrl_c_says_how_far_it_is(run, tmp_path, monkeypatch):
    def interrupted(*what, **how):
        raise KeyboardInterrupt

    call = ("reproduce", "kdd13-table2", "--datasets", SMALL, *QUICK, "--out", tmp_path / "parts")
    assert run(*call, "--executor", "serial").code == 0
    monkeypatch.setattr("graphol.reproduce.run_kept", interrupted)
    found = run(*call)
    line = f"1 of 1 parts are done and kept in {tmp_path / 'parts'}; the same command goes on from"
    assert found.code == 130 and found.out == "" and line in found.err
