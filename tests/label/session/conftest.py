"""A small project, and somebody who knows the answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from graphol import Graph
from graphol.label.project import Project
from graphol.label.session import Session

CLASSES = ("tea", "coffee")


def two_camps(size: int = 15) -> Graph:
    """Two dense halves with few edges in between; the first drinks tea."""
    rng = np.random.default_rng(5)
    n = 2 * size
    side = np.arange(n) >= size
    likely = np.where(side[:, None] == side[None], 0.4, 0.02)
    joined = np.triu(rng.random((n, n)) < likely, 1)
    joined[np.arange(n - 1), np.arange(1, n)] = True
    return Graph(
        (joined | joined.T).astype(float), side.astype(int), CLASSES,
        ids=tuple(f"n{i}" for i in range(n)), name="camps",
    )  # fmt: skip


@pytest.fixture
def graph() -> Graph:
    return two_camps()


@pytest.fixture
def project(tmp_path: Path, graph: Graph) -> Iterator[Project]:
    texts = {node: {"title": f"Person {node[1:]}"} for node in graph.ids[:5]}
    with Project.create(tmp_path / "p.graphol", graph, classes=CLASSES, nodes=texts) as made:
        yield made


@pytest.fixture
def session(project: Project) -> Iterator[Session]:
    made = Session(project, annotator="ann", failed=pytest.fail)
    yield made
    made.close()


@pytest.fixture
def token() -> Callable[[], str]:
    """A new one every time."""
    numbers = itertools.count()
    return lambda: f"token-{next(numbers):04d}"
