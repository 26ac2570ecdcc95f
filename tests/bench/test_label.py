"""From the key to the next node, over HTTP, on a graph with 100 000 nodes."""

from __future__ import annotations

import http.client
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphol
from graphol import seeding
from graphol.label.project import Project
from tests.label.page.test_kills import Server

NODES, ANSWERS, PAUSE = 100_000, 60, 0.5
LIMIT = 0.1
"""Seconds, of 95 % of the answers, which come after a pause as a person's do."""

pytestmark = pytest.mark.bench


def test_the_next_node_is_there_before_the_key_is_released(tmp_path: Path) -> None:
    graph = graphol.make("dataset", f"sbm:nodes={NODES},classes=10").load(seeding.data(0)).graph
    Project.create(tmp_path / "p.graphol", graph, classes=graph.label_names).close()
    begin = time.perf_counter()
    server = Server(tmp_path / "p.graphol")
    started = time.perf_counter() - begin
    wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}

    def ask(method: str, path: str, body: Any = None) -> Any:
        wire.request(method, path, None if body is None else json.dumps(body), headers)
        return json.loads(wire.getresponse().read())

    try:
        reply, took = ask("GET", "/api/next"), []
        for number in range(ANSWERS):
            card = reply["card"]
            value = graph.label_names[graph.labels[graph.index(card["node"])]]
            body = {"node": card["node"], "kind": "label", "value": value,
                    "ticket": card["ticket"], "token": f"token-{number:04d}"}  # fmt: skip
            begin = time.perf_counter()
            reply = ask("POST", "/api/answer", body)
            took.append(time.perf_counter() - begin)
            time.sleep(PAUSE)
    finally:
        wire.close()
        server.kill()
    at = np.percentile(np.array(took[5:]) * 1000, [50, 95, 100])
    print(
        f"\nstart {started:.1f} s; key to next node in ms: median {at[0]:.0f}, 95 % {at[1]:.0f}, "
        f"most {at[2]:.0f}"
    )
    assert at[1] < 1000 * LIMIT
