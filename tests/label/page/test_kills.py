"""The server is killed between key and answer: what was acknowledged is there, nothing twice."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from graphol.label.project import Project
from tests.label.session.conftest import CLASSES, two_camps

GRAPH = two_camps(250)
"""More nodes than a hundred turns answer."""


class Server:
    """`graphol label` in a process of its own."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "graphol", "label", str(path), "--json", "--port", "0", "-q"],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "GRAPHOL_PLUGINS": ""},
        )  # fmt: skip
        assert self.process.stdout is not None
        said = ""
        while not said.rstrip().endswith("}"):
            line = self.process.stdout.readline()
            assert line, "it ended before it listened"
            said += line
        address = json.loads(said)["address"]
        host, _, self.token = address.partition("/?token=")
        self.port = int(host.rpartition(":")[2])

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            reply = connection.getresponse()
            found = json.loads(reply.read())
            assert reply.status == 200, found
            return found
        finally:
            connection.close()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def play(path: Path, kills: int, seed: int) -> tuple[int, int]:
    """Answers and kills; how many answers were acknowledged, how many were under way at a kill."""
    rng = random.Random(seed)
    acknowledged: dict[str, tuple[str, str]] = {}
    cut: list[dict[str, Any]] = []
    lost = 0
    for turn in range(kills):
        server = Server(path)
        timer: threading.Timer | None = None
        try:
            for body in cut:  # the page sends it again, as it was
                server.ask("POST", "/api/answer", body)
                acknowledged[body["token"]] = (body["node"], body["value"])
            cut = []
            card = server.ask("GET", "/api/next")["card"]
            for k in range(rng.randint(0, 3) + 1):
                value = CLASSES[GRAPH.labels[GRAPH.index(card["node"])]]
                body = {"node": card["node"], "kind": "label", "value": value,
                        "ticket": card["ticket"], "token": f"token-{turn:03d}-{k}"}  # fmt: skip
                cut = [body]
                if k == 0:
                    timer = threading.Timer(rng.uniform(0, 0.25), server.kill)
                    timer.start()
                reply = server.ask("POST", "/api/answer", body)
                acknowledged[body["token"]] = (body["node"], value)
                cut = []
                card = reply["card"]
            if timer is not None:
                timer.join()
        except (OSError, http.client.HTTPException):
            lost += len(cut)
        finally:
            if timer is not None:
                timer.join()
            server.kill()
        with Project.open(path) as project:
            check(project, acknowledged, cut)
    return len(acknowledged), lost


def check(project: Project, acknowledged: dict[str, Any], cut: list[dict[str, Any]]) -> None:
    """Every acknowledged answer once, as it was said; one that was under way once or not at all."""
    events = [event for event in project.events() if event.kind == "label"]
    tokens = Counter(event.token for event in events)
    names = [each.name for each in project.classes]
    assert max(tokens.values(), default=0) <= 1
    assert set(acknowledged) <= set(tokens)
    assert set(tokens) <= set(acknowledged) | {body["token"] for body in cut}
    for event in events:
        if event.token in acknowledged:
            node, value = acknowledged[event.token]
            assert (project.graph.ids[event.row], names[event.label]) == (node, value)


def made(tmp_path: Path) -> Path:
    path = tmp_path / "p.graphol"
    Project.create(path, GRAPH, classes=CLASSES).close()
    return path


def test_three_kills(tmp_path):
    acknowledged, _ = play(made(tmp_path), 3, seed=1)
    assert acknowledged


@pytest.mark.once
def test_a_hundred_kills(tmp_path):
    begin = time.monotonic()
    acknowledged, lost = play(made(tmp_path), 100, seed=2)
    print(f"{acknowledged} acknowledged, {lost} under way; {time.monotonic() - begin:.0f} s")
    assert acknowledged >= 50 and lost >= 10
