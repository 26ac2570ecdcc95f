"""The page in headless Chromium, from a file: `tox -e page`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphol.report.gather import Failed, Gathered
from graphol.report.outcome import Hindsight
from graphol.report.page import Material, page

pytestmark = pytest.mark.browser
EVIL = "<img src=x onerror=document.title='broken'>"


@pytest.fixture
def written(outcome, tmp_path) -> Path:
    """A page with everything on it, names that would do harm included."""
    rng = np.random.default_rng(1)
    rounds = np.arange(1, 61) * 40
    games = [
        outcome(
            {"name": name, "b": b}, dataset, 0.1 + 0.02 * i + 0.01 * b + float(rng.normal(0, 0.01)),
            repeat=r, rounds=rounds, curve=0.1 + 0.02 * i + 20 / rounds, queries=100.0 + i,
            by_class={f"class number {k}": (k, 20) for k in range(12)},
            hindsight=Hindsight(90.0, True, 20, 10), notes=("doubtful: something",),
            command="graphol simulate --learner " + "x" * 300,
        )
        for i, name in enumerate(("ann", "bob", EVIL))
        for b in (1.0, 2.0, 3.0)
        for dataset in ("one", "two", "a data set with a name that is longer than others are")
        for r in range(4)
    ]  # fmt: skip
    failed = Failed("c", EVIL, "two", "full", "0", "3-3", f"it broke {EVIL}", 2, "graphol " * 40)
    row = {"learner": "bob", "dataset": "two", "planned": 120, "done": 108, "failed": 1}
    path = tmp_path / "page.html"
    material = Material(Gathered(tuple(games), (row,), (failed,)), command="graphol report x")
    path.write_text(page(material), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium, by the driver of the system."""
    pytest.importorskip("selenium", reason="selenium is not here; `tox -e page` has it")
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    yield found
    found.quit()


def opened(browser: Any, path: Path, width: int, scheme: str = "light") -> Any:
    """The page in a window so wide, in the light or in the dark."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(path.as_uri())
    return browser.execute_script


def first_column(run: Any) -> list[str]:
    return run(
        "return [...document.querySelector('#leaderboards tbody').rows]"
        ".filter(r => !r.hidden).map(r => r.cells[0].textContent.trim())"
    )


def test_nothing_is_asked_for_and_nothing_goes_wrong(browser, written):
    browser.get_log("performance")
    run = opened(browser, written, 1400)
    assert browser.get_log("browser") == []
    assert run("return performance.getEntriesByType('resource').length") == 0
    sent = [json.loads(each["message"])["message"] for each in browser.get_log("performance")]
    urls = {
        m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"
    }
    assert urls <= {written.as_uri(), "data:,"} and written.as_uri() in urls
    assert run("return document.title") == "graphol report"  # what the names would change


def test_tables_sort_by_mouse_and_by_keyboard(browser, written):
    run = opened(browser, written, 1400)
    head = "document.querySelectorAll('#leaderboards thead th')[1]"
    before = first_column(run)
    errors = (
        "return [...document.querySelector('#leaderboards tbody').rows]"
        ".map(r => +r.cells[1].dataset.v)"
    )
    run(f"{head}.querySelector('button').click()")
    assert run(f"return {head}.getAttribute('aria-sort')") == "ascending"
    assert run(errors) == sorted(run(errors)) and first_column(run) == before
    run(f"{head}.querySelector('button').focus()")
    from selenium.webdriver.common.keys import Keys

    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert run(f"return {head}.getAttribute('aria-sort')") == "descending"
    assert run(errors) == sorted(run(errors), reverse=True)
    run("document.querySelector('#leaderboards thead button').click()")
    assert first_column(run) == sorted(first_column(run), key=str.lower)


def test_tables_filter(browser, written):
    run = opened(browser, written, 1400)
    everybody = first_column(run)
    box = browser.find_element("css selector", "#leaderboards .filter input")
    box.send_keys("bob b=2")
    assert first_column(run) == [name for name in everybody if "bob:b=2" in name] != []
    assert "1 of 9" in run("return document.querySelector('#leaderboards .filter').textContent")
    box.clear()
    box.send_keys("x")
    box.send_keys("\b")
    assert first_column(run) == everybody


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_never_scrolls_sideways_and_text_stays_in_figures(browser, written, width, scheme):
    run = opened(browser, written, width, scheme)
    assert run("return document.documentElement.scrollWidth") <= width
    outside = run("""
        const found = [];
        for (const svg of document.querySelectorAll('figure svg:not(svg svg)')) {
            const box = svg.getBoundingClientRect();
            for (const text of svg.querySelectorAll('text')) {
                const own = text.getBoundingClientRect();
                if (own.left < box.left - 1 || own.right > box.right + 1 ||
                    own.top < box.top - 1 || own.bottom > box.bottom + 1)
                    found.push(text.textContent);
            }
        }
        return found""")
    assert outside == []
    small = run(
        "return Math.min(...[...document.querySelectorAll('figure svg text')]"
        ".map(t => t.getBoundingClientRect()).map(r => Math.min(r.width, r.height) && r.height)"
        ".filter(Boolean))"
    )
    assert small >= 8  # pixels, of the line


def test_no_two_texts_of_a_figure_stand_on_each_other(browser, written):
    for width in (390, 1400):
        run = opened(browser, written, width)
        crossing = run("""
            const found = [];
            for (const svg of document.querySelectorAll('figure svg:not(svg svg)')) {
                const texts = [...svg.querySelectorAll('text')];
                const all = texts.map(t => [t, t.getBoundingClientRect()]);
                all.forEach(([a, p], i) => all.slice(i + 1).forEach(([b, q]) => {
                    const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
                    const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
                    if (wide > 1 && high > 3) found.push([a.textContent, b.textContent]);
                }));
            }
            return found""")
        assert crossing == []


def test_light_and_dark(browser, written):
    shade = "return getComputedStyle(document.body).backgroundColor"
    assert opened(browser, written, 1400)(shade) == "rgb(255, 255, 255)"
    run = opened(browser, written, 1400, "dark")
    assert sum(map(int, run(shade)[4:-1].split(","))) < 150
    text = run("return getComputedStyle(document.querySelector('figure svg text')).fill")
    assert sum(map(int, text[4:-1].split(","))) > 300
