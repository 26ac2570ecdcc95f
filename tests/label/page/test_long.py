"""Twenty thousand answers over HTTP: memory stays flat, and no request takes a second.

`pytest -m once -s tests/label/page/test_long.py` prints the figures.
"""

from __future__ import annotations

import http.client
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphol
from graphol import seeding
from graphol.label.project import Project
from tests.label.page.test_kills import Server

NODES, ANSWERS, ANNOTATORS = 25_000, int(os.environ.get("GRAPHOL_ANSWERS", "20000")), 3
GROWTH = 80
"""MB that the last 18 000 answers may take: the log is in memory, 2 KB of objects per answer."""


def memory(process: int) -> float:
    """Resident, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


@pytest.mark.once
def test_twenty_thousand_answers(tmp_path):
    graph = graphol.make("dataset", f"sbm:nodes={NODES},classes=5").load(seeding.data(0)).graph
    path = tmp_path / "long.graphol"
    Project.create(path, graph, classes=graph.label_names).close()
    server = Server(path)
    wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    took: list[float] = []

    def ask(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        begin = time.perf_counter()
        wire.request(method, path, None if body is None else json.dumps(body), headers)
        reply = wire.getresponse()
        found = reply.read()
        took.append(time.perf_counter() - begin)
        assert reply.status == 200, found
        return json.loads(found)

    try:
        cards = {f"a{k}": ask("GET", f"/api/next?annotator=a{k}") for k in range(ANNOTATORS)}
        sizes = {}
        for number in range(ANSWERS):
            who = f"a{number % ANNOTATORS}"
            card = cards[who]["card"]
            value = graph.label_names[graph.labels[graph.index(card["node"])]]
            cards[who] = ask(
                "POST", "/api/answer",
                {"node": card["node"], "kind": "label", "value": value, "annotator": who,
                 "ticket": card["ticket"], "token": f"token-{number:06d}"},
            )  # fmt: skip
            if (number + 1) % (ANSWERS // 20) == 0:
                sizes[number + 1] = memory(server.process.pid)
                print(f"{number + 1} answers, {sizes[number + 1]:.0f} MB", flush=True)
        assert ask("GET", "/api/progress?annotator=a0")["answered"] == ANSWERS
    finally:
        wire.close()
        server.kill()
    at = np.percentile(np.array(took) * 1000, [50, 95, 99, 100])
    print("ms per request: median {:.0f}, 95 % {:.0f}, 99 % {:.0f}, most {:.0f}".format(*at))
    early, late = sizes[ANSWERS // 10], sizes[ANSWERS]
    assert late - early < GROWTH
    assert max(took) < 1.0
    with Project.open(path) as project:
        assert (project.labels().label >= 0).sum() == ANSWERS
