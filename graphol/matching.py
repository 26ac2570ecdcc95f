"""Who can play what by which rules; all of it is checked before round 1."""

from __future__ import annotations

from collections.abc import Sequence

from graphol.api import Feedback, LabelOrBit, Learner, Problem, Target, feedback_interface
from graphol.errors import UsageError


def check_rules(learner: Learner, feedback: Feedback) -> None:
    """Refuse a protocol that the learner cannot play, before any data is touched."""
    interface = feedback_interface(feedback.reveals)
    if not isinstance(feedback, interface):
        needed = "`reveal` and `answered`" if interface is LabelOrBit else "`blank` and `answer`"
        raise UsageError(f"{feedback.name} reveals {feedback.reveals}, so it needs {needed}")
    if feedback.reveals not in learner.learns_from:
        raise UsageError(
            f"{learner.name} learns from {_kinds(learner.learns_from)}, but {feedback.name} "
            f"feedback reveals {_kinds([feedback.reveals])}; try --feedback {learner.feedback}"
        )


def _kinds(kinds: Sequence[str]) -> str:
    """In words: a label, a bit, candidates."""
    return " or ".join(f"a {kind}" if kind in ("label", "bit") else kind for kind in kinds)


PLAYS: dict[Target, str] = {"classes": "molg-f", "signs": "gpa", "real": "adagrad"}
"""A learner for every target, to name where one does not fit."""


def check_target(target: Target, name: str, learner: Learner) -> None:
    """Refuse a learner that does not predict what the game called ``name`` asks for."""
    if target not in learner.targets:
        raise UsageError(
            f"{learner.name} predicts {' or '.join(learner.targets)}, but {name} asks for {target}"
            f"; try another, for example {PLAYS[target]}"
        )


def check_rows(learner: Learner, *, rows: bool) -> None:
    """Refuse a learner that needs vectors where there are none."""
    if learner.needs == "rows" and not rows:
        raise UsageError(
            f"{learner.name} needs a vector per node, which this embedding does not give; "
            "try --embedding spectral"
        )


def check_fit(target: Target, name: str, problem: Problem, learner: Learner) -> None:
    """Refuse a learner that cannot play the game called ``name``, before round 1."""
    check_target(target, name, learner)
    check_rows(learner, rows=problem.dim > 0)
    if learner.needs == "signals" and (problem.graph is None or problem.graph.n != problem.dim):
        raise UsageError(
            f"{learner.name} needs signals with one entry per node of a graph, which {name} does "
            "not give; try --dataset graphda-grid"
        )
    if learner.needs == "gram" and problem.features is None:
        raise UsageError(f"{learner.name} needs kernel entries; try --embedding kernel")
