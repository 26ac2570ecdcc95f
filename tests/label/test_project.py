"""The project file: against a dict in Python, odd input, several processes, kill -9."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

import graphol
from graphol import Graph, Project, UsageError
from graphol.label.project import Row

GRAPH = Graph.from_edges(["a", "b", "c", "d"], ["b", "c", "d", "a"], name="ring")


@pytest.fixture
def project(tmp_path):
    with Project.create(tmp_path / "p.graphol", GRAPH, classes=["tea", "coffee"]) as made:
        made._connection.execute("PRAGMA synchronous = OFF")  # nobody pulls the plug here
        yield made


def test_the_graph_comes_back(tmp_path):
    graph = Graph.from_edges(
        [(0, "x"), "a,b\n", -5], ["a,b\n", -5, "Zoë"], [1.5, 2, 0.25], name="odd",
        features=np.eye(4), feature_names=["w", "x", "y", "z"],
    )  # fmt: skip
    with Project.create(tmp_path / "p.graphol", graph, title="Odd") as made:
        assert (made.hash, made.graph.ids, made.title) == (graph.hash, graph.ids, "Odd")
        assert made.graph.feature_names == graph.feature_names
        assert made.classes == () and made.labels().label.tolist() == [-1] * 4


def test_labels_of_the_graph_are_not_taken_in_unless_they_are_given(tmp_path):
    graph = GRAPH.labelled([0, 1, -1, 0], ["x", "y"])
    with Project.create(tmp_path / "p.graphol", graph) as made:
        assert made.graph.labels is None and made.classes == ()
    with Project.create(tmp_path / "q.graphol", graph, answers={"a": "x", "d": "y"}) as made:
        assert made.labelled().labels.tolist() == [0, -1, -1, 1]


def test_texts_of_nodes(tmp_path):
    nodes = {"b": {"title": "B", "link": "https://example.org", "age": 7, "none": None}}
    with Project.create(tmp_path / "p.graphol", GRAPH, nodes=nodes) as made:
        assert made.texts(1) == {"title": "B", "link": "https://example.org", "age": "7"}
        assert made.texts(0) == {} and made.columns == ("title", "link", "age")
        with pytest.raises(UsageError, match="no row 4"):
            made.texts(4)
    for wrong in ({"z": {}}, {"a": {"title": "x" * 100_001}}, {"a": {"picture": "../x.png"}}):
        with pytest.raises(UsageError):
            Project.create(tmp_path / "q.graphol", GRAPH, nodes=wrong)
    assert not (tmp_path / "q.graphol").exists()


def test_pictures_are_pictures_and_lie_in_their_folder(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n...")
    (folder / "b.png").write_text("<script>")
    (tmp_path / "secret.png").write_bytes(b"\x89PNG\r\n\x1a\n...")
    (folder / "c.png").symlink_to(tmp_path / "secret.png")
    nodes = {node: {"picture": f"{node}.png"} for node in "abc"}
    with Project.create(tmp_path / "p.graphol", GRAPH, nodes=nodes, pictures=folder) as made:
        assert made.picture(0) == (folder / "a.png", "image/png")
        assert [made.picture(row) for row in (1, 2, 3)] == [None] * 3


def test_answers_stay(project):
    first = project.answer("a", "label", "tea", annotator="ann", predicted="coffee", confidence=0.5)
    project.answer(Row(1), "bit", ("coffee", True), annotator="ann", predicted="coffee")
    project.answer(2, "bit", ("coffee", False), annotator="ann", predicted="tea")
    project.answer("d", "skip", annotator="bob")
    project.answer("d", "unsure", annotator="ann")
    path, events = project.path, project.events()
    project.close()
    with Project.open(path) as again:
        assert again.events() == events and again.events(2)[0] == first
        assert again.labels().label.tolist() == [0, 1, -1, -1]
        assert [(b.row, b.label, b.yes) for b in again.bits()] == [(1, 1, True), (2, 1, False)]
        assert [(g.row, g.right) for g in again.guesses()] == [(0, False), (1, True)]
        found = again.progress()
    assert (found["labelled"], found["unsure"], found["skipped"], found["wrong"]) == (2, 1, 1, 1)
    with pytest.raises(UsageError, match="was closed"):
        again.answer("a", "skip", annotator="ann")


def test_a_token_is_one_event(project):
    said = [project.answer("a", "label", "tea", annotator="ann", token="t1") for _ in range(3)]
    assert len(set(said)) == 1 and project.last == 3
    project.rename_class("tea", "black tea")
    assert project.answer("a", "label", "tea", annotator="ann", token="t1") == said[0]
    with pytest.raises(UsageError, match="another row"):
        project.answer("b", "label", "tea", annotator="ann", token="t1")
    gone = project.undo("ann", token="t2")
    assert project.undo("ann", token="t2") == gone
    with pytest.raises(UsageError, match="said nothing"):
        project.undo("ann")


def test_undo_and_redo(project):
    def now():
        return project.labels().label.tolist()

    project.answer("a", "label", "tea", annotator="ann")
    project.answer("a", "label", "coffee", annotator="ann")
    project.answer("b", "label", "tea", annotator="bob")
    project.undo("ann")
    assert now() == [0, 0, -1, -1]
    project.undo("ann")
    assert now() == [-1, 0, -1, -1]
    project.redo("ann")
    project.redo("ann")
    assert now() == [1, 0, -1, -1]
    project.undo("ann")
    project.answer("c", "skip", annotator="ann")
    with pytest.raises(UsageError, match="taken back nothing"):
        project.redo("ann")


def test_classes_are_renamed_and_merged(project):
    project.answer("a", "label", "tea", annotator="ann")
    green = project.add_class("green tea").label
    project.answer("b", "label", green, annotator="ann")
    project.answer("c", "bit", ("green tea", False), annotator="ann")
    project.rename_class("coffee", "cocoa")
    assert project.class_number("coffee") == 1
    project.merge_class("green tea", "tea")
    assert [each.name for each in project.classes] == ["tea", "cocoa"]
    assert project.class_number("green tea") == project.class_number(green) == 0
    assert project.labels().label.tolist() == [0, 0, -1, -1]
    assert [bit.yes for bit in project.bits()] == []  # not green tea may still be tea
    project.answer("c", "bit", ("tea", False), annotator="ann")
    assert [(bit.label, bit.yes) for bit in project.bits()] == [(0, False)]
    project.add_class("green tea")
    assert project.class_number("green tea") == 3
    for wrong in (
        lambda: project.add_class("tea"),
        lambda: project.rename_class("tea", "cocoa"),
        lambda: project.merge_class("tea", 0),
        lambda: project.add_class(" "),
        lambda: project.add_class("a\nb"),
        lambda: project.answer("a", "label", "tee", annotator="ann"),
        lambda: project.answer("a", "label", 7, annotator="ann"),
    ):
        before = project.last
        with pytest.raises(UsageError):
            wrong()
        assert project.last == before


def test_too_many_classes_are_refused(project, tmp_path):
    names = [f"class {k}" for k in range(10_000)]
    with pytest.raises(UsageError, match="10000 classes are too many to choose among"):
        Project.create(tmp_path / "q.graphol", GRAPH, classes=names)


def test_who_disagrees(project):
    for annotator, said in {"ann": "ttcc", "bob": "tctc", "cyd": "ttc."}.items():
        for row, letter in enumerate(said):
            if letter != ".":
                value = {"t": "tea", "c": "coffee"}[letter]
                project.answer(Row(row), "label", value, annotator=annotator)
    found = {(each["annotator"], each["other"]): each for each in project.disagreements()}
    assert found["ann", "bob"]["agreement"] == 0.5 and found["ann", "bob"]["kappa"] == 0
    assert found["ann", "cyd"] == {
        "annotator": "ann", "other": "cyd", "nodes": 3, "agreement": 1.0, "kappa": 1.0
    }  # fmt: skip
    assert project.labels().label.tolist() == [0, 0, 1, 1]
    assert project.labels("unanimous").label.tolist() == [0, -1, -1, 1]
    assert project.labels("last").label.tolist() == [0, 0, 1, 1]
    assert project.labels().disagreements == (1, 2)
    project.answer("d", "bit", ("coffee", False), annotator="cyd")
    project.answer("d", "bit", ("coffee", False), annotator="dan")
    assert project.labels().label.tolist() == [0, 0, 1, -1]


def test_nodes_join(project):
    project.answer("a", "label", "tea", annotator="ann")
    project.add_nodes({"e": {"title": "E"}, "f": {}}, [("e", "a", 2.0), ("f", "e")])
    project.add_nodes(["g"])
    assert project.graph.ids == ("a", "b", "c", "d", "e", "f", "g")
    wanted = np.zeros((7, 7))
    wanted[:4, :4] = GRAPH.adjacency.toarray()
    wanted[4, 0] = wanted[0, 4] = 2
    wanted[5, 4] = wanted[4, 5] = 1
    assert (project.graph.adjacency.toarray() == wanted).all()
    project.answer("e", "label", "coffee", annotator="ann")
    assert project.labels().label.tolist() == [0, -1, -1, -1, 1, -1, -1]
    assert project.texts(4) == {"title": "E"} and project.texts(5) == {}
    with Project.open(project.path) as other:
        assert other.hash == project.hash and other.texts(4) == {"title": "E"}
    for nodes, edges in [
        (["a"], []), (["h"], [("h", "zzz")]), (["h"], [("a", "c")]), (["h"], [("h", "a", -1)]),
        ([], []), (["h"], [("h", "h")]), (["h"], [("h", "a", 1), ("a", "h", 2)]),
        ({"h": {"x": [1]}}, []), ([3.5], []),
    ]:  # fmt: skip
        with pytest.raises(graphol.GrapholError):
            project.add_nodes(nodes, edges)
    assert project.graph.n == 7


def test_times_are_utc(project):
    east = timezone(timedelta(hours=5, minutes=30))
    event = project.answer("a", "skip", annotator="ann", at=datetime(2030, 1, 1, 2, tzinfo=east))
    assert event.time == datetime(2029, 12, 31, 20, 30, tzinfo=UTC)
    assert project.events()[-1].as_dict()["time"] == "2029-12-31T20:30:00.000000+00:00"
    with pytest.raises(UsageError, match="time zone"):
        project.answer("a", "skip", annotator="ann", at=datetime(2030, 1, 1))


def test_a_number_that_is_an_id_and_a_row_is_refused(tmp_path):
    graph = Graph.from_edges([10, 20], [20, 1])
    with Project.create(tmp_path / "p.graphol", graph, classes=["x"]) as made:
        with pytest.raises(UsageError, match="id of a node or its row"):
            made.answer(1, "label", "x", annotator="ann")
        made.answer(made.row(1), "label", "x", annotator="ann")
        assert made.labels().label.tolist() == [-1, -1, 0]
    with Project.create(tmp_path / "q.graphol", Graph(np.ones((3, 3)) - np.eye(3))) as made:
        assert made.answer(2, "skip", annotator="ann").row == 2


@pytest.mark.parametrize(
    ("kind", "value"),
    [("label", None), ("skip", "tea"), ("bit", "tea"), ("bit", ("tea", 1)), ("lable", "tea")],
)
def test_what_is_no_answer(project, kind, value):
    with pytest.raises(UsageError):
        project.answer("a", kind, value, annotator="ann")
    assert project.last == 2


def test_a_file_is_never_replaced(project):
    with pytest.raises(UsageError, match="never replaced"):
        Project.create(project.path, GRAPH)


def test_reading_only(project):
    project.answer("a", "label", "tea", annotator="ann")
    with Project.open(project.path, readonly=True) as other:
        assert other.labels().label[0] == 0
        with pytest.raises(UsageError, match="reading only"):
            other.answer("a", "skip", annotator="ann")
        project.answer("b", "label", "tea", annotator="ann")
        assert other.labels().label.tolist() == [0, 0, -1, -1]


def test_threads(project):
    def work(name):
        for k in range(10):
            project.answer(Row(k % 4), "label", k % 2, annotator=name, token=f"{name} {k}")

    threads = [threading.Thread(target=work, args=(name,)) for name in ("ann", "bob", "cyd")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = project.events(2)
    assert [each.number for each in events] == list(range(3, 33))
    assert Counter(each.annotator for each in events) == {"ann": 10, "bob": 10, "cyd": 10}
