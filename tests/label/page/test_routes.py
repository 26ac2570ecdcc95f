"""The JSON interface, as a script uses it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from graphol.label.page.app import OWN
from graphol.label.page.routes import ROUTES
from tests.label.page.conftest import EVIL, PNG
from tests.label.session.conftest import CLASSES, two_camps

GRAPH = two_camps()


def test_a_script_labels(served):
    reply = served.get("/api/next")
    for _ in range(6):
        card = reply["card"]
        reply = served.post(
            "/api/answer", node=card["node"], kind="label", ticket=card["ticket"],
            value=CLASSES[GRAPH.labels[GRAPH.index(card["node"])]],
        )  # fmt: skip
    assert reply["progress"]["answered"] == 6
    assert [e["kind"] for e in served.get("/api/events?after=3&limit=2")["events"]] == ["label"] * 2
    back = served.post("/api/undo")
    assert back["card"]["node"] == card["node"] and back["undone"] == card["title"]
    assert served.post("/api/redo")["progress"]["answered"] == 6
    found = served.ask("GET", "/api/export?what=labels")
    assert "attachment" in found.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(found.body.decode())))
    assert len(rows) == 6 and card["node"] in {row["node"] for row in rows}
    for row in rows:
        assert row["label"] == CLASSES[GRAPH.labels[GRAPH.index(row["node"])]]


def test_annotators_by_name(served):
    node = served.get("/api/next?annotator=bob")["card"]["node"]
    reply = served.post("/api/answer", node=node, kind="skip", annotator="bob")
    assert reply["annotator"] == "bob" and reply["progress"]["skipped"] == 1
    assert served.get("/api/progress?annotator=ann")["skipped"] == 0
    assert served.post("/api/again", annotator="bob")["progress"]["skipped"] == 0
    found = served.ask("POST", "/api/annotator", {"name": "Zoë; x=y"})
    assert found.json["annotator"] == "Zoë; x=y"
    cookie = found.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Zo%C3%AB%3B%20x%3Dy" in cookie
    named = cookie.partition(";")[0]
    both = {"Cookie": f"{served.cookie['Cookie']}; {named}"}
    assert served.ask("GET", "/api/next", headers=both).json["annotator"] == "Zoë; x=y"


def test_every_route_is_listed_and_answers_in_json(served):
    listed = served.get("/api")["routes"]
    assert [tuple(each) for each in listed] == [tuple(each[:4]) for each in ROUTES]
    for method, path, _, about in listed:
        assert about
        found = served.ask(method, path, {} if method == "POST" else None)
        assert found.status in (200, 400), (path, found)
        if found.status == 400:
            said = found.json["error"]
            assert said and "\n" not in said and "Traceback" not in said


def test_a_picture_is_a_picture_in_its_folder(served):
    found = served.ask("GET", "/api/picture?node=n1")
    assert (found.status, found.body, found.headers["content-type"]) == (200, PNG, "image/png")
    assert "sandbox" in found.headers["content-security-policy"]
    for node in ("n0", "n2", "n3", "../secret.png", "n1/../n3"):
        found = served.ask("GET", f"/api/picture?node={node}")
        assert found.status == 400 and b"secret" not in found.body.replace(b"secret.png", b"")


def test_texts_are_data(served):
    card = served.get("/api/node?node=n0")
    assert card["title"] == EVIL and card["link"] is None and card["columns"] == [[EVIL, EVIL]]
    assert served.get("/api/node?node=n1")["link"] == "https://example.org/1"
    around = served.get("/api/neighbourhood?node=n0")
    assert {n["node"] for n in around["nodes"]} >= {"n0", "n1"}
    assert all(-1 <= n[axis] <= 1 for n in around["nodes"] for axis in "xy")


@pytest.mark.parametrize("address", OWN)
def test_the_page_is_four_files_without_anything_inline(served, address):
    found = served.ask("GET", address)
    text = found.body.decode()
    assert found.status == 200 and found.headers["x-content-type-options"] == "nosniff"
    assert "style=" not in text and "innerHTML" not in text and "eval(" not in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "") and "@import" not in text
    if address == "/":
        assert "<script>" not in text and "onclick" not in text and "<style" not in text


def test_refusals_are_one_line(served):
    for body, said in (
        ({"kind": "label", "value": "tea"}, "node is missing"),
        ({"node": "n99", "kind": "label", "value": "tea"}, "there is no node"),
        ({"node": "n0", "kind": "lable", "value": "tea"}, "did you mean 'label'"),
        ({"node": "n0", "kind": "label", "value": "teaa"}, "did you mean 'tea'"),
        ({"node": "n0", "kind": "bit", "value": "tea"}, "bit needs a class"),
        ({"node": "n0", "kind": "label", "value": "tea", "token": "short"}, "token must be"),
        ({"node": "n0", "kind": "label", "value": "tea", "ticket": 5}, "ticket must be"),
        ({"node": "n0", "kind": "label", "value": "tea", "annotator": ""}, "annotator"),
        ({"node": "n0", "kind": "label", "value": "tea", "annotator": "\x00"}, "annotator"),
    ):
        found = served.ask("POST", "/api/answer", {"token": "token-refused", **body})
        assert found.status == 400 and said in found.json["error"], (body, found)
    before = served.get("/api/progress")["events"]
    assert before == served.get("/api/progress")["events"]


def test_the_list_of_routes_is_in_the_docs():
    page = Path(__file__).parents[3] / "docs/reference/label-api.md"
    text = page.read_text(encoding="utf-8")
    for method, path, takes, about, _ in ROUTES:
        assert f"| `{method} {path}` | {takes} | {about} |" in text
    assert json.dumps("token")[1:-1] in text
