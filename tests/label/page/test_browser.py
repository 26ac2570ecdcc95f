"""The page in headless Chromium, by its keys: `tox -e page`."""

from __future__ import annotations

import json
import time

import pytest

from tests.label.page.conftest import EVIL, PNG
from tests.label.session.conftest import CLASSES, two_camps

pytestmark = pytest.mark.browser
GRAPH = two_camps()


def test_thirty_nodes_by_the_keyboard_alone(opened, browser):
    page = opened().open()
    browser.get_log("performance")
    page.console()
    said = []
    for _ in range(GRAPH.n):
        said.append(page.text("said"))
        page.key(str(page.truth(GRAPH) + 1))
    assert page.node == "" and page.seen("done") and "30 of 30" in page.text("done-text")
    assert len(set(said[1:])) == GRAPH.n - 1 and all("Next: " in each for each in said[1:])
    labels = page.project.labels().label
    assert (labels == GRAPH.labels).all()
    page.key("z")
    assert page.node and not page.seen("done") and "29 of 30" in page.text("count")
    page.key("r")
    assert page.seen("done")
    assert page.console() == []
    sent = [json.loads(each["message"])["message"] for each in browser.get_log("performance")]
    urls = [
        m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"
    ]
    assert urls and all(url.startswith(page.serving.origin + "/api/") for url in urls)


def test_the_token_is_in_no_place_that_a_script_or_a_passer_by_sees(opened, browser):
    page = opened().open()
    assert browser.current_url == page.serving.origin + "/"
    token, cookie = page.serving.secret
    seen = page.run(
        "return document.cookie + location.href + JSON.stringify({...localStorage}) + "
        "document.documentElement.outerHTML"
    )
    assert token not in seen and cookie not in seen
    entries = page.run("return performance.getEntriesByType('resource').map(e => e.name)")
    assert all(entry.startswith(page.serving.origin) for entry in entries)


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits(opened, width, scheme, tmp_path_factory):
    """Nothing scrolls sideways, nothing small is to be hit, and the colours are those asked for."""
    texts = {
        node: {"title": f"A person called {node} " * 3, "description": "Likes long walks. " * 40,
               "link": f"https://example.org/{'x' * 120}", "a column": "its value", "b" * 90: "c"}
        for node in GRAPH.ids
    }  # fmt: skip
    classes = (*CLASSES, "a class with a name that is longer than other names are", "w" * 90)
    page = opened(classes=classes, nodes=texts).open(width, scheme)
    for _ in range(12):
        page.key(str(page.truth(GRAPH) + 1))
    assert page.run("return document.documentElement.scrollWidth") <= width
    small = page.run("""
        return [...document.querySelectorAll('button, select, input:not([type=checkbox])')]
            .filter(e => e.checkVisibility())
            .map(e => [e.id || e.textContent, e.getBoundingClientRect()])
            .filter(([, r]) => r.width < 40 || r.height < 40).map(([name]) => name)""")
    assert small == []
    if width < 600:
        bottom = page.run(
            "return document.getElementById('answers').getBoundingClientRect().bottom"
        )
        assert bottom <= 901  # the answers can be reached without scrolling
    ground = page.run("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, ground[4:-1].split(","))) > 700) is (scheme == "light")
    folder = tmp_path_factory.getbasetemp()
    page.browser.save_screenshot(str(folder / f"label-{width}-{scheme}.png"))
    assert page.console() == []


def test_texts_are_shown_and_never_obeyed(opened, browser, tmp_path):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (pictures / "a.png").write_bytes(PNG)
    texts = {
        node: {"title": f"{EVIL} {node}", "description": EVIL, "link": "javascript:alert(1)",
               EVIL: EVIL, "picture": "a.png"}
        for node in GRAPH.ids
    }  # fmt: skip
    evil = tuple(f"{EVIL[:150]} {k}" for k in range(12))
    page = opened(classes=evil, nodes=texts, pictures=pictures).open()
    page.key("1")
    page.key("2")
    page.key("1")
    assert page.text("title").startswith(EVIL) and page.text("description") == EVIL
    assert not page.seen("address")
    assert (
        page.run("return document.querySelectorAll('main script, main img[onerror]').length") == 0
    )
    page.until(lambda: page.run("return document.getElementById('picture').naturalWidth") == 1)
    page.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    time.sleep(0.2)
    assert "graphol label" in browser.title and page.console() == []


def test_every_control_has_a_name_and_its_place_in_the_order_of_tab(opened, browser):
    from selenium.webdriver.common.keys import Keys

    texts = {node: {"link": "https://example.org"} for node in GRAPH.ids}
    page = opened(nodes=texts).open()
    page.key("1")
    page.key("2")
    browser.execute_cdp_cmd("Accessibility.enable", {})
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {"button", "link", "textbox", "searchbox", "checkbox", "combobox", "img", "image",
             "progressbar", "region"}  # fmt: skip
    found = [
        (each["role"]["value"], each.get("name", {}).get("value", ""))
        for each in nodes
        if not each.get("ignored") and each.get("role", {}).get("value") in roles
    ]
    assert [role for role, name in found if not name.strip()] == []
    buttons = {name for role, name in found if role == "button"}
    assert {"1 tea", "2 coffee", "s skip", "u cannot tell", "z undo", "a add a class"} <= buttons
    assert any(role in ("img", "image") and "neighbour" in name for role, name in found)
    heads = page.run("return [...document.querySelectorAll('h1,h2')].map(h => h.tagName)")
    assert heads[0] == "H1" and heads.count("H1") == 1
    assert page.run("return document.documentElement.lang") == "en"
    reached = []
    for _ in range(40):
        page.press(Keys.TAB)
        reached.append(page.run(
            "const e = document.activeElement; const s = getComputedStyle(e);"
            "return [e.id || e.textContent.trim(), s.outlineStyle, parseFloat(s.outlineWidth)]"
        ))  # fmt: skip
    names = [name for name, *_ in reached]
    for wanted in ("1 tea", "2 coffee", "skip", "unsure", "undo", "add", "bits", "target", "who",
                   "call", "labels", "out"):  # fmt: skip
        assert wanted in names, (wanted, names)
    for name, style, width in reached:
        if name in ("skip", "unsure", "undo", "add", "target", "who"):
            assert style != "none" and width >= 2, name
    page.run("document.getElementById('skip').focus()")
    before = page.node
    page.press(Keys.ENTER)
    page.until(lambda: page.node != before)


def test_yes_or_no(opened):
    page = opened().open()
    page.key("1")
    page.key("2")
    page.press("m")
    page.until(lambda: page.seen("yesno") and not page.seen("classes"))
    for _ in range(8):
        asked = page.text("question").removeprefix("Is it ").removesuffix("?")
        page.key("y" if asked == CLASSES[page.truth(GRAPH)] else "n")
    assert {each.annotator for each in page.project.bits()} == {"ann"}
    assert all(each.yes == (each.label == GRAPH.labels[each.row]) for each in page.project.bits())
    page.press("m")
    assert page.seen("classes")


def test_a_class_is_added_and_found_by_typing(opened):
    from selenium.webdriver.common.keys import Keys

    page = opened(classes=tuple(f"drink {k}" for k in range(11))).open()
    page.press("a")
    page.press("cocoa", Keys.ENTER)
    page.until(lambda: "cocoa" in page.text("classes"))
    assert len(page.project.classes) == 12
    before = page.node
    page.press("/")
    page.press("coc")
    shown = page.run(
        "return [...document.querySelectorAll('#classes button')].filter(b => !b.hidden).length"
    )
    assert shown == 1
    page.press(Keys.ENTER)
    page.until(lambda: page.node != before)
    assert page.project.labels().label[GRAPH.index(before)] == 11
    page.press("a")
    page.press("cocoa", Keys.ENTER)
    page.until(lambda: "already" in page.text("alarm"))
    page.press(Keys.ESCAPE)
    page.key("s")


def test_two_presses_are_one_answer(opened):
    page = opened().open()
    page.run("""
        for (let i = 0; i < 5; i++)
            document.dispatchEvent(new KeyboardEvent('keydown', {key: '1', bubbles: true}));
        document.dispatchEvent(new KeyboardEvent('keydown', {key: '1', repeat: true}));""")
    page.until(lambda: "1 of 30" in page.text("count"))
    time.sleep(0.3)
    assert page.project.progress()["answers"] == 1


def test_answers_wait_while_nobody_listens(opened, browser):
    """Two answers without a server, one of them from a page that is loaded anew; a node joins."""
    page = opened().open()
    page.key("1")
    page.serving.stop()
    first = page.node
    page.press("2")
    page.until(lambda: "1 answer kept" in page.text("link"))
    page.until(lambda: page.node not in ("", first))
    second = page.node
    page.press("2")
    page.until(lambda: "2 answers kept" in page.text("link"))
    port = page.serving.port
    page.session.close()
    page.project.add_nodes(["late"], [("late", GRAPH.ids[0])])
    again = opened(port=port)
    page.until(lambda: "started anew" in page.text("link"), 30)
    again.open()
    again.until(lambda: again.project.progress()["answers"] == 3)
    labels = again.project.labels().label
    assert labels[GRAPH.index(first)] == labels[GRAPH.index(second)] == 1
    again.until(lambda: again.run("return localStorage.length") == 0)
    again.until(lambda: again.node not in ("", first, second))
    again.key("1")
    assert again.project.progress()["answers"] == 4
    browser.get_log("browser")  # it complains of the connection that was lost


def test_going_back_does_no_harm(opened, browser):
    page = opened().open()
    page.key("1")
    node = page.node
    browser.get("about:blank")
    browser.back()
    page.until(lambda: page.node == node)
    page.key("2")
    browser.back()
    browser.forward()
    page.until(lambda: "2 of 30" in page.text("count"))
    assert page.project.progress()["answers"] == 2 and page.console() == []


def test_another_name_and_who_disagrees(opened):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    page = opened().open()
    node = page.node
    page.key("1")
    box = page.browser.find_element(By.ID, "who")
    box.clear()
    box.send_keys("bob", Keys.ENTER)
    page.until(lambda: page.run("return document.getElementById('who').value") == "bob")
    page.run("document.activeElement.blur()")
    page.key("2")
    assert "ann: 1, bob: 1" in page.text("people")
    page.project.answer(node, "label", "coffee", annotator="bob")
    page.key("2")
    page.until(lambda: "1 node on which" in page.text("disagree-title"))
    assert "ann: tea; bob: coffee" in page.text("votes")
    page.browser.refresh()
    page.until(lambda: page.run("return document.getElementById('who').value") == "bob")


def test_without_classes(opened):
    page = opened(classes=()).open()
    assert "Add a class first" in page.text("question") and "no guess yet" in page.text("guess")
    from selenium.webdriver.common.keys import Keys

    for name in CLASSES:
        page.press("a")
        page.press(name, Keys.ENTER)
        page.until(lambda name=name: name in page.text("classes"))
        page.until(lambda: not page.seen("new"))
    page.key(str(page.truth(GRAPH) + 1))
    assert "1 of 30" in page.text("count") and page.console() == []
