"""A page that is served, and a plain client for it."""

from __future__ import annotations

import http.client
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from graphol.label.project import Project
from graphol.label.session import Session
from tests.label.session.conftest import CLASSES, two_camps

pytest.importorskip("starlette", reason="starlette is not here; `pip install 'graphol[label]'`")
pytest.importorskip("uvicorn", reason="uvicorn is not here; `pip install 'graphol[label]'`")

from graphol.label.page.serve import Serving

if TYPE_CHECKING:
    from graphol import Graph
    from tests.label.page.seen import Page

numbers = itertools.count()
EVIL = "<script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">"
PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f"
    b"\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d"
    b"\x00\x00\x00\x00IEND\xaeB`\x82"
)


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Says what it is told to say, and nothing else."""

    def __init__(self, serving: Serving) -> None:
        self.serving = serving
        self.host = f"127.0.0.1:{serving.port}"
        self.bearer = {"Authorization": f"Bearer {serving.secret.token}"}
        self.cookie = {"Cookie": f"graphol_{serving.port}={serving.secret.cookie}"}

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """With the token, unless headers are given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.serving.port, timeout=20)
        own = dict(self.bearer if headers is None else headers)
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            own.setdefault("Content-Type", "application/json")
        try:
            connection.putrequest(method, path, skip_host="Host" in own)
            for name, value in own.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            reply = connection.getresponse()
            found = {name.lower(): value for name, value in reply.getheaders()}
            return Answer(reply.status, found, reply.read())
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        found = self.ask("GET", path)
        assert found.status == 200, found
        return found.json

    def post(self, path: str, **body: Any) -> Any:
        found = self.ask("POST", path, {"token": f"token-{next(numbers):04d}", **body})
        assert found.status == 200, found
        return found.json


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A page on a project whose texts would do harm, with a picture and one that lies outside."""
    folder = tmp_path_factory.mktemp("served")
    pictures = folder / "pictures"
    pictures.mkdir()
    (pictures / "a.png").write_bytes(PNG)
    (pictures / "script.png").write_text("<svg xmlns='http://www.w3.org/2000/svg'></svg>")
    (folder / "secret.png").write_bytes(PNG + b"secret")
    (pictures / "out.png").symlink_to(folder / "secret.png")
    nodes = {
        "n0": {"title": EVIL, "description": EVIL, "link": "javascript:alert(1)", EVIL: EVIL},
        "n1": {"title": "One", "link": "https://example.org/1", "picture": "a.png"},
        "n2": {"picture": "script.png"},
        "n3": {"picture": "out.png"},
    }
    path = folder / "p.graphol"
    graph = two_camps()
    with Project.create(path, graph, classes=(*CLASSES, EVIL), nodes=nodes, pictures=pictures) as p:
        failures: list[str] = []
        session = Session(p, annotator="ann", failed=failures.append)
        serving = Serving(session, port=0, failed=failures.append)
        yield Client(serving)
        serving.stop()
        session.close()
        assert failures == []


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Headless Chromium, by the driver of the system."""
    pytest.importorskip("selenium", reason="selenium is not here; `tox -e page` has it")
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    for argument in (
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic",
        "--no-first-run", "--disable-background-networking", "--disable-component-update",
        "--disable-sync", f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    yield found
    found.quit()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a project with this graph in the browser, and closes all at the end."""
    made: list[tuple[Session, Serving]] = []

    def make(
        graph: Graph | None = None,
        classes: tuple[str, ...] = CLASSES,
        port: int = 0,
        name: str = "p",
        setup: dict[str, Any] | None = None,
        **options: Any,
    ) -> Page:
        from tests.label.page.seen import Page

        path, graph = tmp_path / f"{name}.graphol", graph or two_camps()
        if not path.exists():
            options.setdefault("title", "Who drinks what")
            Project.create(path, graph, classes=classes, **options).close()
        session = Session(Project.open(path), annotator="ann", failed=pytest.fail, **setup or {})
        serving = Serving(session, port=port, failed=pytest.fail)
        made.append((session, serving))
        return Page(browser, session, serving)

    yield make
    browser.get("about:blank")
    for session, serving in made:
        serving.stop()
        session.close()
        session.project.close()
