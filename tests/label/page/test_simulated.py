"""Somebody who knows the answers labels Cora in Chromium, against as many random answers.

`pytest -m once -s tests/label/page/test_simulated.py` prints the table.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

import graphol
from graphol import Graph, seeding
from graphol.interval import paired, paired_p
from graphol.label.session.model import Lesson, Model

pytestmark = [pytest.mark.browser, pytest.mark.once, pytest.mark.data]
SEEDS = range(*map(int, os.environ.get("GRAPHOL_SEEDS", "200-210").split("-")))
ANSWERS = 200


def beginning(graph: Graph, seed: int) -> list[int]:
    """One labelled node of every class, drawn at random."""
    rng = np.random.default_rng([seed, 7])
    return [int(rng.choice(np.flatnonzero(graph.labels == k))) for k in range(graph.n_classes)]


def accuracy(graph: Graph, rows: list[int], seed: int) -> float:
    """On the rest, of the page's learner after these answers."""
    model = Model(graphol.make("learner", "walk"), graph, seed)
    model.follow(
        [Lesson(i + 1, r, int(graph.labels[r])) for i, r in enumerate(rows)], graph.n_classes
    )
    rest = np.ones(graph.n, dtype=bool)
    rest[rows] = False
    return float((model.says().label[rest] == graph.labels[rest]).mean())


def test_two_hundred_answers_beat_as_many_random_ones(opened, data_dir):
    graph = graphol.make("dataset", "cora").load(seeding.data(0)).graph
    found = []
    for seed in SEEDS:
        begin = beginning(graph, seed)
        known = {graph.ids[row]: graph.label_names[graph.labels[row]] for row in begin}
        page = opened(
            graph, graph.label_names, name=f"cora{seed}", answers=known, setup={"seed": seed}
        ).open()  # fmt: skip
        for _ in range(ANSWERS):
            page.key(str(page.truth(graph) + 1))
        assert page.console() == []
        said = page.session.settled().said.label
        events = [e for e in page.project.events() if e.kind == "label"]
        rows = [event.row for event in events]
        assert len(set(rows)) == len(begin) + ANSWERS
        assert all(event.label == graph.labels[event.row] for event in events)
        rest = np.ones(graph.n, dtype=bool)
        rest[rows] = False
        asked = float((said[rest] == graph.labels[rest]).mean())
        others = np.setdiff1d(np.arange(graph.n), begin)
        drawn = np.random.default_rng([seed, 8]).choice(others, ANSWERS, replace=False)
        found.append((asked, accuracy(graph, [*begin, *drawn.tolist()], seed)))
        told = page.session.progress("ann")["rest"]
        print(
            f"{seed}: page {found[-1][0]:.4f}, random {found[-1][1]:.4f}, the page said "
            f"{told['value']:.3f} ({told['low']:.3f} to {told['high']:.3f})"
        )
    page_, random = np.array(found).T
    apart = paired(page_, random)
    print(
        f"page {page_.mean():.4f}, random {random.mean():.4f}, difference {apart.mean:.4f} "
        f"({apart.low:.4f} to {apart.high:.4f}), p {paired_p(page_, random):.2g}"
    )
    assert apart.low > 0
