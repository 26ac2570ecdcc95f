"""``graphol project``: a project from files, labels in and out."""

from __future__ import annotations

import json

import pytest

from graphol import Project
from graphol.formats import read_graph

EDGES = 'source,target\nann,bob\nbob,cyd\ncyd,"d,x"\n'


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "e.csv": EDGES,
        "n.csv": "id,Title,picture,town\nann,Ann A.,a.png,Rome\nzed,Z,,\n",
        "l.csv": 'node,label\nann,tea\n"d,x",coffee\n',
        "f.csv": "node,feature\nann,likes\nbob,likes\n",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def project(run, files):
    assert run("project", "create", "p.graphol", "--graph", "e.csv", "--classes", "tea,coffee",
               "--quiet").code == 0  # fmt: skip
    return files / "p.graphol"


def test_a_project_of_files(run, files):
    made = run(
        "project", "create", "p.graphol", "--graph", "e.csv", "--nodes", "n.csv", "--labels",
        "l.csv", "--features", "f.csv", "--title", "Drinks", "--classes", 'tea,"milk, hot"',
        "--annotator", "ann", "--json",
    )  # fmt: skip
    assert made.code == 0, made.err
    found = json.loads(made.out)
    assert (found["nodes"], found["labelled"], found["features"]) == (4, 2, 1)
    assert [each["name"] for each in found["classes"]] == ["tea", "milk, hot", "coffee"]
    assert found["annotators"] == [{"name": "ann", "answers": 2}]
    for said in ("2 node(s) without features", "1 node(s) of n.csv are not in the graph",
                 "1 picture(s) cannot be shown: there is no --pictures DIR"):  # fmt: skip
        assert said in made.err
    assert json.loads(run("project", "info", "p.graphol", "--json").out) == found
    with Project.open(files / "p.graphol") as project:
        assert project.texts(0) == {"title": "Ann A.", "picture": "a.png", "town": "Rome"}
    again = run("project", "create", "p.graphol", "--graph", "e.csv")
    assert again.code == 2 and "never replaced" in again.err


def test_labels_of_a_data_set_are_taken_when_asked(run, files):
    blocks = ("--dataset", "sbm:nodes=300,classes=3", "--quiet", "--json")
    without = json.loads(run("project", "create", "p.graphol", *blocks).out)
    assert (without["labelled"], len(without["classes"])) == (0, 3)
    taken = json.loads(run("project", "create", "q.graphol", *blocks, "--take-labels").out)
    assert taken["labelled"] == taken["nodes"] > 200
    with Project.open(files / "p.graphol") as one, Project.open(files / "q.graphol") as other:
        assert one.hash == other.hash and one.graph.labels is None


def test_out_and_in_again(run, project, files):
    assert run("project", "import", "p.graphol", "l.csv", "--annotator", "me").out == (
        "2 new, 0 changed, 0 known\n"
    )
    assert run("project", "export", "p.graphol", "--out", "o.csv").code == 0
    assert (files / "o.csv").read_text() == (files / "l.csv").read_text()
    assert run("project", "export", "p.graphol", "--out", "o.csv").code == 2
    assert read_graph("e.csv", labels="o.csv").labels.tolist() == [1, -1, -1, 0]
    for option, name in (("--votes", "v.csv"), ("--events", "log.jsonl")):
        done = run("project", "export", "p.graphol", "--out", name, option, "--json")
        assert json.loads(done.out)["lines"] == len((files / name).read_text().splitlines()) - (
            name == "v.csv"
        )


def test_formulas_go_out_as_they_are_and_are_named(run, project, files):
    (files / "m.csv").write_text('node,label\nann,"=HYPERLINK(""x"")"\n')
    done = run("project", "import", "p.graphol", "m.csv", "--annotator", "me", "--add-classes")
    assert done.code == 0
    told = run("project", "export", "p.graphol", "--out", "o.csv").out.splitlines()
    assert told[0] == "1 line(s) of labels in o.csv" and "formulas to a spreadsheet" in told[1]
    assert (files / "o.csv").read_text() == (files / "m.csv").read_text()
    log = run("project", "export", "p.graphol", "--out", "o.jsonl", "--events", "--json")
    assert json.loads(log.out)["notes"] == []


def test_several_annotators_in_the_table(run, project, files):
    (files / "m.csv").write_text("node,label\nann,coffee\nbob,tea\n")
    for file, who in (("l.csv", "one"), ("m.csv", "two")):
        assert run("project", "import", "p.graphol", file, "--annotator", who).code == 0
    out = run("project", "info", "p.graphol").out
    assert "one        two        1      0.0  0.000" in out and "disputed    1" in out
    assert "labelled    2" in out and "labelled    3" in (
        run("project", "info", "p.graphol", "--policy", "last").out
    )


def test_classes_are_changed(run, project):
    assert run("project", "add-class", "p.graphol", "milk").code == 0
    assert run("project", "rename-class", "p.graphol", "tea", "black tea").code == 0
    done = run("project", "merge-class", "p.graphol", "milk", "coffee", "--json")
    assert json.loads(done.out)["classes"] == [
        {"number": 0, "name": "black tea"}, {"number": 1, "name": "coffee"}
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["info", "e.csv"], 3, "not a graphol project"),
        (["info", "q.graphol"], 3, "did you mean 'p.graphol'?"),
        (["create", "q.graphol"], 2, "give --graph FILE, or --dataset NAME"),
        (["create", "q.graphol", "--graph", "e.csv", "--take-labels"], 2, "comes without labels"),
        (["create", "no/q.graphol", "--graph", "e.csv"], 2, "there is no folder no"),
        (["create", "q.graphol", "--graph", "e.csv", "--classes", "a,a"], 2, "two classes"),
        (["create", "q.graphol", "--graph", "e.csv", "--nodes", "l.csv", "--pictures", "x"], 2,
         "no such folder"),
        (["import", "p.graphol", "n.csv", "--annotator", "x"], 3, "header must be node,label"),
        (["rename-class", "p.graphol", "coffe", "x"], 2, "did you mean 'coffee'?"),
        (["merge-class", "p.graphol", "tea", "tea"], 2, "one class already"),
        (["export", "p.graphol", "--out", "x.txt"], 2, "ends in .csv"),
        (["export", "p.graphol", "--out", "x.csv", "--votes", "--events"], 2, "not both"),
    ],
)  # fmt: skip
def test_what_is_refused(run, project, files, arguments, code, said):
    before = sorted(each.name for each in files.iterdir())
    done = run("project", *arguments)
    assert done.code == code and done.err.count("\n") == 1, done.err
    assert said in done.err
    assert sorted(each.name for each in files.iterdir()) == before
