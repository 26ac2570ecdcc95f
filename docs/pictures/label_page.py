"""The page of `graphol label` after thirty answers, by day and by night (needs selenium)."""

import time
from pathlib import Path

import numpy as np
from PIL import Image
from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import graphol
from graphol.label.page.serve import Serving
from graphol.label.project import Project
from graphol.label.session import Session

WIDTH, HEIGHT = globals().get("SIZE", (1100, 790))
ANSWERS, WAIT = 30, 20.0

graph = graphol.make("dataset", "cora").load(np.random.default_rng(0)).graph
truth = dict(zip(map(str, graph.ids), map(int, graph.labels), strict=True))
texts = {
    node: {
        "title": f"Paper {node}",
        "venue": "a collection of papers on machine learning",
        "link": f"https://example.org/paper/{node}",
    }
    for node in graph.ids
}
classes = [name.replace("_", " ").lower() for name in graph.label_names]

options = Options()
for argument in (
    "headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "hide-scrollbars",
    "disable-background-networking", "disable-component-update", "disable-sync",
    f"user-data-dir={Path('profile').resolve()}",
):  # fmt: skip
    options.add_argument(f"--{argument}")
browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": WIDTH < 600}
browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def shown(name):
    return browser.execute_script(f"return document.getElementById('{name}').textContent")


def until(true):
    end = time.monotonic() + WAIT
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"the page says: {shown('alarm')}")
        time.sleep(0.01)


whole = Project.create("cora.graphol", graph, nodes=texts, classes=classes, title="Papers of Cora")
with whole as project:
    session = Session(project, annotator="ann")
    serving = Serving(session, port=0)
    browser.get(serving.address)
    until(lambda: shown("id") in truth)
    for _ in range(ANSWERS):
        node = shown("id")
        ActionChains(browser).send_keys(str(truth[node] + 1)).perform()
        until(lambda before=node: shown("id") not in ("", before))
        until(lambda: not browser.execute_script("return document.body.matches('.busy')"))
        session.settled()  # the model has heard of it
    browser.execute_script("document.activeElement.blur(); window.scrollTo(0, 0)")
    for theme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": theme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        browser.save_screenshot("whole.png")
        Image.open("whole.png").convert("RGB").quantize(96).save(f"{theme}.png", optimize=True)
    print(ANSWERS, "answers on a graph of", graph.n, "nodes")
    browser.quit()
    serving.stop()
    session.close()
