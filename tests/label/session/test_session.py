"""A session, asked and told without any web."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from graphol import Graph
from graphol.errors import UsageError
from graphol.label.project import Project
from graphol.label.session import Session
from graphol.label.suggesting import rank
from graphol.registry import registry
from tests.label.session.conftest import CLASSES


def truth(graph, card):
    return CLASSES[graph.labels[graph.index(card["node"])]]


def label(session, graph, token, reply, count, who="ann"):
    """Some right answers; the last reply."""
    for _ in range(count):
        card = reply["card"]
        reply = session.answer(
            who, card["node"], "label", truth(graph, card), token(), card["ticket"]
        )
    return reply


def test_a_model_learns_between_two_answers(session, graph, token):
    first = session.next("ann")
    assert first["card"]["guess"] is None and first["progress"]["answered"] == 0
    reply = label(session, graph, token, first, 3)
    session.settled()  # whatever is compiled at first
    label(session, graph, token, reply, 9)
    outlook = session.settled()
    reply = session.next("ann")
    rest = np.ones(graph.n, dtype=bool)
    rest[[graph.index(e["node"]) for e in session.events(0, 100)["events"] if e["node"]]] = False
    assert (outlook.said.label[rest] == graph.labels[rest]).all()
    assert reply["card"]["guess"]["class"] in CLASSES
    assert reply["progress"]["answered"] == 12 and reply["progress"]["guesses"] >= 8


def test_the_guess_that_was_shown_is_kept_beside_the_answer(session, graph, token):
    label(session, graph, token, session.next("ann"), 8)
    session.settled()
    reply = session.next("ann")
    card, ahead = reply["card"], reply["ahead"][0]
    label(session, graph, token, reply, 3)  # the model goes on
    late = session.answer("ann", ahead["node"], "label", "tea", token(), ahead["ticket"])
    (event,) = session.project.events(late["answered"] - 1, 1)
    assert session.project.class_number(ahead["guess"]["class"]) == event.predicted
    assert event.confidence == ahead["guess"]["confidence"]
    wrong = session.answer("ann", card["node"], "label", "tea", token(), ahead["ticket"])
    (event,) = session.project.events(wrong["answered"] - 1, 1)
    assert event.predicted is None  # a ticket of another node says nothing of this one


def test_the_same_token_is_one_answer(session, graph):
    card = session.next("ann")["card"]
    one = session.answer("ann", card["node"], "label", "tea", "the-token", card["ticket"])
    session.settled()  # what the model thinks meanwhile changes nothing
    two = session.answer("ann", card["node"], "label", "tea", "the-token", card["ticket"])
    assert one["answered"] == two["answered"] and two["progress"]["answered"] == 1
    assert one["card"]["node"] == two["card"]["node"] != card["node"]
    with pytest.raises(UsageError, match="token"):
        session.answer("ann", card["node"], "label", "coffee", "the-token")


def test_undo_shows_the_node_again_and_the_model_forgets(session, graph, token):
    reply = label(session, graph, token, session.next("ann"), 9)
    before = session.settled().said.probabilities.copy()
    card = reply["card"]
    label(session, graph, token, reply, 1)
    assert not np.allclose(session.settled().said.probabilities, before)
    back = session.undo("ann", token())
    assert back["card"]["node"] == card["node"] and back["undone"] == card["title"]
    np.testing.assert_allclose(session.settled().said.probabilities, before, atol=1e-6)
    again = session.redo("ann", token())
    assert again["card"]["node"] != card["node"] and again["progress"]["answered"] == 10


def test_page_and_rank_give_the_same_order(session, graph, token):
    reply = label(session, graph, token, session.next("ann"), 10)
    again = Session(session.project, annotator="ann", failed=pytest.fail)
    outlook, reply = again.settled(), again.next("ann")
    labels = session.project.labels().label
    strategy = registry().make("strategy", "uncertainty")
    wanted = rank(
        session.project.graph, labels, outlook.said.probabilities, outlook.said.known, strategy,
        np.random.default_rng([0, 10]), 5, classes=CLASSES,
    )  # fmt: skip
    ids = [graph.ids[each.row] for each in wanted]
    assert [card["node"] for card in (reply["card"], *reply["ahead"])] == ids[:3]
    assert [each["node"] for each in again.suggest(5)["nodes"]] == ids
    assert reply["card"]["reason"] == wanted[0].reason
    again.close()


def test_whoever_loads_the_page_again_sees_the_same_node(session, graph, token):
    reply = label(session, graph, token, session.next("ann"), 5)
    for _ in range(5):
        session.settled()
        again = session.next("ann")
        assert again["card"]["node"] == reply["card"]["node"]
        reply = label(session, graph, token, again, 1)
    session.project.answer(reply["card"]["node"], "label", "tea", annotator="bob")
    assert session.next("ann")["card"]["node"] != reply["card"]["node"]


def test_every_so_many_th_node_is_drawn_at_random(project, graph, token):
    """In an order that does not depend on the answers; the log alone tells which they were."""
    session = Session(project, annotator="ann", checks=3, failed=pytest.fail)
    reply, seen = session.next("ann"), []
    for _ in range(24):
        if "drawn at random" in reply["card"]["reason"]:
            seen.append(graph.index(reply["card"]["node"]))
        reply = label(session, graph, token, reply, 1)
    assert len(seen) == 8
    order = np.random.default_rng(graph.n).permutation(graph.n).tolist()
    assert [row for row in order if row in seen] == seen
    told = session.settled().report
    session.close()
    again = Session(project, annotator="ann", checks=3, failed=pytest.fail)
    assert again.settled().report.checks == told.checks >= 6
    again.close()
    none = Session(project, annotator="bob", checks=0, failed=pytest.fail)
    assert "at random" not in str([none.next("bob")["card"], *none.next("bob")["ahead"]])
    none.close()


def test_two_annotators_never_have_the_same_node(session, graph, token):
    one, two = session.next("ann"), session.next("bob")
    for _ in range(14):
        mine = {card["node"] for card in (one["card"], *one["ahead"])}
        theirs = {card["node"] for card in (two["card"], *two["ahead"])}
        assert not mine & theirs
        one = label(session, graph, token, one, 1, "ann")
        theirs = {card["node"] for card in (two["card"], *two["ahead"])}
        assert one["card"] is None or one["card"]["node"] not in theirs
        if two["card"]:
            two = label(session, graph, token, two, 1, "bob")
    assert session.progress("ann")["answered"] >= 28


def test_two_votes_are_asked_and_disagreement_is_shown(project, graph, token):
    session = Session(project, annotator="ann", votes=2, failed=pytest.fail)
    card = session.next("ann")["card"]
    session.answer("ann", card["node"], "label", "tea", token(), card["ticket"])
    other = session.next("bob")["card"]
    assert other["node"] == card["node"] and "1 of 2" in other["reason"]
    reply = session.answer("bob", card["node"], "label", "coffee", token(), other["ticket"])
    assert reply["disagreements"][0]["votes"] == [["ann", "tea"], ["bob", "coffee"]]
    assert session.disagreements()["pairs"][0]["agreement"] == 0
    third = session.next("cyd")
    assert third["progress"]["disputed"] == 1
    session.close()


def test_the_last_node_and_what_was_skipped(session, graph, token):
    reply = session.next("ann")
    skipped = {reply["card"]["node"]}
    reply = session.answer("ann", reply["card"]["node"], "skip", None, token())
    unsure = reply["card"]["node"]
    reply = session.answer("ann", unsure, "unsure", None, token())
    reply = label(session, graph, token, reply, graph.n - 3)
    last = reply["card"]["node"]
    assert last not in skipped | {unsure} and reply["ahead"] == []
    reply = session.answer("ann", last, "label", "tea", token())
    assert reply["card"] is None
    told = reply["progress"]
    assert (told["answered"], told["skipped"], told["unsure"]) == (graph.n - 2, 1, 1)
    reply = session.again("ann")
    assert reply["card"]["node"] in skipped
    reply = label(session, graph, token, reply, 1)
    assert reply["card"] is None and reply["progress"]["skipped"] == 0
    other = session.next("bob")
    assert other["card"]["node"] == unsure  # somebody else may know
    back = session.undo("ann", token())
    assert back["card"]["node"] in skipped


def test_yes_or_no(session, graph, token):
    reply = session.next("ann")
    for _ in range(12):
        card = reply["card"]
        value = [card["ask"], card["ask"] == truth(graph, card)]
        reply = session.answer("ann", card["node"], "bit", value, token(), card["ticket"])
    outlook = session.settled()
    assert (outlook.said.label == graph.labels).mean() > 0.85
    denied = [each for each in session.project.bits() if not each.yes]
    if denied:
        reply = session.again("ann")
        cards = {c["node"]: c for c in (session.node(graph.ids[each.row]) for each in denied)}
        for each in denied:
            card = cards[graph.ids[each.row]]
            assert CLASSES[each.label] in card["denied"] and card["ask"] != CLASSES[each.label]


def test_classes_come_and_become_one_while_somebody_labels(tmp_path, graph, token):
    with Project.create(tmp_path / "none.graphol", graph) as project:
        session = Session(project, failed=pytest.fail)
        reply = session.next("ann")
        assert reply["classes"] == [] and reply["card"]["ask"] is None
        with pytest.raises(UsageError, match="no class"):
            session.answer("ann", reply["card"]["node"], "label", "tea", token())
        for name in ("tea", "coffee", "mocha"):
            reply = session.add_class("ann", name, token())
        side = [graph.ids[i] for i in (0, 3, 6, 20, 23, 26)]
        for node, name in zip(
            side, ("tea", "tea", "tea", "coffee", "mocha", "coffee"), strict=True
        ):
            session.answer("ann", node, "label", name, token())
        assert session.settled().said.probabilities.shape[1] == 3
        session.merge_class("ann", "mocha", "coffee", token())
        session.rename_class("ann", "coffee", "hot & brown", token())
        outlook = session.settled()
        assert outlook.classes == ("tea", "hot & brown")
        assert (outlook.said.label == graph.labels).mean() > 0.9
        assert [each["nodes"] for each in session.classes()["classes"]] == [3, 3]
        session.close()


def test_ten_thousand_classes_are_refused_kindly(tmp_path, graph, token):
    with pytest.raises(UsageError, match="1000"):
        Project.create(tmp_path / "x.graphol", graph, classes=[f"c{k}" for k in range(10_000)])
    many = [f"c{k}" for k in range(1000)]
    with Project.create(tmp_path / "x.graphol", graph, classes=many) as project:
        session = Session(project, failed=pytest.fail)
        session.answer("ann", "n0", "label", "c999", token())
        assert session.settled().said.probabilities.shape == (graph.n, 1000)
        with pytest.raises(UsageError, match="1000"):
            session.add_class("ann", "one more", token())
        session.close()


def test_nodes_join_while_somebody_labels(session, graph, token):
    known_as = label(session, graph, token, session.next("ann"), 10)["id"]
    session.project.add_nodes({"x": {"title": "Newcomer"}}, [("x", "n0"), ("x", "n1"), ("x", "n2")])
    outlook = session.settled()
    assert len(outlook.said.label) == graph.n + 1 and outlook.said.label[-1] == 0
    assert session.node("x")["title"] == "Newcomer" and session.progress("ann")["nodes"] == 31
    said = session.answer("ann", "x", "label", "tea", token())
    assert session.node("x")["label"] == "tea"
    assert said["id"] == known_as  # under which a browser keeps answers that wait


def test_two_sessions_on_one_file_see_each_other(session, graph, token):
    with Project.open(session.project.path) as again:
        other = Session(again, annotator="bob", failed=pytest.fail)
        label(session, graph, token, session.next("ann"), 10)
        reply = other.next("bob")
        assert reply["progress"]["answered"] == 10
        label(other, graph, token, reply, 5, "bob")
        one, two = session.settled(), other.settled()
        assert session.progress("ann")["answered"] == 15
        np.testing.assert_allclose(one.said.probabilities, two.said.probabilities, atol=1e-6)
        other.close()


def test_a_session_that_is_begun_again_goes_on(session, graph, token):
    label(session, graph, token, session.next("ann"), 20)
    before, told = session.settled(), session.progress("ann")
    session.close()
    again = Session(session.project, annotator="ann", failed=pytest.fail)
    after = again.settled()
    np.testing.assert_allclose(before.said.probabilities, after.said.probabilities, atol=1e-6)
    now = again.progress("ann")
    assert {k: now[k] for k in ("answered", "guesses", "wrong", "error")} == {
        k: told[k] for k in ("answered", "guesses", "wrong", "error")
    }
    again.close()


def test_exports(session, graph, token):
    label(session, graph, token, session.next("ann"), 9)

    def rows(what):
        return list(csv.DictReader(io.StringIO(session.export(what).decode())))

    assert {r["node"]: r["label"] for r in rows("labels")} == {
        r["node"]: CLASSES[graph.labels[graph.index(r["node"])]] for r in rows("labels")
    }
    assert len(rows("labels")) == len(rows("votes")) == 9
    assert {r["annotator"] for r in rows("votes")} == {"ann"}
    found = rows("predictions")
    assert [r["node"] for r in found] == list(graph.ids)
    assert sum(r["given"] == "yes" for r in found) == 9
    for r in found:
        assert float(r["p_tea"]) + float(r["p_coffee"]) == pytest.approx(1, abs=1e-5)
    assert all(r["time"].endswith("+00:00") for r in rows("events"))


def test_ids_of_any_kind(tmp_path, token):
    graph = Graph.from_edges([5, 7, 9], [7, 9, 5])
    with Project.create(tmp_path / "i.graphol", graph, classes=CLASSES) as project:
        session = Session(project, failed=pytest.fail)
        session.answer("ann", 7, "label", "tea", token())
        session.answer("ann", "9", "label", "tea", token())  # as a query of an address has it
        assert session.node(7)["label"] == session.node("9")["label"] == "tea"
        for odd in (0, "x", True, 7.0, None, [7]):
            with pytest.raises(UsageError):
                session.node(odd)
        session.close()


def test_a_learner_that_breaks_leaves_the_answers(session, graph, token, monkeypatch):
    said: list[str] = []
    monkeypatch.setattr(session._thinker, "_failed", said.append)
    reply = label(session, graph, token, session.next("ann"), 6)

    def broken(self):
        raise ValueError("no more")

    with monkeypatch.context() as patch:
        patch.setattr("graphol.label.session.model.Model.says", broken)
        reply = label(session, graph, token, reply, 5)
        assert reply["card"] is not None and reply["progress"]["answered"] == 11
        session.settled(2.0)
        assert "no more" in said[0]
    reply = label(session, graph, token, reply, 1)
    assert session.settled().said is not None
