"""Several learners play the same games: one task, the same shuffles for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphol.api import Embedding, Feedback, Learner
from graphol.arena import Watcher
from graphol.errors import UsageError
from graphol.interval import CONFIDENCE, check_confidence
from graphol.params import describe
from graphol.plan import Plan
from graphol.registry import registry
from graphol.report.comparison import Comparison, label, reference
from graphol.runner import simulate_by


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
    watcher: Watcher | None = None,
    plan: Plan | None = None,
    fuser: str | Learner | None = None,
    **keywords: Any,
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
    plan
        Repeats, seed, rounds, noise, delay and jobs as one value, in place of the keywords.
    dataset, embedding, watcher, fuser, keywords
        See :func:`graphol.simulate`.

    Examples
    --------
    >>> found = compare(["gpa", "molg-f"], "sbm:nodes=200,classes=3", repeats=3)
    >>> [row["label"] for row in found.rows()], found.rows()[0]["against"]
    (['gpa', 'molg-f'], 'molg-f')
    """
    check_confidence(confidence)
    who = players(learners)
    reference(against, list(map(label, who)), list(map(describe, who)))
    results = simulate_by(
        plan or Plan(**keywords), who, dataset, feedback=feedback, embedding=embedding,
        watcher=watcher, fuser=fuser,
    )  # fmt: skip
    return Comparison.of(results, against=against, confidence=confidence)
