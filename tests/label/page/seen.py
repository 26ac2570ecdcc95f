"""A page in a browser: what is seen, what is pressed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from graphol import Graph
from graphol.label.page.serve import Serving
from graphol.label.session import Session

WAIT = 10.0


class Page:
    """A project in a browser: what is seen, what is pressed."""

    def __init__(self, browser: Any, session: Session, serving: Serving) -> None:
        self.browser, self.session, self.serving = browser, session, serving
        self.project = session.project

    def open(self, width: int = 1400, scheme: str = "light", height: int = 900) -> Page:
        self.size(width, scheme, height)
        self.console()  # of those before
        self.browser.get(self.serving.address)
        self.until(lambda: self.run("return document.getElementById('bar').max") > 1)
        return self

    def size(self, width: int, scheme: str = "light", height: int = 900) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def run(self, script: str, *values: Any) -> Any:
        return self.browser.execute_script(script, *values)

    def text(self, name: str) -> str:
        return self.run("return document.getElementById(arguments[0]).textContent", name)

    def seen(self, name: str) -> bool:
        return self.run("return document.getElementById(arguments[0]).checkVisibility()", name)

    @property
    def node(self) -> str:
        """The id of the node that is asked about; '' where none is."""
        return self.run(
            "return document.getElementById('card').hidden ? ''"
            " : document.getElementById('id').textContent"
        )

    def press(self, *keys: str) -> None:
        from selenium.webdriver import ActionChains

        for key in keys:
            ActionChains(self.browser).send_keys(key).perform()

    def until(self, true: Callable[[], Any], seconds: float = WAIT) -> None:
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, (self.text("alarm"), self.text("link"), self.node)
            time.sleep(0.01)

    def key(self, key: str) -> None:
        """Press one that leads to another node, and wait for that."""
        before, answered = self.node, self.text("count")
        self.press(key)
        self.until(lambda: (self.node, self.text("count")) != (before, answered))
        self.until(lambda: not self.run("return document.body.classList.contains('busy')"))

    def truth(self, graph: Graph) -> int:
        """The class of the node that is asked about."""
        node = self.node
        return int(graph.labels[graph.index(node if node in graph.ids else int(node))])

    def console(self) -> list[Any]:
        return list(self.browser.get_log("browser"))
