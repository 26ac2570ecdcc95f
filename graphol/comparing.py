"""Several learners play the same games: one task or several, the same shuffles for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from graphol.api import Embedding, Feedback, Learner
from graphol.arena import Arena, Watcher
from graphol.errors import UsageError
from graphol.interval import CONFIDENCE, check_confidence
from graphol.params import describe
from graphol.plan import Plan
from graphol.registry import registry
from graphol.report.comparison import Comparison, label, reference
from graphol.report.comparisons import Comparisons
from graphol.runner import check_by, simulate_by

Listed = list[Any] | tuple[Any, ...]


def players(specs: Sequence[str | Learner]) -> list[Learner]:
    """The learners, two or more and no two alike."""
    made: list[Learner] = [registry().make("learner", spec) for spec in specs]
    if len(made) < 2:
        raise UsageError(f"a comparison needs at least 2 learners, got {len(made)}")
    for i, learner in enumerate(made):
        if learner in made[:i]:
            raise UsageError(f"{label(learner)} is given twice; give its copy other parameters")
    return made


@overload
def compare(
    learners: Sequence[str | Learner],
    dataset: Listed,
    *,
    feedback: str | Feedback | None = None,
    embedding: str | Embedding | Listed | None = None,
    against: str | Learner | None = None,
    confidence: float = CONFIDENCE,
    watcher: Watcher | None = None,
    plan: Plan | None = None,
    fuser: str | Learner | None = None,
    **keywords: Any,
) -> Comparisons: ...
@overload
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
) -> Comparison: ...
def compare(
    learners: Sequence[str | Learner],
    dataset: Any = "digits",
    *,
    feedback: str | Feedback | None = None,
    embedding: str | Embedding | Listed | None = None,
    against: str | Learner | None = None,
    confidence: float = CONFIDENCE,
    watcher: Watcher | None = None,
    plan: Plan | None = None,
    fuser: str | Learner | None = None,
    **keywords: Any,
) -> Comparison | Comparisons:
    """Let several learners play the same games, and compare them shuffle by shuffle.

    The data is loaded and embedded once. Every setting is checked, and every learner started once,
    before the first game.

    Parameters
    ----------
    learners
        Who plays, two or more: names with parameters, or values.
    dataset
        As for :func:`graphol.simulate`; or a list of them, which gives
        :class:`graphol.report.comparisons.Comparisons`: all against one learner, p values corrected
        for the number of all comparisons.
    embedding
        As for :func:`graphol.simulate`; with a list of data sets it may be a list, too, and
        everybody plays on every data set with every embedding.
    against
        Whom to hold the others against; by default the one with the fewest mistakes, on several
        data sets the one of the best mean rank.
    confidence
        Of the intervals, between 0 and 1.
    feedback
        One protocol for all; by default everybody plays by their own.
    plan
        Repeats, seed, rounds, noise, delay and jobs as one value, in place of the keywords.
    watcher, fuser, keywords
        See :func:`graphol.simulate`.

    Examples
    --------
    >>> found = compare(["gpa", "molg-f"], "sbm:nodes=200,classes=3", repeats=3)
    >>> [row["label"] for row in found.rows()], found.rows()[0]["against"]
    (['gpa', 'molg-f'], 'molg-f')
    >>> many = compare(["gpa", "molg-f"], ["sbm:nodes=60", "sbm:nodes=80"], repeats=3)
    >>> [row["dataset_label"] for row in many.rows()][1:3]
    ['sbm:nodes=60', 'sbm:nodes=80']
    """
    check_confidence(confidence)
    who, plan = players(learners), plan or Plan(**keywords)
    reference(against, list(map(label, who)), list(map(describe, who)))
    if not isinstance(dataset, list | tuple):
        if isinstance(embedding, list | tuple):
            raise UsageError(
                "several embeddings need a list of data sets; put this one into a list"
            )
        results = simulate_by(
            plan, who, dataset, feedback=feedback, embedding=embedding, watcher=watcher,
            fuser=fuser,
        )  # fmt: skip
        return Comparison.of(results, against=against, confidence=confidence)
    arenas = [x if isinstance(x, Arena) else Arena(x, plan.seed, watcher) for x in dataset]
    vectors = list(embedding) if isinstance(embedding, list | tuple) else [embedding]
    games = [(arena, each) for arena in arenas for each in vectors]
    _check_games(games)
    for arena, each in games:
        check_by(plan, who, arena, feedback=feedback, embedding=each, watcher=watcher, fuser=fuser)
    parts = []
    for arena, each in games:
        results = simulate_by(
            plan, who, arena, feedback=feedback, embedding=each, watcher=watcher, fuser=fuser
        )
        parts.append(Comparison.of(results, confidence=confidence))
    return Comparisons.of(parts, against=against)


def _check_games(games: Sequence[tuple[Arena, Any]]) -> None:
    """Refuse the same twice, which would be counted twice."""
    if not games:
        raise UsageError("no data set to compare on; name one or more")
    seen: list[tuple[Any, Any]] = []
    for arena, vectors in games:
        made = None if vectors is None else registry().make("embedding", vectors)
        key = (arena if arena.dataset is None else arena.dataset, made)
        if key in seen:
            what = label(arena.source, "dataset")
            more = "" if made is None else f" with {label(describe(made), 'embedding')}"
            raise UsageError(f"{what}{more} is given twice; leave one out")
        seen.append(key)
