"""What a learner promises that plays in the loop of another."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.api import Instance, Learner, NotCompiled, PlaysAlong, Reveal, Stretch
from graphol.testing.games import blocks, node_game, random_rows
from graphol.testing.states import values

ROUNDS = 90


def steps_equal_plain_rounds(learner: Learner) -> None:
    """Its steps, as plain Python, do as predict and update do, whoever said the class."""
    if not isinstance(learner, PlaysAlong) or "classes" not in learner.targets:
        return
    graph, rng = blocks(60, K=4, seed=3), np.random.default_rng(5)
    task = node_game(random_rows(60, 5), graph)
    K, rows = 4, task.problem(rng).features
    assert rows is not None and rows.rows is not None and graph.labels is not None
    node = rng.integers(0, 60, size=ROUNDS)
    stretch = Stretch(
        rows.rows, node, node, np.full(ROUNDS, -1), graph.labels[node], np.ones(ROUNDS, bool), 0
    )
    plain, other = (learner.start(task.problem(np.random.default_rng(2))) for _ in range(2))
    try:
        steps = learner.along(other, stretch)
    except NotCompiled:
        return
    scores = np.zeros(K)
    for t in range(ROUNDS):
        instance, y = Instance(t, int(node[t]), rows.rows[node[t]]), int(stretch.told[t])
        mine = learner.predict(plain, instance)
        label, known, asks = steps.foresee(steps.own, stretch, t, scores)
        assert (label, known, asks) == (mine.label, mine.known, mine.query), f"round {t}"
        assert mine.scores is not None
        assert np.allclose(scores, mine.scores, rtol=1e-9, atol=1e-12), f"scores of round {t}"
        bits = "bit" in learner.learns_from and not ("label" in learner.learns_from and t % 3 == 0)
        said = int(rng.integers(K)) if t % 2 else y
        about: tuple[Any, Reveal] = mine, Reveal(label=y)
        if bits:
            about = mine._replace(label=said, query=True), Reveal(correct=said == y)
        elif not mine.query:
            continue
        models = learner.update(plain, instance, *about)
        heard = y if not bits or said == y else -1
        told = said if bits else int(mine.label)
        assert steps.hear(steps.own, stretch, t, told, heard, bits) == models, f"round {t}"
    for one, two in zip(values(plain), values(other), strict=True):
        assert isinstance(one, str) or np.allclose(one, two, rtol=1e-8, atol=1e-10)
