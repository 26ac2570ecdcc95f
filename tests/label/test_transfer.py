"""Labels out of a project and in again; odd ids, half a file, several moments."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphol import Graph, InputError, Project, UsageError
from graphol.formats.labels import read_labels
from graphol.label.project import Row

GRAPH = Graph.from_edges(["a", "b", "c", "d"], ["b", "c", "d", "a"], name="ring")
ODD = (
    "a,b", 'say "x"', "two\nlines", "Zoë 数学", "-5", "007", "node", "'=1+1", "a\tb", "\\n", "😀",
)  # fmt: skip


def ring(ids):
    return Graph.from_edges(ids, [*ids[1:], ids[0]])


@pytest.fixture
def project(tmp_path):
    with Project.create(tmp_path / "p.graphol", GRAPH, classes=["tea", "coffee"]) as made:
        made._connection.execute("PRAGMA synchronous = OFF")  # nobody pulls the plug here
        yield made


def test_what_goes_out_comes_in(tmp_path):
    graph = ring(ODD)
    names = ["label", "b,c", 'd"e', "ü"]
    with Project.create(tmp_path / "p.graphol", graph, classes=names) as one:
        for row in range(len(ODD)):
            one.answer(Row(row), "label", row % 4, annotator="ann")
        assert one.export_labels(tmp_path / "out.csv") == len(ODD)
        wanted = one.labelled()
    read = read_labels(graph, tmp_path / "out.csv")
    assert [read.label_names[k] for k in read.labels] == [
        wanted.label_names[k] for k in wanted.labels
    ]
    with Project.create(tmp_path / "q.graphol", graph) as other:
        found = other.import_labels(tmp_path / "out.csv", annotator="bob")
        assert (found.new, found.classes) == (len(ODD), tuple(sorted(names)))
        other.export_labels(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


@given(
    st.lists(TEXT.map(str.strip).filter(bool), min_size=3, max_size=6, unique=True)
    | st.lists(st.integers(-(10**20), 10**20), min_size=3, max_size=6, unique=True)
)
@settings(max_examples=8)
def test_any_ids(tmp_path_factory, ids):
    folder = tmp_path_factory.mktemp("ids")
    answers = {node: "xyz"[k % 3] for k, node in enumerate(ids[:-1])}
    with Project.create(folder / "p.graphol", ring(ids), answers=answers) as one:
        one.export_labels(folder / "out.csv")
        found = one.import_labels(folder / "out.csv", annotator="bob")
        assert (found.new, found.unknown) == (len(answers), 0)
        labels = one.labelled()
    assert labels.ids == tuple(ids)
    said = zip(ids, labels.labels, strict=True)
    assert {node: labels.label_names[k] for node, k in said if k >= 0} == answers


def test_a_row_that_looks_like_the_header(tmp_path):
    graph = ring(["node", "Node", "x"])
    answers = {"node": "label", "Node": "Label", "x": "label"}
    with Project.create(tmp_path / "p.graphol", graph, answers=answers) as one:
        one.export_labels(tmp_path / "out.csv")
    assert (read_labels(graph, tmp_path / "out.csv").labels >= 0).all()


def test_ids_that_a_file_cannot_tell_apart(tmp_path):
    with pytest.raises(UsageError, match="look the same"):
        Project.create(tmp_path / "p.graphol", ring([1, "1", 2]))
    with (
        Project.create(tmp_path / "q.graphol", ring([" a", "b", "c"]), answers={" a": "x"}) as one,
        pytest.raises(UsageError, match="begins or ends with a space"),
    ):
        one.export_labels(tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_all_votes_and_the_whole_log(project, tmp_path):
    project.answer("a", "label", "tea", annotator="ann", predicted="coffee", confidence=0.75)
    project.answer("a", "label", "coffee", annotator="bob")
    project.answer("b", "bit", ("tea", True), annotator="ann")
    project.answer("b", "bit", ("tea", False), annotator="bob")
    project.answer("c", "unsure", annotator="ann")
    project.answer("d", "skip", annotator="ann", token="t")
    project.merge_class("coffee", "tea")
    assert project.export_labels(tmp_path / "v.csv", "votes") == 4
    assert (tmp_path / "v.csv").read_text().splitlines() == [
        "node,label,annotator,says,class,number",
        "a,tea,ann,label,tea,3",
        "a,tea,bob,label,tea,4",
        "b,tea,ann,yes,tea,5",  # what bob denied is only a part of tea now
        "c,,ann,unsure,,7",
    ]
    assert project.export_labels(tmp_path / "log.jsonl", "events") == project.last
    events = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [each["number"] for each in events] == list(range(1, project.last + 1))
    assert events[2]["node"] == "a" and events[2]["confidence"] == 0.75
    assert events[2]["predicted_class"] == "tea" and events[2]["time"].endswith("+00:00")
    project.export_labels(tmp_path / "log.csv", "events")
    with open(tmp_path / "log.csv", newline="") as file:
        texts = list(csv.DictReader(file))
    spelt = [
        {k: "" if v is None else str(v).lower() if k == "yes" else str(v) for k, v in each.items()}
        for each in events
    ]
    assert texts == spelt
    with pytest.raises(UsageError, match="ends in"):
        project.export_labels(tmp_path / "log.txt", "events")
    with pytest.raises(UsageError, match="exists"):
        project.export_labels(tmp_path / "v.csv", "votes")


def test_half_of_the_labels_twice(project, tmp_path):
    file = tmp_path / "l.csv"
    file.write_text("node,label\na,tea\nb,coffee\n")
    assert project.import_labels(file, annotator="ann")[:4] == (2, 0, 0, 0)
    file.write_text("node,label\na,tea\nb,tea\nc,tea\n")
    assert project.import_labels(file, annotator="ann")[:4] == (1, 1, 1, 0)
    before = project.last
    assert project.import_labels(file, annotator="ann")[:4] == (0, 0, 3, 0)
    assert project.last == before
    project.undo("ann")
    assert project.labels().label.tolist() == [0, 1, -1, -1]
    project.undo("ann")
    assert project.labels().label.tolist() == [-1] * 4
    project.redo("ann")
    assert project.labels().label.tolist() == [0, 1, -1, -1]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("a,tea\nz,tea", "node 'z' is not in ring"),
        ("a,tea\nb,cofee", "did you mean 'coffee'"),
        ("a,tea\na,tea", "already has a label on line 2"),
        ("a,tea\nb,", "empty label"),
        ("a,tea\nb", "1 field"),
        ("a,tea\nb," + "x" * 300, "300 characters"),
        ("a,tea\nb,x\x1by", "nobody can see"),
    ],
)
def test_all_of_a_file_or_nothing(project, tmp_path, rows, said):
    file = tmp_path / "l.csv"
    file.write_text("node,label\n" + rows + "\n")
    before = project.last
    with pytest.raises(InputError, match=said):
        project.import_labels(file, annotator="ann")
    assert project.last == before


def test_what_is_new_is_added_or_left_out_when_asked(project, tmp_path):
    labels = {"a": "milk", "zed": "tea"}
    found = project.import_labels(labels, annotator="ann", add_classes=True, skip_unknown=True)
    assert (found.new, found.unknown, found.classes) == (1, 1, ("milk",))
    assert project.labels().names == ("tea", "coffee", "milk")
    many = {node: f"class {k}" for k, node in enumerate(GRAPH.ids)}
    project.import_labels(many, annotator="bob", add_classes=True)
    with pytest.raises(InputError, match="none of its 1 node"):
        project.import_labels({"zed": "tea"}, annotator="ann", skip_unknown=True)


def test_ten_thousand_classes_are_refused_kindly(tmp_path):
    n = 10_000
    graph = ring([f"n{k}" for k in range(n)])
    with Project.create(tmp_path / "p.graphol", graph) as one:
        labels = {f"n{k}": f"c{k}" for k in range(n)}
        with pytest.raises(UsageError, match="10000 classes are too many to choose among"):
            one.import_labels(labels, annotator="ann")
        assert one.last == 0


def test_former_names_find_their_class(project):
    project.rename_class("tea", "black tea")
    project.merge_class("coffee", "black tea")
    found = project.import_labels({"a": "tea", "b": "coffee"}, annotator="ann")
    assert found.classes == () and project.labels().label.tolist() == [0, 0, -1, -1]


def test_numbers_and_features_survive(tmp_path):
    graph = Graph(np.ones((3, 3)) - np.eye(3), features=np.eye(3), ids=(7, 8, 9))
    with Project.create(tmp_path / "p.graphol", graph, answers={7: "x", 9: "y"}) as one:
        one.export_labels(tmp_path / "l.csv")
        assert (tmp_path / "l.csv").read_text() == "node,label\n7,x\n9,y\n"
        assert one.hash == graph.hash
