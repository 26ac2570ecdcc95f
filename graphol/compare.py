"""Several learners play the same games: one task, the same shuffles for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphol.api import Embedding, Feedback, Learner
from graphol.engine import check_fit, check_rules
from graphol.errors import UsageError
from graphol.interval import CONFIDENCE, check_confidence
from graphol.params import describe
from graphol.registry import registry
from graphol.report.comparison import Comparison
from graphol.report.label import label, reference
from graphol.runner import Arena, Silent, Watcher, simulate


def players(specs: Sequence[str | Learner]) -> list[Learner]:
    """The learners, two or more and no two alike."""
    made: list[Learner] = [registry().make("learner", spec) for spec in specs]
    if len(made) < 2:
        raise UsageError(f"a comparison needs at least 2 learners, got {len(made)}")
    for i, learner in enumerate(made):
        if learner in made[:i]:
            raise UsageError(f"{label(learner)} is given twice; give its copy other parameters")
    return made


def compare(
    learners: Sequence[str | Learner],
    dataset: Any = "digits",
    *,
    feedback: str | Feedback | None = None,
    embedding: str | Embedding | None = None,
    against: str | Learner | None = None,
    confidence: float = CONFIDENCE,
    repeats: int = 10,
    seed: int = 0,
    rounds: int | None = None,
    noise: float = 0.0,
    delay: int = 0,
    jobs: int = 1,
    watcher: Watcher | None = None,
) -> Comparison:
    """Let several learners play the same games, and compare them shuffle by shuffle.

    The data is loaded and embedded once. Every setting is checked, and every learner started once,
    before the first game.

    Parameters
    ----------
    learners
        Who plays, two or more: names with parameters, or values.
    against
        Whom to hold the others against; by default the one with the fewest mistakes.
    confidence
        Of the intervals, between 0 and 1.
    feedback
        One protocol for all; by default everybody plays by their own.
    dataset, embedding, repeats, seed, rounds, noise, delay, jobs, watcher
        See :func:`graphol.simulate`.

    Examples
    --------
    >>> found = compare(["gpa", "molg-f"], "sbm:nodes=200,classes=3", repeats=3)
    >>> [row["label"] for row in found.rows()], found.rows()[0]["against"]
    (['gpa', 'molg-f'], 'molg-f')
    """
    watcher = watcher or Silent()
    check_confidence(confidence)
    who = players(learners)
    reference(against, list(map(label, who)), list(map(describe, who)))
    make = registry().make
    protocols: list[Feedback] = [make("feedback", feedback or each.feedback) for each in who]
    for learner, protocol in zip(who, protocols, strict=True):
        check_rules(learner, protocol, rounds=rounds, noise=noise, delay=delay)
    arena = Arena(dataset, seed, watcher)
    if repeats >= 1:  # else simulate() refuses
        for learner in who:
            _, task = arena.task(learner, embedding)
            problem = task.problem(np.random.default_rng(seed))
            check_fit(task.target, task.name, problem, learner)
            learner.start(problem)
    results = []
    for learner, protocol in zip(who, protocols, strict=True):
        watcher.stage(f"play {learner.name}")
        results.append(
            simulate(
                learner,
                arena,
                feedback=protocol,
                embedding=embedding,
                repeats=repeats,
                seed=seed,
                rounds=rounds,
                noise=noise,
                delay=delay,
                jobs=jobs,
                watcher=watcher,
            )
        )
    return Comparison.of(results, against=against, confidence=confidence)
