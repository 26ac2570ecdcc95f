"""The site in headless Chromium, from a server of this machine: `tox -e page`."""

from __future__ import annotations

import functools
import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.browser

PAGES = (
    "index.html",
    "about.html",
    "story.html",
    "choose.html",
    "benchmark.html",
    "gallery/index.html",
    "gallery/own_signals.html",
    "quickstart.html",
    "howto/label.html",
    "howto/reproduce.html",
    "reference/api.html",
    "reference/equations.html",
    "theory/bounds.html",
)
CONTRASTS = """
const parse = c => (c.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
const over = (a, b) => {  // colour a on the opaque colour b
    const alpha = a.length > 3 ? a[3] : 1;
    return [0, 1, 2].map(i => alpha * a[i] + (1 - alpha) * b[i]);
};
const light = c => {
    const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = e => {
    const layers = [];
    for (; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, c) => over(c.length > 3 ? c : [...c, 1], below),
        [255, 255, 255]);
};
const bad = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let seen = 0;
for (let t; (t = walk.nextNode()); ) {
    const e = t.parentElement;
    if (!t.data.trim() || !e.checkVisibility({opacityProperty: true, visibilityProperty: true}))
        continue;
    if (e.closest('.headerlink, .md-skip, button')) continue;  // a mark that shows on hovering
    const below = ground(e);
    let alpha = 1;
    for (let p = e; p; p = p.parentElement) alpha *= +getComputedStyle(p).opacity;
    const own = parse(getComputedStyle(e).color);
    const colour = over([own[0], own[1], own[2], (own.length > 3 ? own[3] : 1) * alpha], below);
    const [one, two] = [light(colour), light(below)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (two + 0.05);
    seen += 1;
    if (ratio < 4.5) bad.push(`${e.tagName}.${e.className}: ${t.data.trim().slice(0, 30)} ` +
        ratio.toFixed(2));
}
return [seen, [...new Set(bad)].slice(0, 12)];
"""

WIDE = """
return [...document.querySelectorAll('article *')].filter(
    e => e.getBoundingClientRect().right > innerWidth && !e.closest('pre, table, .formula')
).map(e => e.outerHTML.slice(0, 200)).slice(0, 5);
"""

SHOWN = """
return [...document.querySelectorAll('article img')].filter(e => e.checkVisibility()).map(
    e => [e.getAttribute('src'), e.naturalWidth > 0 ? e.clientWidth : 0]
);
"""
"""Pictures that are seen, and how wide; 0 where nothing was loaded."""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, and no words about it."""

    def log_message(self, *what: Any) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def address(site) -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Any]:
    """Headless Chromium, by the driver of the system."""
    pytest.importorskip("selenium", reason="selenium is not here; `tox -e page` has it")
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    for argument in (
        "headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "disable-quic",
        "no-first-run", "disable-background-networking", "disable-component-update",
        "disable-sync", f"user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):  # fmt: skip
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    yield found
    found.quit()


def opened(browser: Any, url: str, width: int, scheme: str) -> Any:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(url)
    browser.execute_script("localStorage.clear()")
    browser.get(url)
    return browser.execute_script


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_a_page(browser, address, page, width, scheme):
    """No error, no other host, nothing wider than the window, and text that can be read."""
    browser.get_log("browser")
    browser.get_log("performance")
    run = opened(browser, address + page, width, scheme)
    assert run("return document.body.dataset.mdColorScheme") == (
        "default" if scheme == "light" else "slate"
    )
    assert run("return document.documentElement.scrollWidth") <= width, run(WIDE)
    for source, width_shown in run(SHOWN):
        assert (".dark." in source) == (scheme == "dark"), source
        assert width_shown >= 200, f"{source}: {width_shown} pixels"
    seen, bad = run(CONTRASTS)
    assert seen > 30
    assert bad == [], "\n".join(bad)
    assert browser.get_log("browser") == []
    sent = [json.loads(each["message"])["message"] for each in browser.get_log("performance")]
    urls = [
        m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"
    ]
    assert address + page in urls
    assert [url for url in urls if not url.startswith((address, "data:", "blob:", "chrome:"))] == []


def test_search_finds_a_learner(browser, address):
    from selenium.webdriver.support.ui import WebDriverWait

    opened(browser, address + "index.html", 1400, "light")
    box = browser.find_element("css selector", "input[name=query]")
    box.click()
    box.send_keys("dual averaging")
    WebDriverWait(browser, 20).until(
        lambda b: "graphda" in b.find_element("css selector", ".md-search-result__list").text
    )


def test_the_toggle_changes_the_theme_and_is_kept(browser, address):
    run = opened(browser, address + "index.html", 1400, "light")
    run("document.querySelector('label[for=__palette_1]').click()")
    assert run("return document.body.dataset.mdColorScheme") == "slate"
    browser.get(address + "quickstart.html")
    assert run("return document.body.dataset.mdColorScheme") == "slate"


def test_a_copied_command_is_the_command(browser, address):
    """Without the prompt, and without what it answers."""
    from selenium.webdriver.support.ui import WebDriverWait

    run = opened(browser, address + "quickstart.html", 1400, "light")
    run("navigator.clipboard.writeText = async text => { window.copied = text }")
    run("document.execCommand = () => { window.copied = String(getSelection()); return true }")
    run("document.querySelector('.language-console button').click()")
    copied = WebDriverWait(browser, 5).until(lambda b: run("return window.copied"))
    assert copied.strip() == "graphol simulate --learner molg-b"
